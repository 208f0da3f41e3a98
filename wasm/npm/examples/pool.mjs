// Decodes columns of numbers in workers: node pool.mjs https://example.com/prices.pco ...
import { UnspoolPool } from 'unspool/worker';

const pool = new UnspoolPool({ workers: 2 });
const columns = await Promise.all(process.argv.slice(2).map((url) => pool.decodePco(url)));
for (const { dtype, data } of columns) console.log(dtype, data.length);
pool.terminate();
