export { decodeZstd, decodeZstdInto, zstdHeader, type ZstdDecodeOptions, type ZstdFormat, type ZstdHeader } from '../zstd.js';
