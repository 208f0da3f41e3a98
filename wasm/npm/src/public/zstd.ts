export { decodeZstd, decodeZstdInto, type ZstdDecodeOptions, type ZstdFormat } from '../zstd.js';
