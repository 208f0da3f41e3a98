// One line with the position of the cursor.
import type { Node } from 'unspool/inspect';
import { bytesOf, cutsBytes, pathTo, type Model } from '../model';
import { count, heldBy, hex, whichOf } from '../format';

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
        {cursor < 0 ? 'Point at a byte or a field to see what it is.' : `Byte ${count(cursor)} (0x${hex(cursor, 1)}): not part of a known field.`}
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
          {name}
          {value !== '' && ` ${whichOf(id, value)}`}
        </span>
      ))}
      <strong>{field?.name}</strong>
      {field !== undefined && field.value !== '' && <code>{field.part === undefined ? whichOf(field.id, field.value) : heldBy(field.id, field.value)}</code>}
      <span class="where">
        {cutsBytes(model, node) && field !== undefined ? placeOfBits(field) : end - start === 1 ? `byte ${count(start)}` : end > start ? `bytes ${count(start)} to ${count(end - 1)}` : 'no bytes'}
        {field?.part !== undefined && `, ${field.part}`}
      </span>
    </p>
  );
}

/** Formats a range of bits; bit 0 is the lowest of a byte. */
function placeOfBits({ start, end }: Node): string {
  const [from, to] = [start, end - 1].map((bit) => ({ byte: count(Math.floor(bit / 8)), bit: bit % 8 }));
  if (from === undefined || to === undefined) return '';
  if (from.byte !== to.byte) return `bit ${from.bit} of byte ${from.byte} to bit ${to.bit} of byte ${to.byte}`;
  return `${from.bit === to.bit ? `bit ${from.bit}` : `bits ${from.bit} to ${to.bit}`} of byte ${from.byte}`;
}
