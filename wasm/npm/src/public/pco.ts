export { decodePco, decodePcoInto, type PcoArray, type PcoData, type PcoDecodeOptions, type PcoDtype } from '../pco.js';
