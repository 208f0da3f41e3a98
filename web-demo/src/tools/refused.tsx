// Reports that something cannot be shown, with a retry if a server may be the cause.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { page } from '../words';

/** True if the open file is on a server: what failed may work the next time. */
export const Remote = createContext(false);

interface Props {
  /** What cannot be shown, as the start of a sentence. */
  readonly what: string;
  /** The reason, or an empty string. */
  readonly error: string;
  readonly onRetry: () => void;
}

export function Refused({ what, error, onRetry }: Props) {
  const remote = useContext(Remote);
  if (error === '') return null;
  return (
    <p class="refused" role="alert">
      {what}: {error}. {remote && <button type="button" onClick={onRetry}>{page.retry}</button>}
    </p>
  );
}
