// Of a file that is too large to be taken in at once: how much of it was looked at.
import { askForAll } from '../arrive/address';
import { bytes } from '../format';
import type { Report } from '../model';

interface Props {
  readonly report: Report;
  /** Whether it is on a server. */
  readonly remote: boolean;
}

export function Large({ report: { read, size }, remote }: Props) {
  if (read === 'all') return null;
  return (
    <p class="large" role="note">
      {wordsOf(read)}
      {remote && read !== 'values' && <> <button type="button" onClick={askForAll}>Fetch all {bytes(size)}</button></>}
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
