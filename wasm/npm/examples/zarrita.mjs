// Prints the mean of an array of Zarr: node zarrita.mjs https://example.com/climate.zarr
import { registerCodecs } from 'unspool/zarrita';
import * as zarr from 'zarrita';

registerCodecs(zarr.registry);
const array = await zarr.open(new zarr.FetchStore(process.argv[2]), { kind: 'array' });
const { data, shape } = await zarr.get(array);
console.log(shape, data.reduce((sum, value) => sum + Number(value), 0) / data.length);
