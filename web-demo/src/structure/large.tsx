// Of a file that is too large to be taken in at once: how much of it was looked at.
import { askFor } from '../arrive/address';
import { bytes, plural } from '../format';
import type { Report } from '../model';

interface Props {
  readonly report: Report;
  /** Whether it is on a server. */
  readonly remote: boolean;
}

export function Large({ report: { read, size, summary, model }, remote }: Props) {
  if (read === 'all') return null;
  // The header of CVC tells how many chunks there are, and each chunk where the next one is.
  const unlisted = model.totals.at(-1) === 0 ? 0 : (summary?.chunkEnds?.length ?? 0);
  return (
    <p class="large" role="note">
      {wordsOf(read)}
      {remote && read !== 'values' && <> <button type="button" onClick={() => askFor('all')}>Fetch all {bytes(size)}</button></>}
      {remote && unlisted > 0 && <> <button type="button" onClick={() => askFor('list')}>List {plural(unlisted, 'chunk')}, by a request each</button></>}
    </p>
  );
}

function wordsOf(read: Exclude<Report['read'], 'all'>): string {
  switch (read) {
    case 'values': return 'The file is large: its header is shown field by field, and of its values only those are read that you look at.';
    case 'headers': return 'The file is large: you see where its blocks are, by their headers. What is in them was not decoded, so that nobody knows whether it is sound.';
    case 'pieces': return 'The file is large: it was decoded chunk by chunk, and you see where each lies. What you look at is decoded again.';
    default: return `The file is large, and this format has to be read as a whole to be decoded: only its first ${bytes(read)} were looked at, and nobody knows whether the rest is sound.`;
  }
}
