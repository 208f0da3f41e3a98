// Decodes in `workerd`, with a module that was compiled at deployment.
import { decode, UnspoolError } from 'unspool';
import { decodePco, init } from 'unspool/pco/separate';
import module from 'unspool/pco.wasm';
import { pco } from './files.js';

export default {
  async test() {
    await init(module);
    const { dtype, data } = decodePco(pco);
    const lazy = await decode(pco);
    const refused = await decode(pco.subarray(0, 100)).catch((error) => error);
    const report = [dtype, data.length, lazy.arrays[0].data.length, refused instanceof UnspoolError, refused.name].join();
    if (report !== 'int32,2000,2000,true,Truncated') throw new Error(report);
    console.log(report);
  },
};
