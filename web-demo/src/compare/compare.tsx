// Two files side by side: their facts, and the sizes, fields and values that differ.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { OpenFile } from '../client';
import type { Pair, Part } from '../arrive/entries';
import { RemoteFile } from '../arrive/remote';
import { RowTable, useList, type Head } from '../data/rows';
import { bytes, count, inOneLine, reasonOf, value, visible } from '../format';
import { aboutOf } from '../formats/about';
import { sharesOf } from '../formats/ratios';
import { nodeAt } from 'unspool/inspect';
import type { Model, Report } from '../model';
import { heldBy, labelOf, whichOf } from '../structure/fields';
import { verdictOf } from '../structure/overview';
import { useAnswer } from '../tools/answer';
import { Cancel, useJob } from '../tools/cancel';
import { CopyLink } from '../tools/copy-link';
import { Passing } from '../tools/passing';
import { Refused, Remote } from '../tools/refused';
import type { Progress } from '../tools/progress';
import { compare as words, page, problem, sizes as sizeWords } from '../words';
import { alignedNodes, merged } from './align';
import { areIdentical, compareValues, type Compared, type Side } from './values';
import './compare.css';

interface Props {
  readonly pair: Pair;
  /** True if the address of the page opens both files. */
  readonly hasLink: boolean;
}

export function Compare({ pair: [one, other], hasLink }: Props) {
  const [a, b] = [useSide(one), useSide(other)];
  const [names, sides] = [[one, other].map(({ name }) => visible(name)), [a, b]];
  const [left = '', right = ''] = names;
  const open = a.kind === 'open' && b.kind === 'open' ? ([a.side, b.side] as const) : undefined;
  const [result, setResult] = useState<Result>();
  useEffect(() => setResult(undefined), [open?.[0], open?.[1]]);
  const remote = [a, b].some((side) => side.kind === 'open' && side.side.file.source instanceof RemoteFile);
  return (
    <Remote.Provider value={remote}>
      <div class="inspector compare">
        <div class="title">
          <h1 tabIndex={-1} title={words.title(left, right)}>{words.title(left, right)}</h1>
          {result !== undefined && <Verdict result={result} />}
          {hasLink && <span class="actions"><CopyLink /></span>}
        </div>
        {sides.map((side, at) =>
          side.kind === 'failed' ? (
            <p key={at} class="refused" role="alert">
              {words.failed(names[at] ?? '')}: {side.message}. <button type="button" onClick={side.again}>{page.retry}</button>
            </p>
          ) : side.kind === 'reading' ? (
            <p key={at} class="facts" role="status">
              {words.reading(names[at] ?? '')} <progress aria-label={words.reading(names[at] ?? '')} value={side.progress && side.progress.total > 0 ? side.progress.done / side.progress.total : undefined} />
            </p>
          ) : null,
        )}
        {open !== undefined && <Overview sides={open} parts={[one, other]} />}
        {open !== undefined && <Values key={open.map(({ file }) => file.id).join()} sides={open} onResult={setResult} />}
        {open !== undefined && <Sizes sides={open} />}
        {open !== undefined && <Fields sides={open} />}
      </div>
    </Remote.Provider>
  );
}

type State =
  | { readonly kind: 'reading'; readonly progress: Progress | undefined }
  | { readonly kind: 'failed'; readonly message: string; readonly again: () => void }
  | { readonly kind: 'open'; readonly side: Side };

/** Opens one of the files for as long as the comparison is shown. */
function useSide({ get, dictionary }: Part): State {
  const [times, setTimes] = useState(0);
  const [state, setState] = useState<State>({ kind: 'reading', progress: undefined });
  useEffect(() => {
    const going = new AbortController();
    let file: OpenFile | undefined;
    const tell = (progress: Progress): void => {
      if (!going.signal.aborted) setState({ kind: 'reading', progress });
    };
    const read = async (): Promise<void> => {
      tell({ done: 0, total: 0 });
      const source = await get(going.signal, (done, total) => tell({ done, total }));
      if (going.signal.aborted) return;
      file = new OpenFile(source, dictionary);
      const opened = await file.report(tell);
      const report = opened.inspected ? opened : await file.inspect();
      if (!going.signal.aborted) setState({ kind: 'open', side: { file, report } });
    };
    read().catch((error: unknown) => {
      if (!going.signal.aborted) setState({ kind: 'failed', message: reasonOf(error), again: () => setTimes((times) => times + 1) });
    });
    return () => {
      going.abort();
      file?.close();
    };
  }, [get, times]);
  return state;
}

type Sides = readonly [a: Side, b: Side];

interface Result {
  /** True if the files have the same bytes. */
  readonly identical: boolean;
  /** The columns, or the content; empty if the files hold different kinds of values. */
  readonly columns: readonly Compared[];
}

const differs = ({ differ, comparable }: Compared): boolean => differ > 0 || !comparable;

function Verdict({ result: { identical, columns } }: { readonly result: Result }) {
  if (identical) return <p class="verdict good">{words.identical}</p>;
  if (columns.length === 0) return <p class="verdict warn">{words.otherKind}</p>;
  const different = columns.filter(differs).length;
  return different === 0 ? <p class="verdict good">{words.sameValues}</p> : <p class="verdict warn">{words.differ(different)}</p>;
}

/** Facts about both files, one beside the other. */
function Overview({ sides, parts }: { readonly sides: Sides; readonly parts: Pair }) {
  const lists = useMemo(() => sides.map(({ report }) => factsOf(report)), sides);
  const terms = [...new Set(lists.flatMap((facts) => [...facts.keys()]))];
  return (
    <div class="table" tabIndex={0} role="region" aria-label={words.overview}>
      <table>
        <thead>
          <tr>
            <th scope="col" class="text">{words.heads.fact}</th>
            {parts.map(({ name, hash }, at) => (
              <th key={at} scope="col" class="text">
                {words.sides[at]} {hash === undefined ? visible(name) : <a href={`#${hash}`} aria-label={words.open(visible(name))}>{visible(name)}</a>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {terms.map((term) => {
            const [a, b] = lists.map((facts) => facts.get(term) ?? words.none);
            return (
              <tr key={term} class={a === b ? undefined : 'differs'}>
                <th scope="row" class="text">{term}</th>
                <td class="text">{a}</td>
                <td class="text">{b}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function factsOf(report: Report): ReadonlyMap<string, string> {
  const { size, summary, error } = report;
  const { facts } = words;
  const decoded = summary?.decoded ?? 0;
  return new Map([
    [facts.format, `${aboutOf(report)?.name ?? words.kindsOf.none} ${summary?.version ?? ''}`.trim()],
    [facts.verdict, verdictOf(report, undefined)?.words ?? (error === undefined ? words.none : problem.flags.other)],
    [facts.size, count(size)],
    ...(decoded > 0 ? [[facts.decoded, count(decoded)] as const, [facts.ratio, `${(decoded / size).toFixed(2)}×`] as const] : []),
    ...(summary?.facts ?? []),
  ]);
}

/** Compares the values: at once, or on request if that downloads a large file. */
function Values({ sides, onResult }: { readonly sides: Sides; readonly onResult: (result: Result) => void }) {
  const job = useJob();
  const far = sides.filter(({ file: { source } }) => source instanceof RemoteFile);
  const [wanted, want] = useState(far.length === 0);
  const [picked, pick] = useState(-1);
  const { value: result, error, again } = useAnswer(
    () => new Promise<Result | undefined>((resolve, reject) => {
      if (!wanted) return resolve(undefined);
      void job.run(async (watch) => {
        watch.signal.addEventListener('abort', () => want(false));
        try {
          const [a, b] = sides;
          const identical = far.length === 0 && (await areIdentical(a, b, watch));
          resolve({ identical, columns: identical ? [] : await compareValues(a, b, watch) });
        } catch (error) {
          reject(error);
        }
      });
    }),
    [...sides, wanted],
  );
  useEffect(() => {
    if (result === undefined) return;
    onResult(result);
    pick(result.columns.findIndex(({ first }) => first.length > 0));
  }, [result]);
  const summaries = sides.map(({ report: { summary } }) => summary);
  const [one, other] = summaries.map((summary) => words.kindsOf[summary?.shows ?? 'none']);
  const shown = result?.columns[picked];
  return (
    <section class="preview" aria-label={words.values}>
      <div class="heading">
        <h2>{words.values}</h2>
        {result === undefined && error === '' && (
          <p class="facts" role="status">
            {wanted ? words.comparing : <Passing onClick={() => want(true)}>{words.start(far.reduce((sum, { file: { source } }) => sum + source.size, 0))}</Passing>}
            <Cancel job={job} what={words.job} />
          </p>
        )}
        {result?.identical && <p class="facts">{words.same}</p>}
      </div>
      <Refused what={words.stopped} error={error} onRetry={again} />
      {summaries.some((summary) => summary?.startOnly) && <p class="doubt" role="note">{words.startOnly}</p>}
      {sides.some(({ report }) => report.error !== undefined) && <p class="doubt" role="note">{words.broken}</p>}
      {result !== undefined && !result.identical && result.columns.length === 0 && <p class="facts">{words.kinds(one ?? '', other ?? '')}</p>}
      {result !== undefined && result.columns.length > 0 && <Columns columns={result.columns} picked={picked} onPick={pick} />}
      {shown !== undefined && shown.first.length > 0 && <Differences key={picked} column={shown} byte={summaries[0]?.shows === 'bytes'} />}
    </section>
  );
}

/** The columns of both files, with the number of rows that differ. */
function Columns({ columns, picked, onPick }: { readonly columns: readonly Compared[]; readonly picked: number; readonly onPick: (at: number) => void }) {
  const rows = useList(columns, [columns]);
  const most = columns.some(({ most }) => most > 0);
  const { heads } = words;
  const list: Head[] = [{ name: heads.column, kind: 'text' }, { name: heads.rowsOf('A') }, { name: heads.rowsOf('B') }, { name: heads.differ }, ...(most ? [{ name: heads.most }] : []), { name: heads.note, kind: 'text' }];
  return (
    <RowTable
      rows={rows}
      label={heads.column}
      heads={list}
      chosen={picked}
      onRow={(at) => (columns[at]?.first.length ?? 0) > 0 && onPick(at)}
      cells={({ name, a, b, differ, most: largest, note, comparable, first }, at) => (
        <>
          <th scope="row" class="text">
            {first.length === 0 ? visible(name) : <button type="button" aria-label={words.show(visible(name))} aria-pressed={at === picked} onClick={() => onPick(at)}>{visible(name)}</button>}
          </th>
          <td>{a === undefined ? words.none : count(a)}</td>
          <td>{b === undefined ? words.none : count(b)}</td>
          <td>{comparable ? count(differ) : words.none}</td>
          {most && <td>{largest > 0 ? value(largest) : words.none}</td>}
          <td class="text">{note}</td>
        </>
      )}
    />
  );
}

function Differences({ column: { name, first, differ }, byte }: { readonly column: Compared; readonly byte: boolean }) {
  const rows = useList(first, [first]);
  const places = first.some(({ place }) => place !== undefined);
  const { heads } = words;
  const [a = '', b = ''] = words.sides;
  return (
    <>
      <h3>{words.listed(first.length, Math.max(first.length, differ), visible(name))}</h3>
      <RowTable
        rows={rows}
        label={heads.difference}
        heads={[{ name: byte ? heads.byte : heads.row }, ...(places ? [{ name: heads.place }] : []), { name: a, kind: 'text' }, { name: b, kind: 'text' }]}
        cells={({ at, place, a, b }) => (
          <>
            <th scope="row">{count(at)}</th>
            {places && <td>{place === undefined ? '' : count(place)}</td>}
            <td class="text">{a === undefined ? words.none : inOneLine(a)}</td>
            <td class="text">{b === undefined ? words.none : inOneLine(b)}</td>
          </>
        )}
      />
    </>
  );
}

/** A piece of both files. */
interface Piece {
  readonly name: string;
  readonly a: number;
  readonly b: number;
}

const SORTS = {
  piece: (_: Piece, at: number) => -at,
  a: ({ a }: Piece) => a,
  b: ({ b }: Piece) => b,
  change: ({ a, b }: Piece) => Math.abs(b - a),
} as const;

/** The size of each column, chunk or block in both files, the largest change first. */
function Sizes({ sides }: { readonly sides: Sides }) {
  const pieces = useMemo(() => piecesOf(sides), sides);
  const [by, sortBy] = useState<keyof typeof SORTS>('change');
  const sorted = useMemo(() => {
    const keys = pieces.map((piece, at) => [piece, SORTS[by](piece, at)] as const);
    return keys.sort(([, one], [, other]) => other - one).map(([piece]) => piece);
  }, [pieces, by]);
  const rows = useList(sorted, [sorted]);
  if (pieces.length === 0) return null;
  const [a = '', b = ''] = words.sides;
  const { heads } = words;
  const head = (sort: keyof typeof SORTS, name: string, kind?: 'text'): Head => ({ name, kind, order: by === sort ? (sort === 'piece' ? 'ascending' : 'descending') : 'none', onSort: () => sortBy(sort) });
  const widest = Math.max(1, ...pieces.map(({ a, b }) => Math.abs(b - a)));
  return (
    <section class="preview" aria-label={words.sizes}>
      <h2>{words.sizes}</h2>
      <RowTable
        rows={rows}
        label={sizeWords.pieces}
        heads={[head('piece', heads.piece, 'text'), head('a', heads.sizeOf(a)), head('b', heads.sizeOf(b)), head('change', heads.change), { name: heads.share }]}
        cells={({ name, a, b }) => (
          <>
            <th scope="row" class="text">{name}</th>
            <td>{a < 0 ? words.none : bytes(a)}</td>
            <td>{b < 0 ? words.none : bytes(b)}</td>
            <td class={`bar-cell ${b > a ? 'more-bytes' : 'fewer-bytes'}`}><span style={{ width: `${(100 * Math.abs(Math.max(0, b) - Math.max(0, a))) / widest}%` }} />{changeOf(a, b)}</td>
            <td>{a > 0 && b > 0 && a !== b ? `${b > a ? '+' : '−'}${((100 * Math.abs(b - a)) / a).toFixed(1)}%` : ''}</td>
          </>
        )}
      />
    </section>
  );
}

function changeOf(a: number, b: number): string {
  const change = Math.max(0, b) - Math.max(0, a);
  return change === 0 ? '0' : `${change > 0 ? '+' : '−'}${bytes(Math.abs(change))}`;
}

/** Returns the pieces of both files by name. A missing one has the size -1. */
function piecesOf(sides: Sides): Piece[] {
  const [one, other] = sides.map(({ report }) => {
    const seen = new Map<string, number>();
    const shares = sharesOf(report);
    const keys = shares.map(({ name }) => {
      const times = seen.get(name) ?? 0;
      seen.set(name, times + 1);
      return `${name} ${times}`;
    });
    return { shares, keys: new Map(keys.map((key, at) => [key, at])) };
  });
  if (one === undefined || other === undefined) return [];
  return merged(one.keys, other.keys).map(([a, b]) => ({
    name: visible(one.shares[a]?.name ?? other.shares[b]?.name ?? ''), a: one.shares[a]?.bytes ?? -1, b: other.shares[b]?.bytes ?? -1,
  }));
}

/** The fields of both files, aligned. */
function Fields({ sides }: { readonly sides: Sides }) {
  const models = sides.map(({ report: { model } }) => model);
  const [one, other] = models;
  const [all, showAll] = useState(false);
  const lines = useMemo(() => (one === undefined || other === undefined ? [] : alignedNodes(one, other)), models);
  const different = useMemo(() => lines.filter(({ differs }) => differs), [lines]);
  const shown = all ? lines : different;
  const rows = useList(shown, [shown]);
  const [left = '', right = ''] = words.sides;
  const { heads } = words;
  return (
    <section class="preview" aria-label={words.structure}>
      <div class="heading">
        <h2>{words.structure}</h2>
        <p class="facts">{words.fieldsDiffer(different.length, lines.length)}</p>
        <label class="facts">
          <input type="checkbox" checked={!all} onChange={({ currentTarget }) => showAll(!currentTarget.checked)} /> {words.onlyDifferent}
        </label>
      </div>
      {shown.length === 0 && <p class="facts">{words.noDifference}</p>}
      <RowTable
        rows={rows}
        label={words.fields}
        heads={[{ name: heads.field, kind: 'text' }, { name: left, kind: 'text' }, { name: right, kind: 'text' }, { name: heads.sizeOf(left) }, { name: heads.sizeOf(right) }]}
        cells={({ a, b, depth, differs }) => {
          const [first, second] = [fieldOf(one, a), fieldOf(other, b)];
          return (
            <>
              <th scope="row" class={differs ? 'text differs' : 'text'} style={{ paddingLeft: `${8 + 14 * depth}px` }}>{first?.name ?? second?.name}</th>
              <td class="text">{first?.value ?? words.none}</td>
              <td class="text">{second?.value ?? words.none}</td>
              <td>{first?.size ?? words.none}</td>
              <td>{second?.size ?? words.none}</td>
            </>
          );
        }}
      />
    </section>
  );
}

/** Letters of a value that are shown. */
const LETTERS = 80;

function fieldOf(model: Model | undefined, node: number): { readonly name: string; readonly value: string; readonly size: string } | undefined {
  if (model === undefined || node < 0) return undefined;
  const { id, name, value, part, start, end } = nodeAt(model.structure, node);
  const text = part === undefined ? whichOf(id, value) : heldBy(id, value);
  return { name: labelOf({ id, name }), value: text.length > LETTERS ? `${text.slice(0, LETTERS)}…` : text, size: bytes((end - start) / 8) };
}
