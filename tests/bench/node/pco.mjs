// Pco decoders in Node, on one file whose number type is the byte TYPE: `node pco.mjs FILE TYPE`.
import { readFileSync } from 'node:fs';
import { decodePco } from '../../../wasm/npm/dist/entries/pco.js';
import { obey } from './orders.mjs';

const [path, type] = [process.argv[2], Number(process.argv[3])];
const file = new Uint8Array(readFileSync(path));
const module = await WebAssembly.compile(readFileSync(new URL('pco_reference.wasm', import.meta.url)));
const { memory, input, decode, output_len, release } = (await WebAssembly.instantiate(module, {})).exports;

/** The reference crate, as JavaScript would use it: one copy in and one copy out. */
function reference() {
  const to = input(file.length);
  new Uint8Array(memory.buffer, to, file.length).set(file);
  const from = decode(type);
  if (from === 0) throw new Error('the reference refuses the file');
  const numbers = new Uint8Array(memory.buffer.slice(from, from + output_len()));
  release();
  return numbers;
}

await obey({ unspool: () => decodePco(file).data, reference });
