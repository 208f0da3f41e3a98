// For a file too large to read at once: how much of it was read.
import { useEffect, useState } from 'preact/hooks';
import { askForAll, noteInAddress } from '../arrive/address';
import { RemoteFile } from '../arrive/remote';
import type { OpenFile } from '../client';
import { unlisted, type Report } from '../model';
import { Cancel, useJob } from '../tools/cancel';
import { Passing } from '../tools/passing';
import { large } from '../words';

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
      {file.source instanceof RemoteFile && read !== 'values' && read !== 'all' && <> <button type="button" onClick={askForAll}>{large.fetchAll(size)}</button></>}
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
  if (job.going) return <> {large.listing(chunks)} <Cancel job={job} what={large.listJob} /></>;
  return <> {problem !== '' && large.listFailed(problem)}<Passing onClick={list}>{large.list(chunks, remote)}</Passing></>;
}

function wordsOf(read: Report['read'], start: boolean): string {
  switch (read) {
    case 'all': return large.all;
    case 'values': return large.values;
    case 'headers': return large.headers(start);
    case 'pieces': return large.pieces;
    default: return large.head(read, start);
  }
}
