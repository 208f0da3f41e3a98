export {
  decodePco, decodePcoInto, decodePcoPages, type PcoArray, type PcoArrays, type PcoData, type PcoDecodeOptions, type PcoDtype, type PcoPage, type PcoWrapped,
} from '../pco.js';
