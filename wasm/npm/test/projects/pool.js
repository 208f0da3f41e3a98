// What a page does with a pool.
import { inspect, UnspoolError } from 'unspool';
import { UnspoolPool } from 'unspool/worker';
import { cvc, pco } from './files.js';

const nameOf = (promise) => promise.then(() => 'none', (error) => error.name);

export async function usePool(options) {
  const pool = new UnspoolPool({ workers: 2, ...options });
  const decoded = await Promise.all([pool.decode(cvc), pool.decode(new Blob([cvc])), pool.decodePco(pco, { as: 'float64' })]);
  const { structure } = await pool.inspect(cvc);
  // Noise that does not compress, so that it is decoded in steps.
  const noise = crypto.getRandomValues(new Uint8Array(65_536));
  const stream = new Blob(Array.from({ length: 160 }, () => noise)).stream().pipeThrough(new CompressionStream('gzip'));
  const large = new Uint8Array(await new Response(stream).arrayBuffer());
  const [running, queued] = [new AbortController(), new AbortController()];
  const jobs = [1, 2, 3].map((_, at) => pool.decodeGzip(large, { signal: at < 2 ? running.signal : queued.signal }));
  const ends = [nameOf(jobs[0]), nameOf(jobs[2])];
  void nameOf(jobs[1]);
  queued.abort();
  setTimeout(() => running.abort(), 20);
  const aborted = await Promise.all(ends);
  const refused = await pool.decode(cvc.subarray(0, 1000)).catch((error) => error);
  const after = (await pool.decodePco(pco)).data.length;
  pool.terminate();
  return {
    shapes: decoded.slice(0, 2).map(({ columns }) => columns[0].shape),
    numbers: decoded[2].data.length,
    same: structure.length === (await inspect(cvc)).structure.length,
    aborted,
    refusal: [refused instanceof UnspoolError, refused.name],
    after,
  };
}
