// Decodes, inspects and aborts in a runtime on servers. Prints a report.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { gzipSync } from 'node:zlib';
import { decode, inspect, open, UnspoolError } from 'unspool';
import { decodePco } from 'unspool/pco';
import { UnspoolWorker } from 'unspool/worker';
import { xzStream } from 'unspool/xz-stream';

const [pco, cvc, xz] = process.argv.slice(2).map((path) => new Uint8Array(readFileSync(path)));
const nameOf = (promise) => promise.then(() => 'none', (error) => error.name);

const worker = new UnspoolWorker();
// Takes seconds to inspect, and little to send: Deno lists the elements of a message.
const huge = gzipSync(new Uint8Array(3e8), { level: 1 });
const stop = new AbortController();
const jobs = [worker.inspect(huge, { signal: stop.signal }), worker.decode(cvc), worker.decode(cvc.subarray(0, 1000))];
setTimeout(() => stop.abort(), 5);
const aborted = await nameOf(jobs[0]);
const fromWorker = (await jobs[1]).columns[0].shape;
const refused = await jobs[2].catch((error) => error);
const last = nameOf(worker.inspect(huge));
setTimeout(() => worker.terminate(), 5);
console.log(JSON.stringify({
  numbers: decodePco(pco).data.length,
  lazy: (await decode(pco)).arrays[0].dtype,
  fields: (await inspect(cvc)).structure.length > 50,
  rows: (await (await open(new Blob([cvc]))).vectors.column().rows(3, 5)).shape,
  streamed: await new Response(new Blob([xz]).stream().pipeThrough(xzStream())).text(),
  aborted,
  fromWorker,
  refused: [refused instanceof UnspoolError, refused.name],
  terminated: await last,
}));
