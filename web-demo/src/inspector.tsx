// One open file: its verdict and facts, and tabs with its data, structure, bytes and codec.
import type { ComponentType } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { noteInAddress, readAddress } from './arrive/address';
import { hasJustArrived, settle } from './arrive/arrival';
import { damagedOrigin } from './arrive/origin';
import { RemoteFile } from './arrive/remote';
import type { Unread } from './bytes/bytes';
import type { OpenFile } from './client';
import type { ValuesProps } from './data/preview';
import { visible } from './format';
import { brokenAt, bytesOf, coveredBy, cutAt, leafAt, leafAtBit, sameNode, type Fault, type Report, type Summary, type Verdict } from './model';
import { idOfDictionary, wantsDictionary } from './structure/dictionary-wanted';
import { bytesAfterEnd, endsTooEarly, Overview, verdictOf } from './structure/overview';
import { CopyLink } from './tools/copy-link';
import { useAnswer } from './tools/answer';
import { lazy, useLazy, type Lazy } from './tools/later';
import { Refused, Remote } from './tools/refused';
import { useShortcuts } from './tools/shortcuts';
import { Tabs } from './tools/tabs';
import { Decodes } from './trace/asked';
import { canTrace, Going } from './trace/going';
import type { Bits as BitRange, Value } from './trace/tracer';
import { problem, structure as words, verdict as verdicts, views } from './words';

/** The view for each kind of decoded values. */
const VALUES: Readonly<Record<Summary['shows'], Lazy<ComponentType<ValuesProps>>>> = {
  numbers: lazy(async () => (await import('./data/preview')).Preview),
  strings: lazy(async () => (await import('./data/strings')).Strings),
  bytes: lazy(async () => (await import('./data/decoded')).Decoded),
  table: lazy(async () => (await import('./data/table')).Table),
};

/** The view of decoded text. */
const TEXT = lazy(() => import('./text/text-view'));

/** What the files of a format show, as far as that is certain before they are read. */
const FORESEEN: Partial<Record<NonNullable<Report['format']>, Summary['shows']>> = {
  at1: 'table', cvc: 'numbers', gzip: 'bytes', lzma: 'bytes', onpair: 'strings', pco: 'numbers', xz: 'bytes', zstd: 'bytes',
};

/** Loads the view of the data of such a file, while it is read. */
export async function foresee(format: NonNullable<Report['format']>): Promise<void> {
  const shows = FORESEEN[format];
  if (shows !== undefined) await Promise.all([VALUES[shows].load(), shows === 'bytes' && TEXT.load()]);
}

/** Notes on a file that is broken, large or unknown. */
const NOTES = lazy(() => import('./structure/notes'));

/** The views of the other tabs. */
const STRUCTURE = lazy(() => import('./structure/views'));
const TOTALS = lazy(() => import('./structure/totals'));
const INSIDE = lazy(() => import('./inside/inside'));

/**
 * Loads the view and the notes that a file starts with. If that view needs the structure, inspects
 * the file. Returns the report, with the structure if there is one.
 */
export async function prepared(file: OpenFile, report: Report): Promise<Report> {
  const view = firstView(report, viewsOf(report));
  const modules = { data: report.summary && VALUES[report.summary.shows], structure: STRUCTURE, bytes: TOTALS, codec: INSIDE };
  const [inspected] = await Promise.all([report.inspected || view === 'data' ? report : file.inspect(), modules[view]?.load(), view === 'data' && report.isText && TEXT.load(), hasNotes(report) && NOTES.load()]);
  return inspected;
}

/** Returns `true` if there is more to say about a file than that it has no error. */
function hasNotes(report: Report): boolean {
  return report.format === undefined || report.read !== 'all' || report.summary?.startOnly === true || verdictOf(report, undefined)?.kind !== 'good';
}

/** The tabs, in order. */
const VIEWS = ['data', 'structure', 'bytes', 'codec'] as const;
type View = (typeof VIEWS)[number];

export interface InspectorProps {
  readonly name: string;
  readonly file: OpenFile;
  readonly report: Report;
  /** True if the address of the page opens the file. */
  readonly hasLink: boolean;
  /** Called when the file has been inspected, or its chunks have been listed. */
  readonly onListed: (report: Report) => void;
}

export function Inspector({ name, file, report, hasLink, onListed }: InspectorProps) {
  const { model, size, summary } = report;
  const content = file.content(report);
  const [checked, setChecked] = useState<Verdict>();
  const error = report.error ?? checked?.error;
  const [selected, setSelected] = useState(-1);
  const [hovered, setHovered] = useState(-1);
  const [cursor, setCursor] = useState(-1);
  /** Increases with each request for a place, so that the panes scroll to it again. */
  const [asked, setAsked] = useState(0);
  /** The bits of a value, and the value of bits. */
  const [traced, setTraced] = useState<BitRange>();
  const [sought, seek] = useState<Value>();
  const [unread, setUnread] = useState<Unread>();
  const panes = useRef<HTMLDivElement>(null);
  const known = report.format !== undefined;
  // A truncated file is broken at its last byte.
  const short = error !== undefined && endsTooEarly(error);
  // If a file needs its dictionary, no byte is wrong; the field with the dictionary ID says so.
  const wanting = wantsDictionary(error);
  const broken = error !== undefined && known && !wanting ? (short ? size - 1 : Math.min(error.offset, size - 1)) : -1;
  const brokenNode = wanting ? idOfDictionary(model) : error === undefined || broken < 0 ? -1 : short ? cutAt(model, error, size) : brokenAt(model, broken);
  // If a checksum does not match, mark the bytes it covers, rather than the checksum.
  const mismatch = known && error?.class === 'Checksum';
  const covered = useMemo(() => (mismatch ? coveredBy(model, error) : undefined), [model, error, mismatch]);
  const wrong = mismatch ? -1 : broken;

  const shown = useMemo(() => viewsOf(report), [report]);
  const [picked, setPicked] = useState<View>(() => firstView(report, shown));
  const view = shown.includes(picked) ? picked : (shown[0] ?? 'structure');
  /** Tabs that were shown: they stay as they are. */
  const visited = useRef(new Set<View>());
  visited.current.add(view);
  const pick = (to: View): void => {
    setPicked(to);
    noteInAddress({ view: to });
  };
  const inspect = async (): Promise<void> => {
    if (!report.inspected) onListed(await file.inspect());
  };
  useShortcuts(
    (number) => shown[number - 1] !== undefined && pick(shown[number - 1] ?? view),
    async (key) => {
      if ((key !== 'g' && key !== '/') || !shown.includes('structure')) return;
      // Loading it again, for the tab, reports what failed.
      await Promise.all([STRUCTURE.load(), inspect()]).catch(() => undefined);
      setPicked('structure');
    },
  );

  // If the values were decoded first, the structure follows when a tab shows it. The data needs it
  // for the ends of several chunks.
  const [structureWanted, wantStructure] = useState(summary?.chunkEnds === undefined);
  const inspection = useAnswer(async () => {
    if (structureWanted || view !== 'data') await inspect();
  }, [file, report.inspected, structureWanted, view !== 'data']);

  const goToByte = useCallback(
    (byte: number) => {
      setCursor(byte);
      setTraced(undefined);
      setSelected(leafAt(model, byte));
      setAsked((times) => times + 1);
    },
    [model],
  );
  const goToNode = useCallback((node: number) => {
    setCursor(-1);
    setTraced(undefined);
    setSelected(node);
    setAsked((times) => times + 1);
  }, []);
  /** Increases with each place to scroll the page to. */
  const [revealed, reveal] = useState(0);
  const showPanes = (): void => {
    pick('structure');
    reveal((times) => times + 1);
  };
  /** Goes to a byte or a node for a button elsewhere on the page. */
  const showByte = (byte: number): void => {
    goToByte(byte);
    showPanes();
  };
  const showNode = (node: number): void => {
    goToNode(node);
    showPanes();
  };

  const going = useMemo<Going>(
    () => ({
      sought,
      showBits(bits) {
        showByte(Math.floor(bits[0] / 8));
        setSelected(leafAtBit(model, bits[0]));
        setTraced(bits);
      },
      showValue(value) {
        seek(value);
        pick('data');
      },
      inspect: () => wantStructure(true),
    }),
    [sought, model],
  );

  // A broken file opens at its error, unless the address names another place.
  useEffect(() => {
    const { at, node } = readAddress();
    if (at !== undefined && at < size) goToByte(at);
    else if (node !== undefined && node < model.structure.length) goToNode(node);
    else if (broken >= 0) goToByte(broken);
    else if (brokenNode >= 0) goToNode(brokenNode);
  }, []);
  useEffect(() => {
    if (checked?.error !== undefined && broken >= 0) goToByte(broken);
  }, [checked]);

  // The control that opened the file is gone: move the focus to the name of the file, which is
  // described by its verdict.
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!hasJustArrived() && document.activeElement === document.body) title.current?.focus({ preventScroll: true });
    settle();
  }, []);

  // A tree that arrived later has other nodes.
  const before = useRef(model);
  useEffect(() => {
    if (model !== before.current) setSelected(cursor >= 0 ? leafAt(model, cursor) : sameNode(before.current, selected, model));
    before.current = model;
  }, [model]);

  useEffect(() => noteInAddress({ at: cursor, node: cursor >= 0 ? undefined : selected }), [cursor, selected]);

  const Values = useLazy(VALUES[summary?.shows ?? 'bytes'], visited.current.has('data'));
  const Structure = useLazy(STRUCTURE, visited.current.has('structure'));
  const Totals = useLazy(TOTALS, visited.current.has('bytes'));
  const Codec = useLazy(INSIDE, visited.current.has('codec'));
  useEffect(() => {
    if (revealed > 0) panes.current?.scrollIntoView({ block: 'nearest' });
  }, [revealed, Structure.now]);
  const Notes = NOTES.now;
  const { refusal } = { data: Values, structure: Structure, bytes: Totals, codec: Codec }[view];

  // The values do not change while the pointer moves over the bytes.
  const values = useMemo(() => summary !== undefined && Values.now !== undefined && <Values.now file={file} name={name} report={report} summary={summary} />, [file, name, report, summary, Values.now]);

  const pickPart = (part: number): void => {
    const { structure, leaves } = model;
    if (part >= structure.parts.length) return showByte(Math.max(0, Math.min(size - 1, Math.ceil((structure.end[leaves.at(-1) ?? 0] ?? 0) / 8))));
    const from = selected < 0 ? -1 : leaves.indexOf(selected);
    const after = leaves.findIndex((leaf, at) => at > from && structure.part[leaf] === part);
    showNode(leaves[after >= 0 ? after : leaves.findIndex((leaf) => structure.part[leaf] === part)] ?? -1);
  };

  const verdict = verdictOf(report, checked);
  const extra = bytesAfterEnd(report) || (checked?.extra ?? 0);
  const origin = damagedOrigin(file.source);
  const panels: Readonly<Record<View, () => preact.ComponentChildren>> = {
    data: () => values,
    structure: () => Structure.now && (
      <>
        {known && <Structure.now.FileMap report={report} content={content} cursor={cursor} selected={selected} hovered={hovered} broken={wrong} covered={covered} onCursor={goToByte} onHover={setHovered} />}
        <Structure.now.Find file={file} size={size} structure={model.structure} cursor={cursor} selected={selected} onByte={showByte} onNode={showNode} />
        <div class={model.structure.length > 0 ? 'panes' : 'panes alone'} ref={panes} data-jump={words.title} style={{ '--tall': `${tallest(model.structure.length, size)}px`, ...Structure.now.columnsOf() }}>
          {model.structure.length > 0 && (
            <>
              <Structure.now.TreeView model={model} selected={selected} asked={asked} hovered={hovered} broken={brokenNode} flag={error === undefined ? '' : flagOf(error)} onSelect={goToNode} onHover={setHovered} />
              <Structure.now.Split label={words.split} around={panes} />
            </>
          )}
          <Structure.now.HexView blob={content} model={model} selected={selected} asked={asked} hovered={hovered} cursor={cursor} broken={wrong} covered={covered} traced={traced} onCursor={goToByte} onHover={setHovered} onUnread={setUnread} />
        </div>
        {unread !== undefined && <Refused what={words.unread} error={unread.error} onRetry={unread.again} />}
        <Structure.now.Place model={model} node={hovered >= 0 ? hovered : selected} cursor={cursor} />
        <Structure.now.Bits model={model} content={content} selected={selected} hovered={hovered} cursor={cursor} traced={traced} onSelect={goToNode} onHover={setHovered} />
        {cursor >= 0 && canTrace(report) && <Decodes file={file} report={report} at={cursor} />}
        {/* Also of a field, so that the page does not jump between a byte and a field. */}
        {(cursor >= 0 || selected >= 0) && <Structure.now.Readings content={content} at={cursor >= 0 ? cursor : Math.min(size - 1, bytesOf(model, selected)[0])} />}
        <Structure.now.Take name={name} model={model} content={content} selected={selected} />
        {model.structure.leftOut > 0 && <p class="fine">{words.leftOut(model.structure.length, model.structure.leftOut)}</p>}
      </>
    ),
    bytes: () => Totals.now && (
      <>
        <Totals.now.Parts model={model} size={size} broken={error !== undefined} onPick={pickPart} />
        <Totals.now.Sizes report={report} onPick={showNode} />
      </>
    ),
    codec: () => Codec.now && <Codec.now.Inside file={file} report={report} selected={selected} onSelect={goToNode} />,
  };

  return (
    <Remote.Provider value={file.source instanceof RemoteFile}>
      <Going.Provider value={going}>
        <div class="inspector">
          <div class="title">
            <h1 ref={title} title={visible(name)} tabIndex={-1} aria-describedby="verdict">{visible(name)}</h1>
            {verdict !== undefined && <p id="verdict" class={`verdict ${verdict.kind}`}>{verdict.words}</p>}
            {extra > 0 && <p class="verdict warn">{verdicts.extra(extra)}</p>}
            {verdict === undefined && known && Notes !== undefined && <Notes.Check file={file} size={size} onChecked={setChecked} />}
            {hasLink && <span class="actions"><CopyLink /></span>}
            {shown.length > 1 && <Tabs label={views.label} panels="view" tabs={shown.map((id) => ({ id, name: views[id] }))} picked={view} onPick={(id) => pick(id as View)} />}
          </div>
          <Overview report={report} />
          {origin !== undefined && <p class="doubt" role="note">{verdicts.doubtfulOrigin(visible(origin))}</p>}
          {Notes !== undefined && <Notes.Large file={file} report={report} onListed={onListed} />}
          {Notes !== undefined && wanting && <Notes.WantsDictionary report={report} />}
          {Notes !== undefined && error !== undefined && known && !wanting && (
            <Notes.Problem report={report} error={error} node={brokenNode} size={size} covered={covered} understood={model.leaves.length} onShow={() => showByte(broken)} />
          )}
          {Notes !== undefined && <Notes.MayWantDictionary report={report} />}
          {Notes !== undefined && !known && <Notes.Unknown content={content} cut={error?.class === 'Truncated'} />}
          {refusal}
          {view !== 'data' && <Refused what={words.notRead} error={inspection.error} onRetry={inspection.again} />}
          {shown.map((id) => (
            <div key={id} id={`view-${id}`} class="view" role={shown.length > 1 ? 'tabpanel' : undefined} aria-labelledby={shown.length > 1 ? `view-tab-${id}` : undefined} hidden={id !== view}>
              {visited.current.has(id) && (id === 'data' || report.inspected) && panels[id]()}
            </div>
          ))}
        </div>
      </Going.Provider>
    </Remote.Provider>
  );
}

/** Returns the tabs that a file has. */
function viewsOf(report: Report): readonly View[] {
  const { summary, size, format } = report;
  const [known, some] = [format !== undefined, size > 0];
  const has: Readonly<Record<View, boolean>> = { data: summary !== undefined, structure: some, bytes: known && some, codec: report.hasCodec };
  return VIEWS.filter((view) => has[view]);
}

/**
 * Returns the tab to start with: the one in the address, the place in it, or an error; else the
 * data. Of compressed content that is not text, the structure says more than its first page.
 */
function firstView({ error, format, summary, isText }: Report, shown: readonly View[]): View {
  const { view, at, node } = readAddress();
  const named = shown.find((id) => id === view);
  if (named !== undefined) return named;
  const atError = error !== undefined && format !== undefined;
  return at !== undefined || node !== undefined || atError || (summary?.shows === 'bytes' && !isText) ? 'structure' : (shown[0] ?? 'structure');
}

/** Returns the label beside the broken part. */
function flagOf(error: Fault): string {
  const { flags } = problem;
  if (wantsDictionary(error)) return flags.dictionary;
  if (endsTooEarly(error)) return flags.short;
  switch (error.class) {
    case 'Checksum': return flags.checksum;
    case 'Unsupported': return flags.unsupported;
    case 'Limit': return flags.limit;
    default: return flags.other;
  }
}

/** Returns the maximum height of the tree and the bytes, so that a short file leaves no gap. */
function tallest(nodes: number, size: number): number {
  return 40 + Math.max(26 * nodes, 24 * Math.ceil(size / 16));
}
