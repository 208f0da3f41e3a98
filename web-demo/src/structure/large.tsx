// For a file too large to read at once: how much of it was read.
import { useEffect, useState } from 'preact/hooks';
import { askForAll, noteInAddress } from '../arrive/address';
import { RemoteFile } from '../arrive/remote';
import type { OpenFile } from '../client';
import { bytes, plural } from '../format';
import { unlisted, type Report } from '../model';
import { Cancel, useJob } from '../tools/cancel';
import { Passing } from '../tools/passing';

interface Props {
  readonly file: OpenFile;
  readonly report: Report;
  readonly onListed: (report: Report) => void;
}

export function Large({ file, report, onListed }: Props) {
  const { read, size, summary } = report;
  const start = summary?.startOnly === true;
  if (read === 'all' && !start) return null;
  return (
    <p class="large" role="note">
      {wordsOf(read, start)}
      {file.source instanceof RemoteFile && read !== 'values' && read !== 'all' && <> <button type="button" onClick={askForAll}>Fetch all {bytes(size)}</button></>}
      {unlisted(report) > 0 && <Chunks file={file} chunks={unlisted(report)} onListed={onListed} />}
    </p>
  );
}

/** Lists chunks that are not in the tree: at once for a local file, on request for a remote one. */
function Chunks({ file, chunks, onListed }: { readonly file: OpenFile; readonly chunks: number; readonly onListed: (report: Report) => void }) {
  const remote = file.source instanceof RemoteFile;
  const job = useJob();
  const [problem, setProblem] = useState('');
  const list = (): void => {
    setProblem('');
    void job.run(async (care) => {
      const report = await file.list(care);
      if (remote) noteInAddress({ list: '' });
      onListed(report);
    }).catch((error: Error) => setProblem(error.message));
  };
  useEffect(() => {
    if (!remote) list();
  }, []);
  if (job.going) return <> Listing {plural(chunks, 'chunk')} <Cancel job={job} what="listing the chunks" /></>;
  return <> {problem !== '' && `Listing failed: ${problem}. `}<Passing onClick={list}>List {plural(chunks, 'chunk')}{remote && ', one request each'}</Passing></>;
}

function wordsOf(read: Report['read'], start: boolean): string {
  switch (read) {
    case 'all': return 'The file decodes to more than this page keeps in memory. Only the start of its content was decoded; the rest was not checked.';
    case 'values': return 'The file is large. Its header is shown field by field; values are read when you view them.';
    case 'headers': return 'The file is large. Its blocks are listed from their headers; their content was not decoded' + (start ? ', except for its start,' : '') + ' and not checked.';
    case 'pieces': return 'The file is large. It was decoded chunk by chunk to list the chunks; what you view is decoded again.';
    default: return start
      ? `The file is large. Only its first ${bytes(read)} were read; the rest was not checked.`
      : `The file is large, and its format decodes only as a whole. Only its first ${bytes(read)} were read; the rest was not checked.`;
  }
}
