// Removes the last build from dist, so that no file without a source is packed.
import { rm } from 'node:fs/promises';

await rm(new URL('../dist/', import.meta.url), { recursive: true, force: true });
