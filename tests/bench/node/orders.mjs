// What the bench orders on the standard input: on `run N WHO` one of the decoders works so many times and it is said how many nanoseconds
// that took; on `crc` the CRC-32 of what came out last.
import { createInterface } from 'node:readline';
import { crc32 } from 'node:zlib';

export async function obey(decoders) {
  let out;
  for await (const line of createInterface({ input: process.stdin })) {
    const [order, times, who] = line.split(' ');
    if (order === 'crc') {
      console.log(crc32(new Uint8Array(out.buffer, out.byteOffset, out.byteLength)));
      continue;
    }
    const work = decoders[who];
    const begun = process.hrtime.bigint();
    for (let n = 0; n < Number(times); n += 1) out = work();
    console.log(String(process.hrtime.bigint() - begun));
  }
}
