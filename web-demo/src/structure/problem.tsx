// What is wrong with the file: what that means, where it is, and why.
import { bytes, count, plural } from '../format';
import type { Fault } from '../model';

interface Props {
  readonly error: Fault;
  /** In which part of the structure it lies. */
  readonly part: string;
  readonly size: number;
  readonly understood: number;
  readonly onShow: () => void;
}

export function Problem({ error, part, size, understood, onShow }: Props) {
  const short = endsTooEarly(error, size);
  const missing = error.need - size;
  return (
    <section class="problem" role="alert">
      <h2>{advice(error, short)}</h2>
      <p>
        {short ? `It ends after ${bytes(size)}` : `At byte ${count(error.offset)}`}
        {part !== '' && <>, in <strong>{part}</strong></>}
        {short ? (missing > 0 ? `: at least ${bytes(missing)} are missing.` : ', which goes on.') : `: ${error.words}.`}
      </p>
      <p class="fine">
        {error.name}, error {error.code}.{' '}
        {understood > 0 && `What was understood before it is shown below: ${plural(understood, 'field')}.`}
      </p>
      <button type="button" onClick={onShow}>{short ? 'Show where it ends' : `Show byte ${count(error.offset)}`}</button>
    </section>
  );
}

/** Whether a part of the file is missing at its end. AT-1 says how long each stream is before the stream comes. */
export function endsTooEarly({ class: class_, name, offset, need }: Fault, size: number): boolean {
  return class_ === 'Truncated' || offset >= size || (name === 'At1StreamOutside' && need > size);
}

/** What an error means for the person with the file. */
function advice({ class: class_ }: Fault, short: boolean): string {
  if (short) return 'The file ends too early. It may have been copied or downloaded only in part.';
  switch (class_) {
    case 'Checksum': return 'The file was damaged after it was written. The values in this place cannot be trusted.';
    case 'Corrupt': return 'The file contradicts itself here. It was damaged, or its writer made a mistake.';
    case 'Unsupported': return 'This is a variant of the format that this page cannot decode.';
    case 'Limit': return 'The file asks for more than this page is willing to spend.';
    default: return 'The decoder stopped here.';
  }
}
