/**
 * Decodes CVC: embedding vectors.
 *
 * @module unspool/cvc
 */
export {
  decodeCvc,
  decodeCvcInto,
  cvcHeader,
  openCvc,
  CvcFile,
  CvcColumn,
  type Checksums,
  type CvcArrays,
  type CvcChunk,
  type CvcData,
  type CvcDecodeOptions,
  type CvcDtype,
  type CvcHeader,
  type CvcReadOptions,
  type CvcRowOptions,
  type CvcSection,
  type CvcVectors,
} from '../cvc.js';
