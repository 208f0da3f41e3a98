// A file that could not be fetched or read, and the ways to continue.
import { useContext } from 'preact/hooks';
import { visible } from '../format';
import { page } from '../words';
import { AddressForm } from './address-form';
import { FileInput } from './file-input';
import { Opening } from './opening';

interface Props {
  readonly name: string;
  readonly message: string;
  /** The address of the file. */
  readonly address: string | undefined;
  /** Tries again, if that may help. */
  readonly onRetry: (() => void) | undefined;
}

export function Failed({ name, message, address, onRetry }: Props) {
  const { files } = useContext(Opening);
  return (
    <div class="failed">
      <section class="problem" role="alert">
        <h1>{page.failed(visible(name))}</h1>
        <p>{message}</p>
        {onRetry !== undefined && <button type="button" onClick={onRetry}>{page.retry}</button>}
      </section>
      <div class="ways">
        <label class="another">
          <FileInput onFiles={files} />
          {page.another}
        </label>
        <AddressForm address={address} />
      </div>
    </div>
  );
}
