// Removes what the last build left in dist: a file whose source is gone must not be packed.
import { rm } from 'node:fs/promises';

await rm(new URL('../dist/', import.meta.url), { recursive: true, force: true });
