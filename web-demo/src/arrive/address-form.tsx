// The field for the address of a file.
import { useContext } from 'preact/hooks';
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
        or enter its address <input name="url" type="url" required defaultValue={address} placeholder="https://example.com/vectors.cvc" />
      </label>
      <button type="submit">Open</button>
      <span class="fine">You can also paste an address or a file anywhere on this page. Large CVC and OnPair files and AT-1 tables are read only where you look.</span>
    </form>
  );
}
