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
  return <> {problem !== '' && `They are not listed: ${problem}. `}<Passing onClick={list}>List {plural(chunks, 'chunk')}{remote && ', by a request each'}</Passing></>;
}

function wordsOf(read: Report['read'], start: boolean): string {
  switch (read) {
    case 'all': return 'The file decodes to more than this page keeps in memory: only the start of its content was decoded, and nobody knows whether the rest is sound.';
    case 'values': return 'The file is large: its header is shown field by field, and of its values only those are read that you look at.';
    case 'headers': return 'The file is large: you see where its blocks are, by their headers. What is in them was not decoded' + (start ? ' but for its start' : '') + ', so that nobody knows whether it is sound.';
    case 'pieces': return 'The file is large: it was decoded chunk by chunk, and you see where each lies. What you look at is decoded again.';
    default: return start
      ? `The file is large: only its first ${bytes(read)} were looked at, and nobody knows whether the rest is sound.`
      : `The file is large, and this format has to be read as a whole to be decoded: only its first ${bytes(read)} were looked at, and nobody knows whether the rest is sound.`;
  }
}
