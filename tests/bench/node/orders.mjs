// What the bench orders on the standard input: on `run N` the work is done so many times and it is said how many nanoseconds that
// took; on `crc` the CRC-32 of what came out last.
import { createInterface } from 'node:readline';
import { crc32 } from 'node:zlib';

export async function obey(work) {
  let out;
  for await (const line of createInterface({ input: process.stdin })) {
    const [order, times] = line.split(' ');
    if (order === 'crc') {
      console.log(crc32(new Uint8Array(out.buffer, out.byteOffset, out.byteLength)));
      continue;
    }
    const begun = process.hrtime.bigint();
    for (let n = 0; n < Number(times); n += 1) out = work();
    console.log(String(process.hrtime.bigint() - begun));
  }
}
