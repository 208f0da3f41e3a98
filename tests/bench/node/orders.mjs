// Reads commands of the bench from standard input. `run N WHO` runs one decoder N times and prints
// the nanoseconds; `crc` prints the CRC-32 of its last output.
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
