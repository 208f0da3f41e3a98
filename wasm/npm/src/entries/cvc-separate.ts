// CVC alone, without its wasm module: `await init(url)` first.
import * as glue from '../../wasm/cvc/unspool.js';
import cvc from '../errors/cvc.js';
import general from '../errors/general.js';
import json from '../errors/json.js';
import { moveIn } from '../instance.js';

export const init = moveIn('cvc', glue, general, cvc, json);

export * from '../common.js';
export * from '../public/cvc.js';
