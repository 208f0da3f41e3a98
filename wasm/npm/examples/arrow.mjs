// Prints a column as Arrow: node arrow.mjs https://example.com/prices.pco
import { tableFromIPC } from 'apache-arrow';
import { decode } from 'unspool';
import { toArrowIPC } from 'unspool/arrow';

const response = await fetch(process.argv[2]);
const table = tableFromIPC(toArrowIPC(await decode(await response.arrayBuffer())));
console.log(String(table.schema), table.numRows);
