// One open file: its description, its bytes, and the place under the cursor.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { noteInAddress, readAddress } from './arrive/address';
import { Bits } from './bytes/bits';
import type { Unread } from './bytes/bytes';
import type { OpenFile } from './client';
import { Decoded } from './data/decoded';
import { idOfDictionary, MayWantDictionary, WantsDictionary, wantsDictionary } from './structure/dictionary';
import { FileInput } from './arrive/file-input';
import { damagedOrigin } from './arrive/origin';
import { RemoteFile } from './arrive/remote';
import { count, plural, visible } from './format';
import { Find } from './bytes/find';
import { HexView } from './bytes/hex-view';
import { Large } from './structure/large';
import { Jumps } from './tools/jumps';
import { FileMap } from './structure/map';
import { Inside } from './inside/inside';
import { brokenAt, coveredBy, cutAt, leafAt, placeOf, sameNode, type Fault, type Report, type Verdict } from './model';
import { Check } from './structure/check';
import { Overview } from './structure/overview';
import { Parts } from './structure/parts';
import { endsTooEarly, Problem } from './structure/problem';
import { Place } from './bytes/place';
import { Preview } from './data/preview';
import { Readings } from './bytes/readings';
import { Remote } from './tools/refused';
import { useLater } from './tools/later';
import { useShortcuts } from './tools/shortcuts';
import { Shares } from './structure/shares';
import { Strings } from './data/strings';
import { Table } from './data/table';
import { Take } from './structure/take';
import { Unknown } from './structure/unknown';
import { TreeView } from './structure/tree-view';

/** The view for each kind of decoded values. */
const VIEWS = { numbers: Preview, strings: Strings, bytes: Decoded, table: Table };

/**
 * True if the page was opened with an address and not used yet: its first tab stop is at the top.
 */
let justArrived = location.hash !== '';

/** Called once the first file has loaded or failed. */
export function settle(): void {
  justArrived = false;
}

interface Props {
  readonly name: string;
  readonly file: OpenFile;
  readonly report: Report;
  /** Number of files that came with it and are not shown. */
  readonly others: number;
  readonly onFiles: (files: readonly File[]) => void;
  /** Called when the chunks of the file have been listed. */
  readonly onListed: (report: Report) => void;
}

export function Inspector({ name, file, report, others, onFiles, onListed }: Props) {
  const { model, size, summary } = report;
  const [checked, setChecked] = useState<Verdict>();
  const error = report.error ?? checked?.error;
  const origin = damagedOrigin(file.source);
  const content = file.content(report);
  const [selected, setSelected] = useState(-1);
  const [hovered, setHovered] = useState(-1);
  const [cursor, setCursor] = useState(-1);
  /** Increases with each request for a place, so that the panes scroll to it again. */
  const [asked, setAsked] = useState(0);
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
  const painted = useLater();
  useShortcuts();

  const goToByte = useCallback(
    (byte: number) => {
      setCursor(byte);
      setSelected(leafAt(model, byte));
      setAsked((times) => times + 1);
    },
    [model],
  );
  const goToNode = useCallback((node: number) => {
    setCursor(-1);
    setSelected(node);
    setAsked((times) => times + 1);
  }, []);
  /** Goes to a byte for a button elsewhere on the page. */
  const showByte = (byte: number): void => {
    goToByte(byte);
    panes.current?.scrollIntoView({ block: 'nearest' });
  };
  const showNode = (node: number): void => {
    goToNode(node);
    panes.current?.scrollIntoView({ block: 'nearest' });
  };

  // A broken file opens at its error, unless the address names another place.
  useEffect(() => {
    const { at, node } = readAddress();
    if (at !== undefined && at < size) goToByte(at);
    else if (node !== undefined && node < model.structure.length) goToNode(node);
    else if (broken >= 0) goToByte(broken);
    else if (brokenNode >= 0) goToNode(brokenNode);
  }, []);

  // The control that opened the file is gone: move the focus to the name of the file, which is
  // described by its verdict.
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!justArrived && document.activeElement === document.body) title.current?.focus({ preventScroll: true });
    settle();
  }, []);

  // A tree that arrived later has other nodes.
  const shown = useRef(model);
  useEffect(() => {
    if (model !== shown.current) setSelected(cursor >= 0 ? leafAt(model, cursor) : sameNode(shown.current, selected, model));
    shown.current = model;
  }, [model]);

  useEffect(() => noteInAddress({ at: cursor, node: cursor >= 0 ? undefined : selected }), [cursor, selected]);

  // The values do not change while the pointer moves over the bytes.
  const values = useMemo(() => {
    if (summary === undefined) return false;
    const View = VIEWS[summary.shows];
    return <View file={file} name={name} report={report} summary={summary} />;
  }, [file, name, report, summary]);

  const pickPart = (part: number): void => {
    const { structure, leaves } = model;
    if (part >= structure.parts.length) return showByte(Math.max(0, Math.min(size - 1, Math.ceil((structure.end[leaves.at(-1) ?? 0] ?? 0) / 8))));
    const from = selected < 0 ? -1 : leaves.indexOf(selected);
    const after = leaves.findIndex((leaf, at) => at > from && structure.part[leaf] === part);
    showNode(leaves[after >= 0 ? after : leaves.findIndex((leaf) => structure.part[leaf] === part)] ?? -1);
  };

  return (
    <Remote.Provider value={file.source instanceof RemoteFile}>
    <div class="inspector">
      <div class="title">
        <h1 ref={title} title={visible(name)} tabIndex={-1} aria-describedby="verdict">{visible(name)}</h1>
        <Jumps of={painted} />
        <label class="another">
          <FileInput onFiles={onFiles} />
          Open another file
        </label>
      </div>
      {others > 0 && <p class="fine" role="status">One file is shown at a time: {plural(others, 'other')} that came with it {others === 1 ? 'was' : 'were'} not opened.</p>}
      {origin !== undefined && <p class="doubt" role="note">This is the content of {visible(origin)}, whose checksum does not match: any part of it may be wrong.</p>}
      <Overview report={report} checked={checked} check={<Check file={file} size={size} onChecked={setChecked} />} />
      <Large file={file} report={report} onListed={onListed} />
      {wanting && <WantsDictionary report={report} />}
      {error !== undefined && known && !wanting && (
        <Problem report={report} error={error} part={error.part ?? placeOf(model, brokenNode)} size={size} covered={covered} understood={model.leaves.length} onShow={() => showByte(broken)} />
      )}
      <MayWantDictionary report={report} />
      {!known && <Unknown content={content} cut={error?.class === 'Truncated'} />}
      {size > 0 && (
        <>
          {known && <Parts model={model} size={size} broken={error !== undefined} onPick={pickPart} />}
          <Shares report={report} onPick={showNode} />
          {known && <FileMap model={model} size={size} cursor={cursor} selected={selected} hovered={hovered} broken={wrong} covered={covered} onCursor={goToByte} onHover={setHovered} />}
          <Find file={file} size={size} structure={model.structure} cursor={cursor} selected={selected} onByte={showByte} onNode={showNode} />
          <div class="panes" ref={panes} data-jump="Structure and bytes" tabIndex={-1} style={{ '--tall': `${tallest(model.structure.length, size)}px` }}>
            {model.structure.length > 0 && (
              <TreeView model={model} selected={selected} asked={asked} hovered={hovered} broken={brokenNode} flag={error === undefined ? '' : flagOf(error)} onSelect={goToNode} onHover={setHovered} />
            )}
            <HexView blob={content} model={model} selected={selected} asked={asked} hovered={hovered} cursor={cursor} broken={wrong} covered={covered} onCursor={goToByte} onHover={setHovered} onUnread={setUnread} />
          </div>
          {unread !== undefined && unread.error !== '' && (
            <p class="refused" role="alert">
              Bytes in sight cannot be read: {unread.error}. <button type="button" onClick={unread.again}>Retry</button>
            </p>
          )}
          <Place model={model} node={hovered >= 0 ? hovered : selected} cursor={cursor} />
          <Bits model={model} content={content} selected={selected} hovered={hovered} cursor={cursor} onSelect={goToNode} onHover={setHovered} />
          <Take name={name} model={model} content={content} selected={selected} />
          {cursor >= 0 && <Readings content={content} at={cursor} />}
          {model.structure.leftOut > 0 && <p class="fine">The tree shows the first {plural(model.structure.length, 'node')}; {count(model.structure.leftOut)} more were left out.</p>}
        </>
      )}
      {painted && values}
      {painted && <Inside file={file} report={report} selected={selected} onSelect={goToNode} />}
    </div>
    </Remote.Provider>
  );
}

/** Returns the label beside the broken part. */
function flagOf(error: Fault): string {
  if (wantsDictionary(error)) return 'needs its dictionary';
  if (endsTooEarly(error)) return 'ends too early';
  switch (error.class) {
    case 'Checksum': return 'does not match';
    case 'Unsupported': return 'not supported';
    case 'Limit': return 'exceeds a limit';
    default: return 'broken here';
  }
}

/** Returns the maximum height of the tree and the bytes, so that a short file leaves no gap. */
function tallest(nodes: number, size: number): number {
  return 40 + Math.max(26 * nodes, 24 * Math.ceil(size / 16));
}
