// The pieces of a value with their bits, and the values that a byte is for.
import { useContext } from 'preact/hooks';
import type { Content } from '../arrive/remote';
import { hex, visible } from '../format';
import { pause, useAnswer } from '../tools/answer';
import { NumberField } from '../tools/number-field';
import { Refused } from '../tools/refused';
import { data, trace as words } from '../words';
import type { StoredProps } from './asked';
import { Going } from './going';
import { tracerOf } from './index';
import type { Bits, Piece } from './tracer';
import './panels.css';

/** Maximum number of bytes shown of a piece, and of values listed for a byte. */
const [BYTES, VALUES] = [8, 12];
/** Delay before a byte is traced, in milliseconds: the cursor may move on. */
const REST = 120;

export function Pieces({ file, report, value, name, dimension = 1, onPlace }: StoredProps) {
  const { showBits, showValue } = useContext(Going);
  const { column, row, place } = value;
  const { value: found, error, again } = useAnswer(async () => {
    const pieces = (await tracerOf(file, report)?.pieces(value)) ?? [];
    const content = file.content(report);
    return Promise.all(pieces.map(async (piece) => ({ piece, bytes: piece.bits === undefined ? '' : await bytesAt(content, piece.bits) })));
  }, [file, report, column, row, place]);
  return (
    <section aria-label={words.storedLabel}>
      <p class="facts" aria-live="polite">
        {name}
        {onPlace !== undefined && dimension > 1 && <>, {data.value} <NumberField label={words.placeLabel} min={0} max={dimension - 1} value={place} onValue={onPlace} /> {words.ofValues(dimension)}</>}
      </p>
      <Refused what={words.failed} error={error} onRetry={again} />
      {found?.length === 0 && <p class="facts">{words.unknown}</p>}
      {found !== undefined && found.length > 0 && (
        <div class="table" tabIndex={0} role="region" aria-label={words.pieces}>
          <table>
            <thead><tr>{words.heads.map((head, at) => <th key={at} scope="col" class="text">{head}</th>)}</tr></thead>
            <tbody>
              {found.map(({ piece, bytes }, at) => (
                <tr key={at}>
                  <th scope="row" class="text">{piece.what}</th>
                  <td class="text">{visible(piece.value)}</td>
                  <td class="text">{piece.bits !== undefined && words.bits(...piece.bits)}</td>
                  <td class="text">{bytes}</td>
                  <td>{leads(piece, showBits, (from) => showValue({ column, row: from, place: 0 }))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function leads({ what, bits, from }: Piece, showBits: (bits: Bits) => void, showRow: (row: number) => void) {
  if (bits !== undefined) return bits[1] > bits[0] ? <button type="button" aria-label={words.showOf(what)} onClick={() => showBits(bits)}>{words.show}</button> : null;
  return from === undefined ? null : <button type="button" aria-label={words.followOf(what)} onClick={() => showRow(from)}>{words.follow}</button>;
}

async function bytesAt(content: Content, [start, end]: Bits): Promise<string> {
  const [first, after] = [Math.floor(start / 8), Math.ceil(end / 8)];
  const bytes = new Uint8Array(await content.slice(first, Math.min(after, first + BYTES)).arrayBuffer());
  return `${Array.from(bytes, (byte) => hex(byte, 2)).join(' ')}${after - first > BYTES ? ' …' : ''}`;
}

export function Values({ file, report, at }: Pick<StoredProps, 'file' | 'report'> & { readonly at: number }) {
  const { showValue } = useContext(Going);
  const { value: found, error, again } = useAnswer(async (gone) => {
    await pause(REST, gone);
    return { at, values: (await tracerOf(file, report)?.valuesAt(at)) ?? [] };
  }, [file, report, at]);
  const here = found?.at === at ? found.values : undefined;
  return (
    <section aria-label={words.decodesLabel} aria-live="polite">
      <Refused what={words.failed} error={error} onRetry={again} />
      {here?.length === 0 && <p class="facts">{words.nothing}</p>}
      {here !== undefined && here.length > 0 && (
        <ul>
          {here.slice(0, VALUES).map(({ first, words: text }, index) => (
            <li key={index}>{visible(text)} <button type="button" aria-label={words.showValueOf(visible(text))} onClick={() => showValue({ ...first })}>{words.showValue}</button></li>
          ))}
          {here.length > VALUES && <li class="facts">{data.more(here.length - VALUES)}</li>}
        </ul>
      )}
    </section>
  );
}
