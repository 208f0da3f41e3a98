// The bundled samples: files of the test suite, so the page shows what the tests check.
import { samples } from '../words';

export interface Sample {
  /** The ID in the address. */
  readonly id: string;
  readonly file: string;
  readonly title: string;
  readonly note: string;
  readonly url: string;
}

export const SAMPLES: readonly Sample[] = [
  { id: 'embeddings', file: 'embeddings.cvc', ...samples.embeddings, url: new URL('../../../tests/vectors/cvc/med_fp16.cvc', import.meta.url).href },
  { id: 'columns', file: 'columns.cvc', ...samples.columns, url: new URL('../../../tests/vectors/cvc/v2_ints_default.cvc', import.meta.url).href },
  { id: 'lossless', file: 'lossless.cvc', ...samples.lossless, url: new URL('../../../tests/vectors/cvc/v1_lossless_med.cvc', import.meta.url).href },
  { id: 'sections', file: 'sections.cvc', ...samples.sections, url: new URL('../../../tests/vectors/cvc/v1_sections.cvc', import.meta.url).href },
  { id: 'strings', file: 'urls.onp', ...samples.strings, url: new URL('../../../tests/vectors/onpair/cpp/urls_b12.onp', import.meta.url).href },
  { id: 'numbers', file: 'numbers.pco', ...samples.numbers, url: new URL('../../../tests/vectors/pco/assets/v1_0_0_conv1.pco', import.meta.url).href },
  { id: 'bins', file: 'walk.pco', ...samples.bins, url: new URL('../../../tests/vectors/pco/m_i32_classic_auto.pco', import.meta.url).href },
  { id: 'zstd', file: 'text.zst', ...samples.zstd, url: new URL('../../../tests/vectors/zstd/rfc8878/text-1025.zst', import.meta.url).href },
  { id: 'xz', file: 'page.xz', ...samples.xz, url: new URL('../../../tests/vectors/xz/blocks.xz', import.meta.url).href },
  { id: 'at1', file: 'events.at1', ...samples.at1, url: new URL('../../../tests/vectors/at1/c8_events.at1', import.meta.url).href },
  { id: 'wrapped', file: 'vectors.cvc.gz', ...samples.wrapped, url: new URL('../../../tests/vectors/gzip/v1_int8.cvc.gz', import.meta.url).href },
  { id: 'broken', file: 'broken.cvc', ...samples.broken, url: new URL('../../../tests/vectors/cvc/bad/payload_flip.cvc', import.meta.url).href },
];
