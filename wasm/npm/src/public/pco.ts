export {
  decodePco, decodePcoInto, decodePcoPages, type PcoArray, type PcoData, type PcoDecodeOptions, type PcoDtype, type PcoPage, type PcoWrapped,
} from '../pco.js';
