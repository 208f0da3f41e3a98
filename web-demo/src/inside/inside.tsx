// Inside the codec: the tables that a decoder builds.
import type { OpenFile } from '../client';
import { chunksOf } from '../formats/pco-bins';
import { blocksOf, tablesOf } from '../formats/zstd-tables';
import type { Report } from '../model';
import { PcoBins } from './pco-bins';
import { ZstdSequences } from './zstd-sequences';
import { ZstdTables } from './zstd-tables';

export interface InsideProps {
  readonly file: OpenFile;
  readonly report: Report;
  readonly selected: number;
  readonly onSelect: (node: number) => void;
}

/** The streams of an AT-1 file are xz or Zstandard. */
const ZSTD: ReadonlySet<string> = new Set(['zstd', 'zstd-v07', 'at1']);

/** Returns `true` if there are tables to show. */
export function hasCodec({ format, summary, model: { structure } }: Report): boolean {
  if (format === 'pco') return summary !== undefined && chunksOf(structure).some(({ variables }) => variables.some(({ bins }) => bins.length > 0));
  return format !== undefined && ZSTD.has(format) && (tablesOf(structure).length > 0 || blocksOf(structure).length > 0);
}

export function Inside({ file, report, selected, onSelect }: InsideProps) {
  if (report.format === 'pco') return <PcoBins file={file} structure={report.model.structure} />;
  return (
    <>
      <ZstdTables file={file} report={report} selected={selected} onSelect={onSelect} />
      <ZstdSequences file={file} report={report} selected={selected} onSelect={onSelect} />
    </>
  );
}
