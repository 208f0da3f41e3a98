// Prints the mean of an array of Zarr 2 with zarr.js: node numcodecs.mjs https://example.com/climate.zarr
import { LZMA, PCodec } from 'unspool/numcodecs';
import { addCodec, openArray } from 'zarr';

for (const codec of [PCodec, LZMA]) addCodec(codec.codecId, () => codec);
const array = await openArray({ store: process.argv[2], mode: 'r' });
const { data, shape } = await array.getRaw();
console.log(shape, data.reduce((sum, value) => sum + Number(value), 0) / data.length);
