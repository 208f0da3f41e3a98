// The bytes at the cursor as each data type.
import { useAnswer } from '../tools/answer';
import { exact, half, hex } from '../format';
import type { Content } from '../arrive/remote';
import { readings as words } from '../words';

/** Length of the longest type. */
const LONGEST = 16;

interface Props {
  readonly content: Content;
  readonly at: number;
}

export function Readings({ content, at }: Props) {
  const { value: bytes } = useAnswer(async () => new Uint8Array(await content.slice(at, at + LONGEST).arrayBuffer()), [content, at]);
  if (bytes === undefined || bytes.length === 0) return null;
  return (
    <details class="readings" open>
      <summary>{words.title(at)}</summary>
      <div class="table" tabIndex={0} role="region" aria-label={words.label}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.type}</th>
              {rows(bytes).map(([name]) => <th key={name} scope="col">{name}</th>)}
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">{words.little}</th>
              {rows(bytes).map(([name, little]) => <td key={name}>{little}</td>)}
            </tr>
            <tr>
              <th scope="row">{words.big}</th>
              {rows(bytes).map(([name, , big]) => <td key={name}>{big}</td>)}
            </tr>
          </tbody>
        </table>
      </div>
      <p class="facts">
        {words.line(varint(bytes), (bytes[0] ?? 0).toString(2).padStart(8, '0'), hex(bytes[0] ?? 0, 2), text(bytes))}
      </p>
    </details>
  );
}

type Read = (view: DataView, little: boolean) => number | bigint;
/** Rounds to the nearest value of a type shorter than `number`. */
type Round = (n: number) => number;

const TYPES: readonly (readonly [name: string, size: number, read: Read, round?: Round])[] = [
  ['u8', 1, (view) => view.getUint8(0)],
  ['i8', 1, (view) => view.getInt8(0)],
  ['u16', 2, (view, little) => view.getUint16(0, little)],
  ['i16', 2, (view, little) => view.getInt16(0, little)],
  ['u32', 4, (view, little) => view.getUint32(0, little)],
  ['i32', 4, (view, little) => view.getInt32(0, little)],
  ['u64', 8, (view, little) => view.getBigUint64(0, little)],
  ['i64', 8, (view, little) => view.getBigInt64(0, little)],
  ['f16', 2, (view, little) => half(view.getUint16(0, little)), roundToHalf],
  ['f32', 4, (view, little) => view.getFloat32(0, little), Math.fround],
  ['f64', 8, (view, little) => view.getFloat64(0, little)],
];

/** Returns each type with its value in both byte orders; empty if the file ends earlier. */
function rows(bytes: Uint8Array): (readonly [name: string, little: string, big: string])[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return TYPES.map(([name, size, read, round]) => {
    const shown = (little: boolean): string => (bytes.length < size ? '–' : digitsOf(read(view, little), round));
    return [name, shown(true), shown(false)];
  });
}

/** Formats a number with all digits. A float gets the fewest digits that round-trip. */
function digitsOf(n: number | bigint, round: Round | undefined): string {
  if (typeof n === 'bigint' || round === undefined || !Number.isFinite(n) || (Number.isInteger(n) && Math.abs(n) < 1e21)) return exact(n);
  let digits = 1;
  while (digits < 17 && round(Number(n.toPrecision(digits))) !== n) digits++;
  return exact(Number(n.toPrecision(digits)));
}

function roundToHalf(n: number): number {
  const unit = 2 ** (Math.max(-14, Math.floor(Math.log2(Math.abs(n)))) - 10);
  return Math.round(n / unit) * unit;
}

function varint(bytes: Uint8Array): string {
  let [sum, shift] = [0n, 0n];
  for (const [at, byte] of bytes.subarray(0, 10).entries()) {
    sum |= BigInt(byte & 127) << shift;
    if (byte < 128) return words.varint(sum, at + 1);
    shift += 7n;
  }
  return words.none;
}

function text(bytes: Uint8Array): string {
  const letters = new TextDecoder().decode(bytes);
  return `“${letters.replace(/[\p{C}\uFFFD]/gu, '·')}”`;
}
