// One line with the position of the cursor.
import type { Node } from 'unspool/inspect';
import { bytesOf, cutsBytes, pathTo, type Model } from '../model';
import { count, hex } from '../format';
import { heldBy, labelOf, whichOf } from '../structure/fields';
import { parts, problem, structure as words } from '../words';

interface Props {
  readonly model: Model;
  /** The hovered node, or else the selected one. */
  readonly node: number;
  readonly cursor: number;
}

export function Place({ model, node, cursor }: Props) {
  if (node < 0) {
    return (
      <p class="place" aria-live="polite">
        {cursor < 0 ? words.hint : words.noField(cursor, hex(cursor, 1))}
      </p>
    );
  }
  const path = pathTo(model, node);
  const field = path.at(-1);
  const [start, end] = bytesOf(model, node);
  return (
    <p class="place" aria-live="polite">
      {path.slice(0, -1).map(({ id, name, value }, depth) => (
        <span key={depth} class="step">
          {labelOf({ id, name })}
          {value !== '' && ` ${whichOf(id, value)}`}
        </span>
      ))}
      <strong>{field && labelOf(field)}</strong>
      {field !== undefined && field.value !== '' && <code>{field.part === undefined ? whichOf(field.id, field.value) : heldBy(field.id, field.value)}</code>}
      <span class="where">
        {cutsBytes(model, node) && field !== undefined ? placeOfBits(field) : end - start === 1 ? words.oneByte(start) : end > start ? problem.bytesFrom(start, end) : words.noBytes}
        {field?.part !== undefined && `, ${parts[field.part]?.name ?? field.part}`}
      </span>
    </p>
  );
}

/** Formats a range of bits; bit 0 is the lowest of a byte. */
function placeOfBits({ start, end }: Node): string {
  const [from, to] = [start, end - 1].map((bit) => ({ byte: count(Math.floor(bit / 8)), bit: bit % 8 }));
  if (from === undefined || to === undefined) return '';
  if (from.byte !== to.byte) return words.bitsAcross(from.bit, from.byte, to.bit, to.byte);
  return from.bit === to.bit ? words.oneBit(from.bit, from.byte) : words.bitsOf(from.bit, to.bit, from.byte);
}
