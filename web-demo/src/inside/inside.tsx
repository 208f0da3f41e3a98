// Inside the codec: the tables that a decoder builds.
import type { OpenFile } from '../client';
import type { Report } from '../model';
import { later } from '../tools/later';
import { PcoBins } from './pco-bins';
import { ZstdSequences } from './zstd-sequences';
import { ZstdTables } from './zstd-tables';

export interface InsideProps {
  readonly file: OpenFile;
  readonly report: Report;
  readonly selected: number;
  readonly onSelect: (node: number) => void;
}

const Deflate = later(async () => (await import('./deflate')).Deflate);
const Lzma = later(async () => (await import('./lzma')).Lzma);

export function Inside({ file, report, selected, onSelect }: InsideProps) {
  if (report.format === 'pco') return <PcoBins file={file} structure={report.model.structure} />;
  if (report.format === 'gzip') return <Deflate file={file} report={report} />;
  if (report.format === 'xz' || report.format === 'lzma') return <Lzma file={file} report={report} />;
  return (
    <>
      <ZstdTables file={file} report={report} selected={selected} onSelect={onSelect} />
      <ZstdSequences file={file} report={report} selected={selected} onSelect={onSelect} />
    </>
  );
}
