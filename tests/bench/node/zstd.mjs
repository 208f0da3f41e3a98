// One decoder of Zstandard in Node, on one frame: `node zstd.mjs DECODER FILE SIZE`. On `run N` it decodes so many times and says
// how many nanoseconds that took; on `crc` the CRC-32 of what came out last.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { crc32 } from 'node:zlib';

const decoders = {
  async unspool() {
    const { decodeZstd } = await import('../../../wasm/npm/dist/public/zstd.js');
    return (file) => decodeZstd(file);
  },
  async zstddec() {
    const { ZSTDDecoder } = await import('zstddec');
    const decoder = new ZSTDDecoder();
    await decoder.init();
    return (file, size) => decoder.decode(file, size);
  },
  async 'zstd-wasm'() {
    const { init, decompress } = await import('@bokuweb/zstd-wasm');
    await init();
    return (file) => decompress(file);
  },
  async fzstd() {
    const { decompress } = await import('fzstd');
    return (file) => decompress(file);
  },
};

const [name, path, size] = process.argv.slice(2);
const [decode, file] = [await decoders[name](), new Uint8Array(readFileSync(path))];
let out;
for await (const line of createInterface({ input: process.stdin })) {
  const [order, times] = line.split(' ');
  if (order === 'crc') {
    console.log(crc32(out));
    continue;
  }
  const begun = process.hrtime.bigint();
  for (let n = 0; n < Number(times); n += 1) out = decode(file, Number(size));
  console.log(String(process.hrtime.bigint() - begun));
}
