// The code that runs in a web worker.
import { serve } from './serve.js';
import type { Job, Port } from './messages.js';

const port = self as unknown as Port;
self.onmessage = ({ data }: MessageEvent<Job>) => void serve(data, port);
port.postMessage({ ready: true }, []);
