// One decoder of Pco in Node, on one file whose numbers have the type that this byte stands for: `node pco.mjs DECODER FILE TYPE`.
import { readFileSync } from 'node:fs';
import { obey } from './orders.mjs';

const decoders = {
  async unspool() {
    const { decodePco } = await import('../../../wasm/npm/dist/entries/pco.js');
    return (file) => decodePco(file);
  },
  // The crate that defines the format, as it would be used from JavaScript: in and out by one copy each.
  async reference() {
    const module = await WebAssembly.compile(readFileSync(new URL('pco_reference.wasm', import.meta.url)));
    const { memory, input, decode, output_len, free } = (await WebAssembly.instantiate(module, {})).exports;
    return (file, type) => {
      const to = input(file.length);
      new Uint8Array(memory.buffer, to, file.length).set(file);
      const from = decode(type);
      if (from === 0) throw new Error('the reference refuses the file');
      const numbers = new Uint8Array(memory.buffer.slice(from, from + output_len()));
      free();
      return numbers;
    };
  },
};

const [name, path, type] = process.argv.slice(2);
const [decode, file] = [await decoders[name](), new Uint8Array(readFileSync(path))];
await obey(() => decode(file, Number(type)));
