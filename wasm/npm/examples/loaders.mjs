// Loads a column of numbers: node loaders.mjs https://example.com/prices.pco
import { load } from '@loaders.gl/core';
import { PcoLoader } from 'unspool/loaders';

const { arrays } = await load(process.argv[2], PcoLoader);
for (const { dtype, data } of arrays) console.log(dtype, data.length);
