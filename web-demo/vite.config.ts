/// <reference types="node" />
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

/** The policy of the page: no script, style or image from elsewhere, and no form. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "worker-src 'self'",
  // A visitor may enter the address of a file on any server. The tests check that nothing else is
  // requested.
  "connect-src 'self' https: http:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/**
 * Adds the policy to the built page only: the development server injects styles and connects to
 * itself.
 */
const policy: Plugin = {
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: () => [
    { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY }, injectTo: 'head-prepend' },
  ],
};

/** Lets browsers install the page, and open files with it. */
const manifest: Plugin = {
  name: 'manifest',
  apply: 'build',
  transformIndexHtml: { order: 'post', handler: () => [{ tag: 'link', attrs: { rel: 'manifest', href: './manifest.webmanifest' }, injectTo: 'head' }] },
  generateBundle(_, bundle) {
    const icon = Object.keys(bundle).find((file) => /(^|\/)icon-.*\.svg$/.test(file));
    if (icon === undefined) throw new Error('the page has no icon');
    const about = {
      name: 'unspool inspector',
      short_name: 'unspool',
      description: 'See what is inside a compressed file, where its bytes go, and what is broken.',
      id: './',
      start_url: './',
      scope: './',
      display: 'standalone',
      background_color: '#faf9f6',
      theme_color: '#faf9f6',
      icons: [{ src: icon, sizes: 'any', type: 'image/svg+xml', purpose: 'any' }],
      launch_handler: { client_mode: ['focus-existing', 'auto'] },
      file_handlers: [
        {
          action: './',
          accept: {
            'application/octet-stream': ['.cvc', '.pco', '.onp', '.at1'],
            'application/zstd': ['.zst'],
            'application/x-xz': ['.xz'],
            'application/x-lzma': ['.lzma'],
            'application/gzip': ['.gz'],
          },
          launch_type: 'single-client',
        },
      ],
    };
    this.emitFile({ type: 'asset', fileName: 'manifest.webmanifest', source: JSON.stringify(about, undefined, 2) });
  },
};

/** Makes the page work offline: a service worker keeps all of its files. */
const offline: Plugin = {
  name: 'offline',
  apply: 'build',
  generateBundle(_, bundle) {
    const files = ['./', ...Object.keys(bundle).filter((file) => file !== 'index.html')];
    const version = createHash('sha256').update(files.join()).update(JSON.stringify(POLICY)).digest('hex').slice(0, 16);
    const source = readFileSync(new URL('src/offline.js', import.meta.url), 'utf8');
    const head = `const VERSION = ${JSON.stringify(version)};\nconst FILES = ${JSON.stringify(files)};\n`;
    this.emitFile({ type: 'asset', fileName: 'offline.js', source: head + source });
  },
};

/** Answers `/compare?a=…&b=…` on servers that add `.html`: with a copy of the page. */
const compare: Plugin = {
  name: 'compare',
  apply: 'build',
  writeBundle({ dir = '' }) {
    copyFileSync(`${dir}/index.html`, `${dir}/compare.html`);
  },
};

/**
 * All texts are in one file. A chunk takes those that it uses: each export is a module of its own.
 */
const words = (): Plugin => ({
  name: 'words',
  apply: 'build',
  enforce: 'pre',
  load(id) {
    const [path = '', wanted] = id.split('?');
    if (wanted === undefined || !path.endsWith('/src/words.ts')) return;
    // What nothing uses is then left out.
    return readFileSync(path, 'utf8').replace(/^export (?=const (\w+))/gm, (all, name) => (name === wanted ? all : ''));
  },
  transform(code, id) {
    if (!/\/src\/.*\.tsx?$/.test(id)) return;
    const taken = (names: string, path: string) => names.split(', ').map((name) => `import { ${name} } from '${path}.ts?${name.split(' ')[0]}';`).join(' ');
    const split = code.replace(/^import \{ (.*) \} from '(.*\/words)';$/gm, (_, names, path) => taken(names, path));
    if (split.includes("/words'")) throw new Error(`${id}: import words in one line, by name`);
    return { code: split, map: null };
  },
});

/** Matches modules by folder and name, and texts by the names of their exports. */
function among({ words = '', ...folders }: Record<string, string>): RegExp {
  const any = (names: string): string => `(${names.replaceAll(' ', '|')})`;
  return new RegExp([`/words\\.ts\\?${any(words)}$`, ...Object.entries(folders).map(([folder, names]) => `/${folder}/${any(names)}\\.[jt]sx?$`)].join('|'));
}

export default defineConfig({
  // Relative addresses: the page works from any folder of any server.
  base: './',
  plugins: [words(), policy, manifest, offline, compare],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What every open file shows, and what most views of values share.
            {
              name: 'shown',
              includeDependenciesRecursively: false,
              test: among({
                src: 'data/across data/export data/rows data/selection data/sorting formats/about formats/latents formats/named structure/overview tools/cancel tools/copy-link tools/number-field tools/passing tools/pieces tools/refused tools/virtual trace/going',
                words: 'data facts formats jobs problem saving sorting verdict',
              }),
            },
          ],
        },
      },
    },
  },
  worker: {
    format: 'es',
    plugins: () => [words()],
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What a worker loads before there is a file. Small modules of most formats are here:
            // each would be a request that follows another one.
            {
              name: 'base',
              includeDependenciesRecursively: false,
              test: among({
                'npm/dist': 'abort answer blob bytes check check-numbers error error-table errors/detection errors/general formats half index inspectors instance join limits probe ready salvage source-error structure text trap',
                src: 'arrive/remote current format formats/column formats/index formats/named tools/progress',
                words: 'dictionary facts network',
              }),
            },
          ],
        },
      },
    },
  },
  server: { fs: { allow: ['..'] } },
  // The package is linked from the workspace, and changes during development.
  optimizeDeps: { exclude: ['unspool'] },
});
