export {
  decodePco, decodePcoInto, decodePcoPages, type PcoArray, type PcoArrays, type PcoData, type PcoDecodeOptions, type PcoDtype, type PcoPage, type PcoSalvage,
  type PcoWrapped, salvagePco,
} from '../pco.js';
