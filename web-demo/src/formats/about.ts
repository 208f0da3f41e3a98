// What the page says about each format: its name, and its export kinds.
import type { Format } from 'unspool';
import * as Name from 'unspool/names';
import type { Report } from '../model';
import { nodesNamed } from './named';
import type { ExportKind } from '../values';
import { formats } from '../words';

interface About {
  readonly name: string;
  /** A sentence for those who do not know the format. */
  readonly what: string;
  readonly saves: readonly ExportKind[];
}

const NUMBERS: readonly ExportKind[] = ['csv', 'json', 'npy', 'raw'];
const RAW: readonly ExportKind[] = ['raw'];

export const ABOUT: Readonly<Record<Format, About>> = {
  cvc: { ...formats.cvc, saves: NUMBERS },
  pco: { ...formats.pco, saves: NUMBERS },
  onpair: { ...formats.onpair, saves: ['csv', 'json', 'raw'] },
  gzip: { ...formats.gzip, saves: RAW },
  lzma: { ...formats.lzma, saves: RAW },
  zstd: { ...formats.zstd, saves: RAW },
  'zstd-v07': { ...formats.zstdV07, saves: RAW },
  'zstd-skippable': { ...formats.zstdSkippable, saves: RAW },
  xz: { ...formats.xz, saves: RAW },
  at1: { ...formats.at1, saves: RAW },
};

/** The draft between the other two, which shares its magic numbers with both. */
const ZSTD_DRAFT: About = { ...formats.zstdDraft, saves: RAW };

/** Content of an AT-1 file, by codec. */
const AT1: Readonly<Record<string, Pick<About, 'name' | 'what'>>> = {
  ssh: formats.at1Log,
  log: formats.at1Log,
  columnar: formats.at1Table,
  qcolumnar: formats.at1Table,
  json: formats.at1Lines,
  qjson: { ...formats.at1Lines, name: formats.at1Table.name },
  qjson2: formats.at1Lines,
  jsondoc: formats.at1Jsondoc,
  osm: formats.at1Osm,
  vcf: formats.at1Vcf,
  dicom: formats.at1Dicom,
  embed: formats.at1Embed,
  bundle: formats.at1Bundle,
  raw: formats.at1Raw,
};

/** Returns what the page says about a file. */
export function aboutOf({ format, zstd, model }: Pick<Report, 'format' | 'zstd' | 'model'>): About | undefined {
  const inFrames = format === 'zstd' || format === 'zstd-v07';
  if (inFrames && zstd === 'zstd-draft') return ZSTD_DRAFT;
  const about = format && ABOUT[format];
  if (format !== 'at1' || about === undefined) return about;
  const [codec] = nodesNamed(model.structure, Name.Codec);
  return { ...about, ...AT1[codec?.value ?? ''] };
}
