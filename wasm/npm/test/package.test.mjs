// The published package, in a project outside the repository.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const vector = fileURLToPath(new URL('../../../tests/vectors/cvc/v1_int8.cvc', import.meta.url));
const formats = Object.keys(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).exports)
  .flatMap((path) => path.match(/^\.\/([\w-]+)\.wasm$/)?.[1] ?? []);
const inspectors = formats.filter((name) => !name.endsWith('-stream')).map((name) => `${name}-inspect`);
let project;

const run = (command, args, cwd = project) => execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

before(() => {
  project = mkdtempSync(join(tmpdir(), 'unspool-'));
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', project], root);
  const [tarball] = readdirSync(project).filter((name) => name.endsWith('.tgz'));
  mkdirSync(join(project, 'node_modules'));
  run('tar', ['xzf', tarball, '-C', 'node_modules']);
  run('mv', ['node_modules/package', 'node_modules/unspool']);
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
});
after(() => rmSync(project, { recursive: true, force: true }));

test('packs exactly the files it needs', () => {
  assert.deepEqual(readdirSync(join(project, 'node_modules/unspool')).sort(), [
    'LICENSE-APACHE', 'LICENSE-MIT', 'README.md', 'dist', 'package.json', 'recipes', 'wasm',
  ]);
  const module = ['unspool.d.ts', 'unspool.js', 'unspool_bg.wasm'];
  assert.deepEqual(readdirSync(join(project, 'node_modules/unspool/wasm')).sort(), [...formats, ...inspectors].sort());
  for (const format of [...formats, ...inspectors]) assert.deepEqual(readdirSync(join(project, 'node_modules/unspool/wasm', format)).sort(), module);
});

test('runs after installation, with the module inside and separate', () => {
  for (const [door, init] of [['unspool/cvc', ''], ['unspool/cvc/separate', "await init(readFileSync(new URL(import.meta.resolve('unspool/cvc.wasm'))));"]]) {
    const script = `
      import { readFileSync } from 'node:fs';
      import { decodeCvc, init } from '${door}';
      ${init}
      console.log(decodeCvc(readFileSync(process.argv[1])).shape.join());`;
    assert.equal(run(process.execPath, ['--input-type=module', '-e', script, vector]), '100,16\n');
  }
});

test('runs the snippet of the README of the repository, which prints what it says', () => {
  const page = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const snippets = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, snippet]) => snippet);
  assert.equal(snippets.length, 1);
  writeFileSync(join(project, 'vectors.cvc'), readFileSync(new URL('../../../tests/vectors/cvc/v1_fp16.cvc', import.meta.url)));
  for (const snippet of snippets) {
    const said = [...snippet.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text]) => `${text}\n`);
    assert.ok(said.length > 0);
    assert.equal(run(process.execPath, ['--input-type=module', '-e', snippet]), said.join(''));
  }
});

test('compiles in strict TypeScript with every module resolution', () => {
  writeFileSync(
    join(project, 'use.ts'),
    `import { decode, decodeInto, inspect, open, probe, UnspoolError, type At1QueryOptions, type Decoded, type OpenedFile } from 'unspool';
     import { queryAt1 } from 'unspool/at1';
     import { decodeCvc, openCvc, type CvcVectors } from 'unspool/cvc';
     import { init } from 'unspool/cvc/separate';
     import { nodes, outline, type Inspection } from 'unspool/inspect';
     import { decodeOnPair, openOnPair } from 'unspool/onpair';
     import { decodePco, pcoHeader } from 'unspool/pco';
     import { decodePcoInto, init as initPco } from 'unspool/pco/separate';
     import pcoModule from 'unspool/pco.wasm';
     import { zstdStream, type DecodeStream } from 'unspool/zstd-stream';
     import { UnspoolPool, UnspoolWorker, type Progress } from 'unspool/worker';
     import { withPool, XzLoader } from 'unspool/loaders';
     import { registerCodecs } from 'unspool/zarrita';
     const bytes = new Uint8Array(8);
     const written: number = decodePcoInto(bytes, new Float64Array(4));
     async function away(): Promise<void> {
       await initPco(bytes);
       await initPco(pcoModule);
       const worker = new UnspoolWorker();
       const done = await worker.decode(new Blob([]), { signal: AbortSignal.timeout(1), transfer: true, onProgress: (progress: Progress) => console.log(progress.done) });
       worker[Symbol.dispose]();
       const pool: UnspoolPool = new UnspoolPool({ workers: 2, maxQueue: 10, startTimeout: 1e3 });
       const numbers: Float64Array = (await pool.decodePco('https://example.com/a', { as: 'float64', priority: 1 })).data;
       const mixed = await pool.decodePco(bytes);
       if (mixed.dtype === 'int64') console.log((mixed.data[0] ?? 0n) + 1n);
       const floats: Float32Array = (await pool.decodeCvc(new Blob([]), { as: 'float32', column: 'a', rows: [0, 1] })).data;
       const values: Uint8Array | undefined = (await pool.queryAt1(bytes, { as: 'bytes' })).rows[0]?.[0];
       const texts: string | undefined = (await pool.queryAt1(bytes, { limit: 1, signal: AbortSignal.timeout(1) })).rows[0]?.[0];
       const page: Int32Array | undefined = (await pool.decodePcoPages({ header: bytes, meta: bytes, pages: [{ bytes, count: 1 }], dtype: 'int32' }))[0]?.data;
       const many: number = await pool.decodeInto(bytes, new Float32Array(new SharedArrayBuffer(8)));
       if (pool.room === 0) await pool.ready({ signal: AbortSignal.timeout(1) });
       registerCodecs({ set: () => undefined }, { pool });
       console.log(numbers, floats, values, texts, page, many, withPool(XzLoader, pool).id);
       // @ts-expect-error: no such option
       new UnspoolPool({ size: 2 });
       // @ts-expect-error: no such type
       void pool.decodePco(bytes, { as: 'int32' });
       console.log(done.format, written);
     }
     void away;
     const ask = async (options: At1QueryOptions): Promise<number> => (await queryAt1(bytes, options)).rows.length;
     void ask;
     const stream: DecodeStream = zstdStream({ dictionary: bytes, limits: { maxWindow: 1e6 } });
     const decodedStream: ReadableStream<Uint8Array> = new Blob([bytes]).stream().pipeThrough(stream);
     void decodedStream;
     const floats: Float32Array = decodeCvc(bytes, { as: 'float32' }).data;
     const any: CvcVectors = decodeCvc(bytes, { column: 'a', rows: [0, 1], limits: { maxOutput: 1 } });
     const dimension: number = any.shape[1];
     const rowsOf = async (): Promise<number> => {
     const decoded: Decoded = await decode(bytes, { signal: AbortSignal.timeout(1) });
     const rows: number = decoded.format === 'cvc' ? decoded.columns.length : decoded.format === 'pco' ? decoded.arrays.length : decoded.format === 'at1' ? decoded.files.length : decoded.format === 'onpair' ? decoded.offsets.length - 1 : decoded.bytes.length;
     const found: Inspection = await inspect(bytes);
     for (const { name, part } of nodes(found.structure)) console.log(name.length, part?.length);
     const file: OpenedFile = await open('https://example.com/a');
     if (file.format === 'cvc') console.log(file.vectors.rowCount);
     else if (file.format === 'at1') console.log((await file.query({ limit: 1 })).rows[0]?.[0]?.length);
     else if (file.format === 'zstd') console.log(await new Response(file.stream()).text());
     return rows + (await decodeInto(bytes, new Float32Array(3))) + ((await outline(bytes))?.size ?? 0);
     };
     async function later(): Promise<bigint | number | undefined> {
       await init(new URL('https://example.com/unspool.wasm'));
       const file = await openCvc(new Blob([]), { signal: AbortSignal.timeout(1) });
       return (await file.column('a').rows(0, 1, { checksums: 'skip' })).data[0];
     }
     const found = probe(bytes);
     if (found.format === undefined && found.needed !== undefined) console.log(found.needed + 1);
     try { void later(); } catch (error) { if (error instanceof UnspoolError) console.log(error.code, error.class === 'Checksum'); }
     const strings = decodeOnPair(bytes, { rows: [0, 1] });
     const end: number | undefined = strings.offsets[1];
     const column = openOnPair({ dictBytes: bytes, dictOffsets: new Uint32Array(1), packedCodes: bytes, bits: 12, codeOffsets: new BigUint64Array(1) });
     const first: string = column.text(0) + column.texts(0, 1)[0];
     const found_: Uint32Array = column.search({ startsWith: 'a' });
     const numbers = decodePco(bytes, { limits: { maxOutput: 8 } });
     if (numbers.dtype === 'int64') console.log((numbers.data[0] ?? 0n) + 1n);
     const doubles: Float64Array = decodePco(bytes, { as: 'float64' }).data;
     const total: number = doubles.map((value) => value + 1).reduce((a, b) => a + b, 0);
     const header: number | undefined = pcoHeader(bytes).count;
     console.log(total, header);
     // @ts-expect-error: plain codes have no other width
     openOnPair({ dictBytes: bytes, dictOffsets: new Uint32Array(1), codes: new Uint16Array(1), bits: 12, codeOffsets: new Uint32Array(1) });
     // @ts-expect-error: one or the other
     column.search({ startsWith: 'a', contains: 'b' });
     console.log(strings.bytes, end, first, found_);
     void decode(bytes, { limits: { maxOutput: undefined }, dictionary: undefined });
     // @ts-expect-error: a string is no bytes
     void decode('CVCF');
     console.log(floats, dimension, rowsOf);`,
  );
  // Every module has a type, which its own `init` takes.
  const modules = formats.map((name, at) => `import { init as init${at} } from 'unspool/${name}/separate'; import module${at} from 'unspool/${name}.wasm'; void init${at}(module${at});`);
  assert.equal(modules.length, 10);
  writeFileSync(join(project, 'modules.ts'), modules.join('\n'));
  for (const [module, resolution] of [['NodeNext', 'NodeNext'], ['ESNext', 'Bundler']]) check('ES2022,DOM', module, resolution, 'use.ts', 'modules.ts');
});

test('types half floats, Blob parts and shared memory correctly', () => {
  const body = `import { decodeInto } from 'unspool';
    import { decodeCvc } from 'unspool/cvc';
    import { decodeOnPair, OnPairColumn } from 'unspool/onpair';
    import { decodePco, DEFAULT_LIMITS, type PcoArrays } from 'unspool/pco';
    import { decodeXz } from 'unspool/xz';
    const bits: PcoArrays['float16'] = new Uint16Array(1);
    const bytes = new Uint8Array(1);
    new Blob([decodePco(bytes).data, decodeCvc(bytes).data, decodeXz(bytes), decodeOnPair(bytes).bytes, bits]);
    void decodeInto(bytes, new Int32Array(new SharedArrayBuffer(8)));
    // @ts-expect-error: nobody changes them
    DEFAULT_LIMITS.maxOutput = 1;
    // @ts-expect-error: it is opened
    new OnPairColumn(() => ({}));`;
  writeFileSync(join(project, 'old-lib.ts'), body);
  writeFileSync(join(project, 'new-lib.ts'), `${body}
    const halves: PcoArrays['float16'] = new Float16Array(1);
    if (decodeCvc(bytes).dtype === 'float16') void decodeInto(bytes, halves);`);
  check('ES2022,DOM', 'ESNext', 'Bundler', 'old-lib.ts');
  check('ESNext,DOM', 'ESNext', 'Bundler', 'new-lib.ts');
});

test('compiles in Node without DOM types', () => {
  writeFileSync(
    join(project, 'node.ts'),
    `import { decode, inspect, open } from 'unspool';
     import { openCvc } from 'unspool/cvc';
     import { init } from 'unspool/cvc/separate';
     import { zstdStream } from 'unspool/zstd-stream';
     import module from 'unspool/pco.wasm';
     import { UnspoolWorker } from 'unspool/worker';
     void init(new Uint8Array(1));
     console.log(new UnspoolWorker(), decode, inspect, open, openCvc, zstdStream, module);`,
  );
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  check('ES2023', 'NodeNext', 'NodeNext', 'node.ts', ...types);
  writeFileSync(
    join(project, 'browser.ts'),
    `import { init } from 'unspool/cvc/separate';
     import { UnspoolWorker } from 'unspool/worker';
     export const worker = new UnspoolWorker({ start: () => new Worker('host.js') });
     export const started = init(WebAssembly.compile(new Uint8Array(1)));
     // @ts-expect-error: that is none
     new UnspoolWorker({ start: () => 7 });`,
  );
  check('ES2023,DOM', 'ESNext', 'Bundler', 'browser.ts');
});

function check(lib, module, resolution, ...files) {
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'ES2022', ...(files.includes('--types') ? [] : ['--types', '']), '--lib', lib, '--module', module, '--moduleResolution', resolution];
  try {
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...options, ...files]);
  } catch ({ stdout }) {
    assert.fail(stdout);
  }
}

const pages = ['README.md', ...readdirSync(join(root, 'recipes')).map((name) => `recipes/${name}`)];

/** Returns the snippets of a page in JavaScript or TypeScript, by section. */
function snippetsOf(page) {
  const sections = readFileSync(join(root, page), 'utf8').split(/^## /m);
  return sections.map((section) => [...section.matchAll(/^```(?:js|ts)\n(.*?)^```/gms)].map(([, snippet]) => snippet));
}

test('compiles every snippet of the README and the recipes in strict TypeScript', () => {
  writeFileSync(
    join(project, 'given.d.ts'),
    `declare module '*?url' { const url: string; export default url; }
     declare const bytes: Uint8Array, page: Uint8Array, header: Uint8Array, meta: Uint8Array, dictionary: Uint8Array;
     declare const file: File, signal: AbortSignal;
     declare const handle: { getSize(): number; read(to: Uint8Array, options: { at: number }): number };
     declare const dictBytes: Uint8Array, dictOffsets: Uint32Array, codes: Uint16Array, packedCodes: Uint8Array, codeOffsets: Uint32Array;
     declare const pieces: AsyncIterable<{ data: Float32Array }>, another: import('unspool/stats').RunningStatistics;`,
  );
  const files = [];
  for (const snippet of pages.flatMap(snippetsOf).flat()) {
    const imports = [...snippet.matchAll(/^import .*$/gm)].map(([line]) => line);
    const rest = snippet.replace(/^import .*$/gm, '');
    files.push(`snippet-${files.length}.ts`);
    writeFileSync(join(project, files.at(-1)), rest.includes('export default') ? snippet : [...imports, '{', rest, '}', 'export {};'].join('\n'));
  }
  assert.ok(files.length > 30);
  // The types of the libraries themselves are not checked.
  cpSync(join(root, 'test/adapters/node_modules'), join(project, 'node_modules'), { recursive: true });
  check('ES2022,ESNext.Disposable,DOM,DOM.AsyncIterable', 'ESNext', 'Bundler', 'given.d.ts', ...files, '--skipLibCheck');
});

test('runs every snippet of the README', async () => {
  const vectors = new URL('../../../tests/vectors/', import.meta.url);
  const served = { 'prices.pco': 'pco/assets/v1_0_0_dict.pco', 'vectors.cvc': 'cvc/med_fp16.cvc', 'log.zst': 'zstd/rfc8878/text-1025.zst' };
  const server = createServer(({ url, headers }, response) => {
    const bytes = readFileSync(new URL(served[url.slice(1)], vectors));
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    if (start === undefined) return response.end(bytes);
    const part = bytes.subarray(Number(start), Number(end) + 1);
    return response.writeHead(206, { 'Content-Range': `bytes ${start}-${Number(start) + part.length - 1}/${bytes.length}` }).end(part);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const address = `http://127.0.0.1:${server.address().port}`;
    const numbers = fileURLToPath(new URL('pco/assets/v1_0_0_conv1.pco', vectors));
    const given = `import { readFileSync } from 'node:fs'; const bytes = readFileSync(${JSON.stringify(numbers)}); const page = readFileSync(${JSON.stringify(vector)}); page[page.length - 1] ^= 1;`;
    const snippets = snippetsOf('README.md').flat();
    assert.equal(snippets.length, 5);
    const outputs = [];
    for (const [index, snippet] of snippets.entries()) {
      const script = join(project, `run-${index}.mjs`);
      writeFileSync(script, `${given}\n${snippet.replaceAll('https://example.com', address)}`);
      outputs.push((await promisify(execFile)(process.execPath, [script], { cwd: project })).stdout);
    }
    assert.match(outputs[0], /Array\(\d+\) \[/);
    assert.match(outputs[3], /^-?\d+\n$/);
    assert.match(outputs[4], /^checksum mismatch at byte \d+: .*\nCvcCrc \d+\nchunk \d+ › crc-32\n$/);
  } finally {
    server.close();
  }
});

test('documents every export', () => {
  const dist = join(project, 'node_modules/unspool/dist');
  const declarations = readdirSync(dist, { recursive: true }).filter((path) => /^(?!errors|inlined).*\.d\.ts$/.test(path));
  const silent = declarations.flatMap((path) => {
    const lines = readFileSync(join(dist, path), 'utf8').split('\n');
    return lines.filter((line, at) => /^export (declare|interface|type \w+[ <])/.test(line) && !lines[at - 1].endsWith('*/')).map((line) => `${path}: ${line}`);
  });
  assert.ok(declarations.length > 20);
  assert.deepEqual(silent, []);
});
