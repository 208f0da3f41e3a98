// The code that runs in a Node thread.
import { parentPort } from 'node:worker_threads';
import { serve } from './serve.js';
import type { Job } from './messages.js';

parentPort?.on('message', (job) => void serve(job as Job, parentPort as NonNullable<typeof parentPort>));
parentPort?.postMessage({ ready: true });
