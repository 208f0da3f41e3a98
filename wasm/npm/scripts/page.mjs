// Copies the built inspector into the package, for `unspool/element`.
import { cp, rm, stat } from 'node:fs/promises';

const [from, to] = ['../../../web-demo/dist/', '../inspector/'].map((path) => new URL(path, import.meta.url));
await stat(new URL('index.html', from)).catch(() => {
  throw new Error('the inspector is not built; type: npm run build --prefix web-demo');
});
await rm(to, { recursive: true, force: true });
await cp(from, to, { recursive: true });
