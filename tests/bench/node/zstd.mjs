// One decoder of Zstandard in Node, on one frame: `node zstd.mjs DECODER FILE SIZE`.
import { readFileSync } from 'node:fs';
import { obey } from './orders.mjs';

const decoders = {
  async unspool() {
    const { decodeZstd } = await import('../../../wasm/npm/dist/entries/zstd.js');
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
await obey(() => decode(file, Number(size)));
