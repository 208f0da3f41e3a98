// Copies the address of the page, with the place in the file.
import { useState } from 'preact/hooks';
import { writeAddress } from '../arrive/address';
import { page } from '../words';

export function CopyLink() {
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    writeAddress();
    try {
      await navigator.clipboard.writeText(location.href);
      setSaid(page.linkCopied);
    } catch {
      setSaid(page.linkBlocked);
    }
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>{page.copyLink}</button>
      <span class="said" role="status">{said}</span>
    </>
  );
}
