// The bits at the cursor, each in the colour of its field: fields of packed formats share bytes.
import { useBytes } from './bytes';
import { hex } from '../format';
import { bytesOf, cutsBytes, leafAt, leafAtBit, type Model } from '../model';
import type { Content } from '../arrive/remote';
import { structure as words } from '../words';

/** Maximum number of bytes shown as bits. */
const MOST = 8;

interface Props {
  readonly model: Model;
  readonly content: Content;
  readonly selected: number;
  readonly hovered: number;
  readonly cursor: number;
  /** The bits of a value. */
  readonly traced: readonly [start: number, end: number] | undefined;
  readonly onSelect: (node: number) => void;
  readonly onHover: (node: number) => void;
}

export function Bits({ model, content, selected, hovered, cursor, traced, onSelect, onHover }: Props) {
  const [start, end] = stretchOf(model, selected, cursor);
  const { at: byteAt } = useBytes(content, start, end);
  const bytes = Array.from({ length: end - start }, (_, at) => start + at);
  const isTraced = (bit: number): boolean => traced !== undefined && bit >= traced[0] && bit < traced[1];
  if (traced === undefined && !bytes.some((byte) => cutsBytes(model, leafAt(model, byte)))) return null;
  return (
    <div class="bits" role="group" aria-label={words.bits} onMouseLeave={() => onHover(-1)}>
      {bytes.map((byte) => (
        <div key={byte} class="octet">
          <span class="fine">{hex(byte, 4)}</span>
          <span>
            {[7, 6, 5, 4, 3, 2, 1, 0].map((place) => {
              const leaf = leafAtBit(model, 8 * byte + place);
              const part = model.structure.parts[model.structure.part[leaf] ?? 255] ?? 'unknown';
              const value = byteAt(byte);
              const bit = value === undefined ? '·' : (value >> place) & 1;
              const name = model.structure.names[model.structure.name[leaf] ?? 0] ?? '';
              return (
                <button
                  key={place}
                  type="button"
                  class={`bit part-${part}${leaf >= 0 && leaf === selected ? ' selected' : ''}${leaf >= 0 && leaf === hovered ? ' hovered' : ''}${isTraced(8 * byte + place) ? ' traced' : ''}`}
                  tabIndex={-1}
                  aria-label={words.bit(place, byte, bit, name)}
                  title={name}
                  onClick={() => onSelect(leaf)}
                  onMouseEnter={() => onHover(leaf)}
                >
                  {bit}
                </button>
              );
            })}
          </span>
        </div>
      ))}
    </div>
  );
}

/** Returns the bytes of a field; for a long field, those from the cursor on. */
function stretchOf(model: Model, selected: number, cursor: number): [start: number, end: number] {
  const [first, last] = selected >= 0 ? bytesOf(model, selected) : [0, 0];
  const start = cursor >= first + MOST ? cursor : first;
  return [start, Math.min(last, start + MOST)];
}
