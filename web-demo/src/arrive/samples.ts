// The bundled samples: files of the test suite, so the page shows what the tests check.

export interface Sample {
  /** The ID in the address. */
  readonly id: string;
  readonly file: string;
  readonly title: string;
  readonly note: string;
  readonly url: string;
}

export const SAMPLES: readonly Sample[] = [
  { id: 'embeddings', file: 'embeddings.cvc', title: 'Embeddings', note: '400 vectors of 64 half floats', url: new URL('../../../tests/vectors/cvc/med_fp16.cvc', import.meta.url).href },
  { id: 'columns', file: 'columns.cvc', title: 'Many columns', note: 'eight columns of integers', url: new URL('../../../tests/vectors/cvc/v2_ints_default.cvc', import.meta.url).href },
  { id: 'lossless', file: 'lossless.cvc', title: 'Lossless', note: 'byte planes with dictionaries', url: new URL('../../../tests/vectors/cvc/v1_lossless_med.cvc', import.meta.url).href },
  { id: 'sections', file: 'sections.cvc', title: 'Sections', note: 'named rows with metadata', url: new URL('../../../tests/vectors/cvc/v1_sections.cvc', import.meta.url).href },
  { id: 'strings', file: 'urls.onp', title: 'Strings', note: '3,000 URLs; search them', url: new URL('../../../tests/vectors/onpair/cpp/urls_b12.onp', import.meta.url).href },
  { id: 'numbers', file: 'numbers.pco', title: 'Numbers', note: '2,000 integers, predicted', url: new URL('../../../tests/vectors/pco/assets/v1_0_0_conv1.pco', import.meta.url).href },
  { id: 'bins', file: 'walk.pco', title: 'Bins', note: 'deltas of integers in six bins', url: new URL('../../../tests/vectors/pco/m_i32_classic_auto.pco', import.meta.url).href },
  { id: 'zstd', file: 'text.zst', title: 'Zstandard', note: 'a frame of text, with its checksum', url: new URL('../../../tests/vectors/zstd/rfc8878/text-1025.zst', import.meta.url).href },
  { id: 'xz', file: 'page.xz', title: 'xz', note: 'a table in blocks, with a delta filter', url: new URL('../../../tests/vectors/xz/blocks.xz', import.meta.url).href },
  { id: 'at1', file: 'events.at1', title: 'AT-1', note: 'lines of JSON in columns; query them', url: new URL('../../../tests/vectors/at1/c8_events.at1', import.meta.url).href },
  { id: 'wrapped', file: 'vectors.cvc.gz', title: 'Wrapped', note: 'a file within gzip', url: new URL('../../../tests/vectors/gzip/v1_int8.cvc.gz', import.meta.url).href },
  { id: 'broken', file: 'broken.cvc', title: 'A broken file', note: 'one bit flipped; find it', url: new URL('../../../tests/vectors/cvc/bad/payload_flip.cvc', import.meta.url).href },
];
