// Runs one peer in a thread, which can be terminated if it hangs.
import { parentPort, workerData } from 'node:worker_threads';
import { PEERS } from './decoders.mjs';

const { format, name } = workerData;
const peer = await PEERS[format][name]();
parentPort.on('message', async ({ bytes, room }) => {
  try {
    const found = room === undefined ? await peer.decode(bytes) : peer.into && (await peer.into(bytes, new Uint8Array(room)));
    parentPort.postMessage({ found: found === undefined ? undefined : new Uint8Array(found), none: found === undefined || found === null });
  } catch (error) {
    parentPort.postMessage({ error: error instanceof Error ? `${error.name}: ${error.message}` : String(error), trap: error instanceof WebAssembly.RuntimeError || error instanceof RangeError });
  }
});
parentPort.postMessage({ ready: true });
