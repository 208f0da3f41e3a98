// Loading the wasm module, and its error numbers.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { decodeCvc, DEFAULT_LIMITS, errorTable, inspect } from './all.mjs';
import { read, text, valid } from './vectors.mjs';

const entry = valid.find(({ name }) => name === 'v1_int8');
const bytes = read(entry.file);

test('has the error numbers, names and classes of the core', () => {
  const source = readFileSync(new URL('../../../core/src/error.rs', import.meta.url), 'utf8');
  const rows = [...source.matchAll(/^ {4}(\d+) (\w+) (\w+) "([^"]+)"$/gm)];
  assert.ok(rows.length > 40);
  assert.deepEqual(
    errorTable().map(({ code, name, class: class_, words }) => [String(code), name, class_, words]),
    rows.map(([, code, name, class_, words]) => [code, name, class_, words]),
  );
});

test('never changes the number or the class of an error', () => {
  // A new error adds a line; no line may change.
  const golden = text('golden/errors.txt').trimEnd().split('\n');
  assert.ok(golden.length > 170, String(golden.length));
  assert.deepEqual(errorTable().map(({ code, name, class: class_ }) => `${code} ${name} ${class_}`), golden);
  const header = readFileSync(new URL('../../../capi/include/unspool/common.h', import.meta.url), 'utf8');
  const inC = [...header.matchAll(/^#define UNSPOOL_ERROR_(\w+) (\d+)u$/gm)].map(([, name, code]) => `${code} ${name.replaceAll('_', '')}`);
  assert.deepEqual(inC.sort(), errorTable().map(({ code, name }) => `${code} ${name.toUpperCase()}`).sort(), 'the same in C');
});

test('documents every class of errors', () => {
  const page = readFileSync(new URL('../recipes/errors.md', import.meta.url), 'utf8');
  const documented = [...page.matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(documented.filter((name) => name !== 'Internal').sort(), [...new Set(errorTable().map(({ class: class_ }) => class_))].sort());
});

test('has the default limits that it documents, and those of the core', () => {
  const source = readFileSync(new URL('../../../core/src/limits.rs', import.meta.url), 'utf8');
  const [, core] = /DEFAULT: Self = Self \{([^}]+)\}/.exec(source);
  const names = [...core.matchAll(/(\w+): (\d+)(?: << (\d+))?,/g)].map(([, name, number, shift = 0]) => [name.replace(/_(.)/, (_, letter) => letter.toUpperCase()), number * 2 ** shift]);
  // A typed array holds less than the core decodes; the core reads no server.
  assert.deepEqual({ ...Object.fromEntries(names), maxOutput: 2 ** 32 - 1, maxInput: 2 ** 32 - 1 }, { ...DEFAULT_LIMITS });
  const { maxWindow, maxHeader, maxElements, maxColumns } = DEFAULT_LIMITS;
  assert.deepEqual([maxWindow, maxHeader, maxElements, maxColumns], [128 * 2 ** 20, 256 * 2 ** 20, 2 ** 24, 4096]);
});

test('does not grow memory over a thousand calls', () => {
  const start = process.memoryUsage().rss;
  for (let round = 0; round < 1000; round++) {
    decodeCvc(bytes);
    inspect(bytes);
    try {
      decodeCvc(bytes.subarray(0, 1000));
      assert.fail('truncated');
    } catch (error) {
      assert.equal(error.name, 'Truncated');
    }
  }
  assert.ok(process.memoryUsage().rss - start < 100e6);
});

for (const [what, source] of Object.entries({
  'a module': 'new WebAssembly.Module(wasm)',
  bytes: 'wasm',
  'an ArrayBuffer': 'wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length)',
  nothing: '',
  'a promise': 'Promise.resolve(wasm)',
  'a data URL': "'data:application/wasm;base64,' + wasm.toString('base64')",
  'a Response': "new Response(wasm, { headers: { 'Content-Type': 'application/wasm' } })",
})) {
  test(`initialises from ${what}`, () => {
    // 'unspool/cvc/separate' proves that the module has no other origin.
    const entry = source === '' ? 'unspool/cvc' : 'unspool/cvc/separate';
    assert.equal(
      inNode(`
        import { decodeCvc, init } from '${entry}';
        import { readFileSync } from 'node:fs';
        const wasm = readFileSync(new URL(import.meta.resolve('unspool/cvc.wasm')));
        await Promise.all([init(${source}), init(${source})]);
        console.log(decodeCvc(readFileSync(process.argv[1])).shape.join());`),
      '100,16\n',
    );
  });
}

test('refuses an argument of init that is not a module', () => {
  const script = "import { init } from 'unspool/cvc/separate'; await init(42).catch((error) => console.log(error.message));";
  assert.match(inNode(script), /^init expects a WebAssembly.Module/);
});

test('refuses the module of another entry, and explains how to pass a path', () => {
  const script = `
    import { decodeCvc, init } from 'unspool/cvc/separate';
    import { readFileSync } from 'node:fs';
    const file = (name) => new URL(import.meta.resolve('unspool/' + name + '.wasm'));
    const empty = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);
    for (const wrong of [empty, new WebAssembly.Module(empty), readFileSync(file('pco')), file('cvc'), String(file('cvc')), 'unspool.wasm'])
      await init(wrong).catch(({ name, message }) => console.log(name, message.replace(/file:.*unspool_bg/, 'unspool')));
    await init(readFileSync(file('cvc')));
    console.log(decodeCvc(readFileSync(process.argv[1])).shape.join());`;
  const other = /^TypeError the wasm module does not match this entry of unspool: it lacks \w+$/;
  const path = /^TypeError unspool.wasm cannot be fetched; in Node, pass the bytes: await init\(await readFile\(url\)\)$/;
  const said = inNode(script).trimEnd().split('\n');
  for (const [at, words] of [other, other, other, path, path, path, /^100,16$/].entries()) assert.match(said[at] ?? '', words);
});

test('can retry a failed init, even while another one runs', () => {
  const script = `
    import { decodeCvc, init } from 'unspool/cvc/separate';
    import { readFileSync } from 'node:fs';
    const wasm = readFileSync(new URL(import.meta.resolve('unspool/cvc.wasm')));
    let compiled = 0;
    const { compile } = WebAssembly;
    WebAssembly.compile = (bytes) => (compiled++, compile(bytes));
    const all = await Promise.allSettled([init(new Uint8Array(4)), init(wasm), init(wasm), init(Promise.reject(new Error('offline')))]);
    console.log(all.map(({ status }) => status).join(), compiled, decodeCvc(readFileSync(process.argv[1])).shape.join());`;
  assert.equal(inNode(script), 'rejected,fulfilled,fulfilled,rejected 2 100,16\n');
});

test('instantiates a large module in init if the engine cannot do so synchronously', () => {
  const script = `
    import { decodeCvc, init } from 'unspool/cvc';
    import { readFileSync } from 'node:fs';
    const construct = () => { throw new RangeError('disallowed on the main thread'); };
    WebAssembly.Instance = new Proxy(WebAssembly.Instance, { construct });
    await init();
    console.log(decodeCvc(readFileSync(process.argv[1])).shape.join());`;
  assert.equal(inNode(script), '100,16\n');
});

/** Runs a module in a process of its own. Returns its output. */
function inNode(script) {
  const vector = fileURLToPath(new URL(`../../../tests/vectors/cvc/${entry.file}`, import.meta.url));
  return execFileSync(process.execPath, ['--input-type=module', '-e', script, vector], {
    cwd: new URL('.', import.meta.url),
    encoding: 'utf8',
  });
}

test('runs where collected objects cannot be observed', () => {
  const script = `
    delete globalThis.FinalizationRegistry;
    delete globalThis.WeakRef;
    const { decodeCvc } = await import('unspool/cvc');
    const { openOnPair } = await import('unspool/onpair');
    await (await import('unspool/inspect')).loadInspector('cvc');
    const { readFileSync } = await import('node:fs');
    const bytes = readFileSync(process.argv[1]);
    console.log(decodeCvc(bytes).shape.join());
    try { decodeCvc(bytes.subarray(0, 1000)); } catch ({ name, part }) { console.log(name, part); }
    const codeOffsets = Uint32Array.of(0, 1);
    const column = openOnPair({ dictBytes: Uint8Array.of(120), dictOffsets: Uint32Array.of(0, 1), codes: new Uint16Array(1), codeOffsets });
    console.log(column.text(0));
    column.release();`;
  assert.equal(inNode(script), '100,16\nTruncated undefined\nx\n');
});

test("reports that 'unspool/cvc/separate' has no module", () => {
  const script = `
    import { decodeCvc, init } from 'unspool/cvc/separate';
    import { readFileSync } from 'node:fs';
    const bytes = readFileSync(process.argv[1]);
    try { decodeCvc(bytes); } catch (error) { console.log(error.message); }
    await init(readFileSync(new URL(import.meta.resolve('unspool/cvc.wasm'))));
    console.log(decodeCvc(bytes).shape.join());`;
  assert.match(inNode(script), /await init\(url\) first\n100,16\n/);
});

test('contains no path of the build machine', () => {
  for (const path of readdirSync(new URL('../wasm/', import.meta.url)).map((name) => `wasm/${name}/unspool_bg.wasm`)) {
    const text = readFileSync(new URL(`../${path}`, import.meta.url), 'latin1');
    assert.equal(/\/(home|root|Users|tmp|work)\//.exec(text), null, path);
  }
});
