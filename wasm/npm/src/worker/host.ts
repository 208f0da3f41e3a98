// The code that runs in a web worker.
import type { Command, Port } from './messages.js';
import { restByMessage } from './pause.js';
import { serve } from './serve.js';

const port = self as unknown as Port;
const listen = serve(port, restByMessage());
self.onmessage = ({ data }: MessageEvent<Command>) => listen(data);
