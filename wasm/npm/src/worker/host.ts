// The code that runs in a web worker.
import { serve } from './serve.js';
import type { Job, Port } from './messages.js';

self.onmessage = ({ data }: MessageEvent<Job>) => void serve(data, self as unknown as Port);
