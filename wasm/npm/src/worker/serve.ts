// The worker's side: runs one job after the other.
import { decode, inspect, type Inspection, readBlob, UnspoolError } from '../index.js';
import type { Job, Port, Reply } from './messages.js';

/** Runs a job and posts its result. */
export async function serve(job: Job, port: Port): Promise<void> {
  const reply = (reply: Reply, transfer: ArrayBuffer[] = []): void => port.postMessage(reply, transfer);
  try {
    const source = 'decode' in job ? job.decode : job.inspect;
    const bytes = source instanceof Uint8Array ? source : await readBlob(source, { onProgress: (done, total) => reply({ progress: { phase: 'read', done, total } }) });
    reply({ progress: { phase: 'work', done: 0, total: bytes.length } });
    const result = 'decode' in job ? await decode(bytes, job.options) : plain(await inspect(bytes, job.options));
    reply({ progress: { phase: 'work', done: bytes.length, total: bytes.length } });
    reply({ result }, [...buffers(result)]);
  } catch (error) {
    if (error instanceof UnspoolError) return reply({ refused: error.toJSON() });
    const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
    reply({ failed: { name, message } });
  }
}

/** Returns an inspection with its error as plain data: cloning would lose its class. */
function plain(found: Inspection): object {
  return { ...found, error: found.error?.toJSON() };
}

/** Collects the buffers of all arrays in a result, to transfer them. */
function buffers(result: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(result)) found.add(result.buffer as ArrayBuffer);
  else if (typeof result === 'object' && result !== null) for (const value of Object.values(result)) buffers(value, found);
  return found;
}
