// Decoded bytes: as a table, as lines or in hexadecimal; all of them, or one part of a file.
import '../text/text.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { noteInAddress, parametersHere, readAddress, writeAddress } from '../arrive/address';
import { pause, useAnswer } from '../tools/answer';
import { Export } from './export';
import { Dump } from './dump';
import { ABOUT } from '../formats/about';
import type { OpenFile } from '../client';
import { reasonOf } from '../format';
import { Cancel, useJob } from '../tools/cancel';
import { later } from '../tools/later';
import { NumberField } from '../tools/number-field';
import { doubtful, type Report } from '../model';
import type { ValuesProps } from './preview';
import { Refused } from '../tools/refused';
import { Tabs } from '../tools/tabs';
import type { Scope, Text } from '../text/content';
import { Stored } from '../trace/asked';
import { canTrace, useSought } from '../trace/going';
import { Within } from './within';
import { data, text as words, verdict } from '../words';

const TextView = later(async () => (await import('../text/text-view')).TextView);

/** Content of more bytes takes a moment to index. */
const LONG = 2 ** 22;

/** Time to show the start of such content, in milliseconds. */
const AFTER_START = 300;

/** The ways to show content, best first. */
type As = 'table' | 'lines' | 'bytes';

export function Decoded({ file, name, report, summary }: ValuesProps) {
  const { decoded } = summary;
  const [scope, setScope] = useState(() => scopeIn(report));
  useEffect(() => noteInAddress({ block: typeof scope === 'number' ? scope : undefined }), [scope]);
  // The start of long content is shown before all of its lines are found, unless a link leads on.
  const [atStart] = useState(() => {
    const { row, drawn, page } = readAddress();
    return (row ?? drawn ?? page) === undefined;
  });
  const isLong = scope === 'kept' && atStart && decoded > LONG;
  const { value: first } = useAnswer(async () => (isLong ? file.text('start') : undefined), [file, scope]);
  const { value: found, error, again } = useAnswer(async (gone) => {
    // The first rows come before the index of all.
    if (isLong) await pause(AFTER_START, gone);
    return { scope, text: await file.text(scope) };
  }, [file, scope]);
  const all = found?.scope === scope ? found.text : undefined;
  const text = all ?? (scope === 'kept' ? first : undefined);
  const [picked, setPicked] = useState(() => parametersHere().get('as'));
  useEffect(() => noteInAddress({ as: picked ?? undefined }), [picked]);
  const shown = text === undefined ? [] : waysOf(text);
  const as = shown.find((as) => as === picked) ?? shown[0];

  /** The selected byte, and a byte to scroll to. */
  const [chosen, choose] = useState(() => readAddress().drawn);
  const [wanted, want] = useState<{ readonly byte: number }>();
  useEffect(() => noteInAddress({ drawn: chosen }), [chosen]);
  const go = (byte: number): void => {
    choose(byte);
    want({ byte });
  };
  /** Forgets the row in sight, which is not that of another view. */
  const leaveRow = (): void => {
    noteInAddress({ row: undefined, page: undefined });
    writeAddress();
  };
  const pick = (way: string): void => {
    // The other view goes to the selected byte.
    if (chosen !== undefined) leaveRow();
    setPicked(way);
  };
  const show = (to: Scope): void => {
    if (to === scope) return;
    choose(undefined);
    want(undefined);
    leaveRow();
    setScope(to);
  };
  useSought(() => true, ({ row }) => {
    show('kept');
    go(Math.min(decoded - 1, row));
  });
  const view = text !== undefined && { file, scope: all === undefined ? ('start' as const) : scope, text, chosen, onChoose: choose, wanted };
  const isCut = scope === 'kept' && summary.brokenFrom !== undefined && !doubtful(report);
  const doubt = scope === 'kept' ? doubtful(report) : text?.error?.isChecksum === true;
  return (
    <section class="preview" aria-label={data.label} data-jump={data.content} tabIndex={-1}>
      <div class="heading">
        <h2>{data.content}</h2>
        <p class="facts">
          {scope === 'kept' && data.firstBytes(decoded, summary.startOnly === true, text?.encoding === 'utf-8', isCut)}
          {text !== undefined && (typeof scope === 'number' ? words.partIs(scope, text.size, text.isStart) : scope === 'whole' && data.firstBytes(text.size, false, true, text.error !== undefined))}
          {all === undefined && text !== undefined && `, ${words.reading.toLowerCase()}`}
          {all !== undefined && all.lines > 0 && words.counts(all.lines, all.shape && all.rows)}
          {isCut && data.unverified}
        </p>
        {as !== undefined && shown.length > 1 && <Tabs label={words.as} tabs={shown.map((id) => ({ id, name: words.ways[id] }))} picked={as} onPick={pick} />}
        {scope === 'kept' && summary.startOnly === true && text?.encoding === 'utf-8' && <Whole file={file} size={report.size} onWhole={() => show('whole')} />}
        {report.parts > 0 && <Parts parts={report.parts} scope={scope} onScope={show} />}
      </div>
      {doubt && <p class="doubt" role="note">{verdict.doubt}</p>}
      {text?.error !== undefined && !text.error.isChecksum && <p class="doubt" role="note">{words.breaksOff(text.error.words)}</p>}
      {decoded > 0 && <Within file={file} name={name} report={report} summary={summary} />}
      <Refused what={data.bytesFailed} error={error} onRetry={again} />
      {text === undefined && error === '' && <p class="facts" role="status">{words.reading}</p>}
      {text !== undefined && text.size > 0 && noteOf(text) !== '' && <p class="facts">{noteOf(text)}</p>}
      {view && as !== undefined && (as === 'bytes' ? <Dump key={view.scope} {...view} /> : <TextView key={`${as} ${view.scope}`} {...view} table={as === 'table'} isStart={text.isStart || (scope === 'kept' && summary.startOnly === true)} />)}
      {text?.size === 0 && <p class="facts">{data.emptyContent}</p>}
      {text !== undefined && text.size > 0 && (
        <label class="goto fine">
          {typeof scope === 'number' ? words.partByte : data.contentByte}{' '}
          <NumberField label={typeof scope === 'number' ? words.partByteLabel : data.contentByteLabel} min={0} max={text.size - 1} value={chosen ?? 0} onValue={go} />
        </label>
      )}
      {scope === 'kept' && chosen !== undefined && chosen < decoded && canTrace(report) && (
        <Stored file={file} report={report} value={{ column: 0, row: chosen, place: 0 }} name={data.byteNumber(chosen)} />
      )}
      {report.format !== undefined && (
        <Export file={file} report={report} name={name} column={0} kinds={ABOUT[report.format].saves} snippet={async () => (await import('../formats/snippet')).snippet(report, summary, name)} />
      )}
    </section>
  );
}

/** Reads the part in the address. */
function scopeIn({ parts }: Report): Scope {
  const named = parametersHere().get('block');
  return named !== null && /^\d+$/.test(named) && Number(named) < parts ? Number(named) : 'kept';
}

function waysOf({ size, encoding, shape }: Text): readonly As[] {
  if (size === 0) return [];
  if (encoding !== 'utf-8') return ['bytes'];
  return shape === undefined ? ['lines', 'bytes'] : ['table', 'lines', 'bytes'];
}

/** Says why content is not shown as text, or not all of it. */
function noteOf({ encoding, bad }: Text): string {
  return encoding === 'utf-8' ? (bad < 0 ? '' : words.bad(bad)) : words.encodings[encoding];
}

interface WholeProps {
  readonly file: OpenFile;
  readonly size: number;
  readonly onWhole: () => void;
}

/** Reads all of large content once, to find its lines. */
function Whole({ file, size, onWhole }: WholeProps) {
  const job = useJob();
  const [problem, setProblem] = useState('');
  const read = (): void => {
    if (job.going) return;
    setProblem('');
    void job.run(async (care) => {
      await file.text('whole', care);
      onWhole();
    }).catch((error: Error) => setProblem(reasonOf(error)));
  };
  return (
    <span class="whole">
      <button type="button" aria-disabled={job.going} onClick={read}>{words.whole(size)}</button>
      <Cancel job={job} what={words.wholeJob} />
      {problem !== '' && <span class="refused" role="alert">{words.wholeFailed}: {problem}.</span>}
    </span>
  );
}

interface PartsProps {
  readonly parts: number;
  readonly scope: Scope;
  readonly onScope: (scope: Scope) => void;
}

/** Chooses one part of the file, or the content from its start. */
function Parts({ parts, scope, onScope }: PartsProps) {
  const [typed, type] = useState(typeof scope === 'number' ? scope : 0);
  /** The same at once: Enter changes the field and submits the form in one go. */
  const last = useRef(typed);
  return (
    <form class="search part" onSubmit={(event) => { event.preventDefault(); onScope(last.current); }}>
      <label>
        {words.part} <NumberField label={words.part} min={0} max={parts - 1} value={typed} onValue={(part) => type((last.current = part))} /> {words.ofParts(parts)}
      </label>
      <button type="submit">{words.showPart}</button>
      {scope !== 'kept' && <button type="button" onClick={() => onScope('kept')}>{words.showAll}</button>}
    </form>
  );
}
