// The bytes by part.
import type { Model } from '../model';
import { bytes, count, percent } from '../format';

/** Short descriptions of the parts. */
const MEANING: Record<string, string> = {
  framing: 'magic numbers, lengths, offsets',
  header: 'descriptions of the data: sizes, types, names',
  table: 'dictionaries and tables that decoding needs first',
  data: 'values that are not entropy-coded',
  packed: 'compressed bytes that were not taken apart',
  literals: 'entropy-coded bytes',
  sequences: 'entropy-coded matches',
  symbols: 'entropy-coded symbols',
  offsets: 'plain bits that refine a symbol',
  checksum: 'CRCs and hashes',
  padding: 'bytes without meaning',
  'not reached': 'bytes after the error',
  'not read': 'bytes of a large file that were not read',
};

interface Props {
  readonly model: Model;
  readonly size: number;
  /** True if the file is broken; else bytes outside any field were not read. */
  readonly broken: boolean;
  /** Goes to the next field of a part. */
  readonly onPick: (part: number) => void;
}

export function Parts({ model, size, broken, onPick }: Props) {
  const shares = model.totals
    .map((bits, part) => ({ part, bits, colour: model.structure.parts[part] ?? 'unknown', name: model.structure.parts[part] ?? (broken ? 'not reached' : 'not read') }))
    .filter(({ bits }) => bits > 0);
  return (
    <section class="parts" aria-label="Bytes by part">
      <h2>Bytes by part</h2>
      <div class="bar" aria-hidden="true">
        {shares.map(({ part, bits, colour, name }) => (
          <span key={part} class={`share part-${colour}`} style={{ flexGrow: bits }} title={`${name}: ${MEANING[name] ?? ''}`} />
        ))}
      </div>
      <ul class="legend">
        {shares.map(({ part, bits, colour, name }) => (
          <li key={part}>
            <button type="button" title={MEANING[name]} onClick={() => onPick(part)}>
              <span class={`dot part-${colour}`} aria-hidden="true" />
              <span class="name">{name}</span>
              <span class="amount">{bytes(bits / 8)}</span>
              <span class="percent">{percent(bits / 8, size)}</span>
            </button>
          </li>
        ))}
      </ul>
      <details>
        <summary>Show as a table</summary>
        <div class="table" tabIndex={0} role="region" aria-label="Parts of the file">
          <table>
            <thead>
              <tr>
                <th scope="col" class="text">part</th>
                <th scope="col">fields</th>
                <th scope="col">bytes</th>
                <th scope="col">share</th>
                <th scope="col" class="text">description</th>
              </tr>
            </thead>
            <tbody>
              {shares.map(({ part, bits, name }) => (
                <tr key={part} onClick={() => onPick(part)}>
                  <th scope="row" class="text">{name}</th>
                  <td>{part < model.structure.parts.length ? count(model.counts[part] ?? 0) : '–'}</td>
                  <td>{count(Math.round(bits / 8))}</td>
                  <td>{percent(bits / 8, size)}</td>
                  <td class="text">{MEANING[name]}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}
