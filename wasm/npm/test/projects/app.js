// A first program with the package. Each bundler builds it, and a browser or Node runs the result.
import { decode, inspect, UnspoolError } from 'unspool';
import { decodeCvc } from 'unspool/cvc';
import { decodePco } from 'unspool/pco';
import { xzStream } from 'unspool/xz-stream';
import { cvc, pco, xz } from './files.js';

export async function run() {
  const { data, shape } = decodeCvc(cvc);
  const { data: numbers } = decodePco(pco, { as: 'float64' });
  let refusal;
  try {
    await decode(cvc.subarray(0, 1000));
  } catch (error) {
    if (error instanceof UnspoolError) refusal = error.name;
  }
  return {
    shape,
    first: data[0],
    numbers: numbers.length,
    sum: numbers.reduce((sum, number) => sum + number, 0),
    fields: (await inspect(cvc)).structure.length,
    refusal,
    streamed: await new Response(new Blob([xz]).stream().pipeThrough(xzStream())).text(),
  };
}
