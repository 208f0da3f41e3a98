/**
 * Decodes Pco: columns of numbers.
 *
 * @module unspool/pco
 */
export {
  decodePco, decodePcoInto, decodePcoPages, pcoHeader, type PcoArray, type PcoArrays, type PcoData, type PcoDecodeOptions, type PcoDtype, type PcoHeader, type PcoOptions, type PcoPage, type PcoSalvage,
  type PcoWrapped, salvagePco,
} from '../pco.js';
