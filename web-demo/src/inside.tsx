// Inside the codec: what a decoder builds before it decodes.
import type { OpenFile } from './client';
import type { Report } from './model';
import { PcoBins } from './pco-bins';

interface Props {
  readonly file: OpenFile;
  readonly report: Report;
}

export function Inside({ file, report }: Props) {
  if (report.format === 'pco') return <PcoBins file={file} structure={report.model.structure} />;
  return null;
}
