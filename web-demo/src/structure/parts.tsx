// The bytes by part.
import type { Model } from '../model';
import { bytes, count, percent } from '../format';
import { parts as words, sizes } from '../words';

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
    .map((bits, part) => ({ part, bits, colour: model.structure.parts[part] ?? 'unknown', id: model.structure.parts[part] ?? (broken ? 'notReached' : 'notRead') }))
    .filter(({ bits }) => bits > 0)
    .map((share) => ({ ...share, ...(words[share.id] ?? { name: share.id, what: '' }) }));
  return (
    <section class="parts" aria-label={sizes.parts}>
      <h2>{sizes.parts}</h2>
      <div class="bar" aria-hidden="true">
        {shares.map(({ part, bits, colour, name, what }) => (
          <span key={part} class={`share part-${colour}`} style={{ flexGrow: bits }} title={`${name}: ${what}`} />
        ))}
      </div>
      <ul class="legend">
        {shares.map(({ part, bits, colour, name, what }) => (
          <li key={part}>
            <button type="button" title={what} onClick={() => onPick(part)}>
              <span class={`dot part-${colour}`} aria-hidden="true" />
              <span class="name">{name}</span>
              <span class="amount">{bytes(bits / 8)}</span>
              <span class="percent">{percent(bits / 8, size)}</span>
            </button>
          </li>
        ))}
      </ul>
      <details>
        <summary>{sizes.partsTable}</summary>
        <div class="table" tabIndex={0} role="region" aria-label={sizes.partsOf}>
          <table>
            <thead>
              <tr>
                <th scope="col" class="text">{sizes.heads.part}</th>
                <th scope="col">{sizes.heads.fields}</th>
                <th scope="col">{sizes.heads.bytes}</th>
                <th scope="col">{sizes.heads.share}</th>
                <th scope="col" class="text">{sizes.heads.what}</th>
              </tr>
            </thead>
            <tbody>
              {shares.map(({ part, bits, name, what }) => (
                <tr key={part} onClick={() => onPick(part)}>
                  <th scope="row" class="text">{name}</th>
                  <td>{part < model.structure.parts.length ? count(model.counts[part] ?? 0) : '–'}</td>
                  <td>{count(Math.round(bits / 8))}</td>
                  <td>{percent(bits / 8, size)}</td>
                  <td class="text">{what}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}
