// The code that runs in a thread of Node, Deno or Bun.
import { parentPort } from 'node:worker_threads';
import type { Command } from './messages.js';
import { restByTimer } from './pause.js';
import { serve } from './serve.js';

const listen = parentPort === null ? undefined : serve(parentPort, restByTimer);
parentPort?.on('message', (command) => listen?.(command as Command));
