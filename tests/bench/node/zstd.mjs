// Zstandard decoders in Node, on one frame: `node zstd.mjs FILE SIZE`.
import { readFileSync } from 'node:fs';
import { decompress, init } from '@bokuweb/zstd-wasm';
import * as fzstd from 'fzstd';
import { decodeZstd } from '../../../wasm/npm/dist/entries/zstd.js';
import { ZSTDDecoder } from 'zstddec';
import { obey } from './orders.mjs';

const [path, size] = [process.argv[2], Number(process.argv[3])];
const file = new Uint8Array(readFileSync(path));
const decoder = new ZSTDDecoder();
await decoder.init();
await init();
await obey({
  unspool: () => decodeZstd(file),
  zstddec: () => decoder.decode(file, size),
  'zstd-wasm': () => decompress(file),
  fzstd: () => fzstd.decompress(file),
});
