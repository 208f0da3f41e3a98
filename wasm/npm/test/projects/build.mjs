// Packs the package as npm would publish it, and builds a fresh project with it for every bundler.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const npm = fileURLToPath(new URL('../..', import.meta.url));
const vectors = new URL('../../../../tests/vectors/', import.meta.url);
const run = (command, args, cwd) => execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** The expected report of each project. */
export const EXPECTED = { shape: [100, 16], numbers: 2000, refusal: 'Truncated', streamed: 'unspool unspool unspool' };

/** The expected report of the pool of each page. */
export const EXPECTED_OF_POOL = { shapes: [[100, 16], [100, 16]], numbers: 2000, same: true, aborted: ['AbortError', 'AbortError'], refusal: [true, 'Truncated'], after: 2000 };

/** The projects. Each function builds one in its folder to a page `dist/index.html`. */
const PROJECTS = {
  async vite(dir) {
    const { build } = await import('vite');
    writeFileSync(join(dir, 'index.html'), html('./page.js'));
    await build({ root: dir, base: './', logLevel: 'error', build: { target: 'es2022' } });
  },
  webpack: async (dir) => pack(dir, (await import('webpack')).default, { experiments: { outputModule: true } }),
  rspack: async (dir) => pack(dir, (await import('@rspack/core')).rspack, {}),
  async esbuild(dir) {
    const { build } = await import('esbuild');
    const result = await build({
      absWorkingDir: dir, entryPoints: { page: 'page-with-host.js', host: 'host.js' }, outdir: 'dist', bundle: true, splitting: true, format: 'esm', minify: true, logLevel: 'silent',
    });
    if (result.warnings.length > 0) throw new Error(JSON.stringify(result.warnings));
    writeFileSync(join(dir, 'dist/index.html'), html('./page.js'));
  },
  async rollup(dir) {
    const { rollup } = await import('rollup');
    const { default: resolve } = await import('@rollup/plugin-node-resolve');
    const onLog = (level, { message }) => {
      throw new Error(`${level}: ${message}`);
    };
    for (const [name, input] of [['page', 'page-with-host.js'], ['host', 'host.js']]) {
      const bundle = await rollup({ input: { [name]: join(dir, input) }, plugins: [resolve({ rootDir: dir })], onLog });
      await bundle.write({ dir: join(dir, 'dist'), format: 'es' });
      await bundle.close();
    }
    writeFileSync(join(dir, 'dist/index.html'), html('./page.js'));
  },
  async html(dir) {
    // No bundler: an import map locates the package.
    cpSync(join(dir, 'node_modules/unspool'), join(dir, 'dist/unspool'), { recursive: true });
    for (const file of ['app.js', 'page.js', 'pool.js', 'files.js']) cpSync(join(dir, file), join(dir, 'dist', file));
    const imports = {
      unspool: './unspool/dist/index.js',
      'unspool/cvc': './unspool/dist/entries/cvc.js',
      'unspool/pco': './unspool/dist/entries/pco.js',
      'unspool/xz-stream': './unspool/dist/entries/xz-stream.js',
      'unspool/worker': './unspool/dist/worker/index.js',
    };
    writeFileSync(join(dir, 'dist/index.html'), html('./page.js', `<script type="importmap">${JSON.stringify({ imports })}</script>`));
  },
  async node(dir) {
    cpSync(join(dir, 'app.js'), join(dir, 'dist/page.js'));
    cpSync(join(dir, 'files.js'), join(dir, 'dist/files.js'));
  },
};

/** Builds with webpack, or with Rspack, which has the same interface. */
async function pack(dir, bundler, options) {
  const compiler = bundler({
    context: dir,
    mode: 'production',
    entry: './page.js',
    output: { path: join(dir, 'dist'), filename: 'page.js', module: true, publicPath: 'auto' },
    performance: { hints: false },
    ...options,
  });
  const stats = await new Promise((resolve, reject) => compiler.run((error, stats) => (error ? reject(error) : resolve(stats))));
  await new Promise((resolve) => compiler.close(resolve));
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  if (errors.length + warnings.length > 0) throw new Error([...errors, ...warnings].map(({ message }) => message).join('\n'));
  writeFileSync(join(dir, 'dist/index.html'), html('./page.js'));
}

/** Builds projects in this folder, by default all of them. Returns their names. */
export async function buildAll(root, names = Object.keys(PROJECTS)) {
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', root], npm);
  const tarball = readdirSync(root).find((name) => name.endsWith('.tgz'));
  const base64 = (path) => readFileSync(new URL(path, vectors)).toString('base64');
  const files = { cvc: 'cvc/v1_int8.cvc', pco: 'pco/assets/v1_0_0_conv1.pco', xz: 'xz/unspool.xz' };
  const lines = Object.entries(files).map(([name, path]) => `export const ${name} = Uint8Array.from(atob('${base64(path)}'), (letter) => letter.charCodeAt(0));`);
  for (const name of names) {
    const dir = join(root, name);
    mkdirSync(join(dir, 'node_modules'), { recursive: true });
    mkdirSync(join(dir, 'dist'));
    writeFileSync(join(dir, 'package.json'), JSON.stringify({ name, private: true, type: 'module', dependencies: { unspool: `file:../${tarball}` } }));
    run('npm', ['install', '--offline', '--no-audit', '--no-fund'], dir);
    for (const file of ['app.js', 'page.js', 'page-with-host.js', 'pool.js', 'host.js']) cpSync(join(here, file), join(dir, file));
    writeFileSync(join(dir, 'files.js'), lines.join('\n'));
    await PROJECTS[name](dir);
  }
  return names;
}

function html(script, head = '') {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><title>wait</title>${head}<script type="module" src="${script}"></script></head><body></body></html>`;
}

/** Runs a built file in a Node process of its own, and returns its report. */
export function reportInNode(file) {
  const script = `const { run } = await import(${JSON.stringify(pathToFileURL(file))}); console.log(JSON.stringify(await run()));`;
  return JSON.parse(run(process.execPath, ['--input-type=module', '-e', script], here));
}
