// The bundled samples: files of the test suite, so that what a visitor sees is what the tests prove.
import table from '../../../tests/vectors/at1/c8_events.at1?url';
import columns from '../../../tests/vectors/cvc/v2_ints_default.cvc?url';
import broken from '../../../tests/vectors/cvc/bad/payload_flip.cvc?url';
import embeddings from '../../../tests/vectors/cvc/med_fp16.cvc?url';
import lossless from '../../../tests/vectors/cvc/v1_lossless_med.cvc?url';
import sections from '../../../tests/vectors/cvc/v1_sections.cvc?url';
import numbers from '../../../tests/vectors/pco/assets/v1_0_0_conv1.pco?url';
import bins from '../../../tests/vectors/pco/m_i32_classic_auto.pco?url';
import wrapped from '../../../tests/vectors/gzip/v1_int8.cvc.gz?url';
import urls from '../../../tests/vectors/onpair/cpp/urls_b12.onp?url';
import page from '../../../tests/vectors/xz/blocks.xz?url';
import frame from '../../../tests/vectors/zstd/rfc8878/text-1025.zst?url';

export interface Sample {
  /** What stands in the address. */
  readonly id: string;
  readonly file: string;
  readonly title: string;
  readonly note: string;
  readonly url: string;
}

export const SAMPLES: readonly Sample[] = [
  { id: 'embeddings', file: 'embeddings.cvc', title: 'Embeddings', note: '400 vectors of 64 half floats', url: embeddings },
  { id: 'columns', file: 'columns.cvc', title: 'Many columns', note: 'eight columns of integers', url: columns },
  { id: 'lossless', file: 'lossless.cvc', title: 'Lossless', note: 'byte planes with dictionaries', url: lossless },
  { id: 'sections', file: 'sections.cvc', title: 'Sections', note: 'rows that carry metadata', url: sections },
  { id: 'strings', file: 'urls.onp', title: 'Strings', note: '3,000 URLs; search them', url: urls },
  { id: 'numbers', file: 'numbers.pco', title: 'Numbers', note: '2,000 integers, each predicted', url: numbers },
  { id: 'bins', file: 'walk.pco', title: 'Bins', note: 'differences of integers, in six bins', url: bins },
  { id: 'zstd', file: 'text.zst', title: 'Zstandard', note: 'a frame of text, with its checksum', url: frame },
  { id: 'xz', file: 'page.xz', title: 'xz', note: 'a table in blocks, through a delta', url: page },
  { id: 'at1', file: 'events.at1', title: 'AT-1', note: 'lines of JSON, in columns; ask them', url: table },
  { id: 'wrapped', file: 'vectors.cvc.gz', title: 'Wrapped', note: 'a file within gzip', url: wrapped },
  { id: 'broken', file: 'broken.cvc', title: 'A broken file', note: 'one bit flipped; find it', url: broken },
];
