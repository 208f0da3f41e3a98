// The field for the address of a file.
import { useContext } from 'preact/hooks';
import { page } from '../words';
import { Opening } from './opening';

/** After a failure, the address stays in the field to be corrected. */
export function AddressForm({ address = '' }: { readonly address?: string | undefined }) {
  const opening = useContext(Opening);
  return (
    <form
      class="remote"
      onSubmit={(event) => {
        event.preventDefault();
        const url = String(new FormData(event.currentTarget).get('url') ?? '').trim();
        if (url !== '') opening.address(url);
      }}
    >
      <label>
        {page.url} <input name="url" type="url" required defaultValue={address} placeholder={page.urlExample} />
      </label>
      <button type="submit">{page.open}</button>
      <span class="fine">{page.urlHint}</span>
    </form>
  );
}
