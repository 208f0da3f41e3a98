// The worker's side: one job after the other.
import { decode, inspect, UnspoolError } from '../index.js';
import type { Job, Port, Progress, Reply } from './messages.js';

/** At most so often. */
const PAUSE = 50;

/** Does a job, and tells how it went. */
export async function serve(job: Job, port: Port): Promise<void> {
  const reply = (reply: Reply, transfer: ArrayBuffer[] = []): void => port.postMessage(reply, transfer);
  try {
    const bytes = await read('decode' in job ? job.decode : job.inspect, (progress) => reply({ progress }));
    reply({ progress: { phase: 'work', done: 0, total: bytes.length } });
    const result = 'decode' in job ? decode(bytes, job.options) : plain(inspect(bytes, job.options));
    reply({ progress: { phase: 'work', done: bytes.length, total: bytes.length } });
    reply({ result }, [...buffers(result)]);
  } catch (error) {
    if (error instanceof UnspoolError) return reply({ refused: error.toJSON() });
    const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
    reply({ failed: { name, message } });
  }
}

/** An inspection without its error, which would lose its class on the way. */
function plain(found: ReturnType<typeof inspect>): object {
  return { ...found, error: found.error?.toJSON() };
}

async function read(source: Uint8Array | Blob, tell: (progress: Progress) => void): Promise<Uint8Array> {
  if (source instanceof Uint8Array) return source;
  const bytes = new Uint8Array(source.size);
  const reader = source.stream().getReader();
  let [done, told] = [0, 0];
  for (;;) {
    const { value } = await reader.read();
    if (value === undefined) return bytes;
    bytes.set(value, done);
    done += value.length;
    const now = Date.now();
    if (now - told < PAUSE && done < source.size) continue;
    told = now;
    tell({ phase: 'read', done, total: source.size });
  }
}

/** The memory under all arrays of a result, which moves to the page instead of being copied. */
function buffers(result: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(result)) found.add(result.buffer as ArrayBuffer);
  else if (typeof result === 'object' && result !== null) for (const value of Object.values(result)) buffers(value, found);
  return found;
}
