// Prints the first rows of a Parquet file: node hyparquet.mjs https://example.com/table.parquet
import { asyncBufferFromUrl, parquetReadObjects } from 'hyparquet';
import { compressors } from 'unspool/hyparquet';

const file = await asyncBufferFromUrl({ url: process.argv[2] });
console.log(await parquetReadObjects({ file, compressors, rowEnd: 2 }));
