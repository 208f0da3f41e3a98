// The page: which file is open, and where in it the visitor is.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { OpenFile } from './client';
import { leafAt, type Report } from './model';
import { FileInput } from './file-input';
import { bytes } from './format';
import { Decoded } from './decoded';
import { HexView } from './hex-view';
import { Overview, Problem } from './overview';
import { Parts } from './parts';
import { Place } from './place';
import { Preview } from './preview';
import { SAMPLES } from './samples';
import { Samples, Start } from './start';
import { Strings } from './strings';
import { TreeView } from './tree-view';

type State =
  | { readonly kind: 'empty' }
  | { readonly kind: 'busy'; readonly name: string; readonly size: number | undefined }
  | { readonly kind: 'failed'; readonly name: string; readonly message: string }
  | { readonly kind: 'open'; readonly name: string; readonly sample: string; readonly file: OpenFile; readonly report: Report };

/** What shows the decoded values, by what they are. */
const VIEWS = { numbers: Preview, strings: Strings, bytes: Decoded };

export function App() {
  const [state, setState] = useState<State>({ kind: 'empty' });
  const [over, setOver] = useState(false);
  const opened = useRef<OpenFile>();
  const turn = useRef(0);

  const show = useCallback(async (name: string, sample: string, get: () => Promise<Blob>): Promise<void> => {
    const mine = ++turn.current;
    opened.current?.close();
    opened.current = undefined;
    setState({ kind: 'busy', name, size: undefined });
    try {
      const blob = await get();
      if (turn.current !== mine) return;
      setState({ kind: 'busy', name, size: blob.size });
      const file = new OpenFile(blob);
      opened.current = file;
      const report = await file.report();
      if (turn.current === mine) setState({ kind: 'open', name, sample, file, report });
    } catch (error) {
      if (turn.current === mine) setState({ kind: 'failed', name, message: error instanceof Error ? error.message : String(error) });
    }
  }, []);

  const close = useCallback(() => {
    turn.current++;
    opened.current?.close();
    opened.current = undefined;
    setState({ kind: 'empty' });
  }, []);

  const showFile = useCallback(
    (file: File) => {
      // A file of the visitor's own has no address.
      if (location.hash !== '') history.pushState(null, '', location.pathname + location.search);
      void show(file.name, '', () => Promise.resolve(file));
    },
    [show],
  );

  useEffect(() => {
    const follow = (): void => {
      const id = new URLSearchParams(location.hash.slice(1)).get('sample');
      const sample = SAMPLES.find((sample) => sample.id === id);
      if (sample === undefined) return close();
      void show(sample.file, sample.id, async () => {
        const response = await fetch(sample.url);
        if (!response.ok) throw new Error(`the sample cannot be loaded: ${response.status}`);
        return response.blob();
      });
    };
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [show, close]);

  useEffect(() => {
    const holdsFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
    const onOver = (event: DragEvent): void => {
      if (!holdsFile(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent): void => {
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file === undefined) return;
      event.preventDefault();
      showFile(file);
    };
    addEventListener('dragover', onOver);
    addEventListener('dragleave', onLeave);
    addEventListener('drop', onDrop);
    return () => {
      removeEventListener('dragover', onOver);
      removeEventListener('dragleave', onLeave);
      removeEventListener('drop', onDrop);
    };
  }, [showFile]);

  return (
    <>
      <header class="top">
        <a class="brand" href="#" aria-label="unspool inspector, start" onClick={close}>
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M16 16a2.5 2.5 0 0 1 2.5-2.5c2.8 0 4.5 2 4.5 4.6 0 3.600-3 6.400-6.800 6.400C11.600 24.500 8 21 8 16.300 8 10.800 12.400 6.500 18 6.500h11" />
          </svg>
          unspool
        </a>
        <span class="claim">See what is inside a compressed file</span>
        <span class="private" title="Files are decoded in this page. It has no server to send them to, and may not connect to one.">
          Nothing leaves your machine
        </span>
      </header>
      <main>
        {state.kind === 'empty' && <Start onFile={showFile} />}
        {state.kind === 'busy' && (
          <section class="busy" role="status">
            <p>
              Reading <strong>{state.name}</strong>
              {state.size !== undefined && `, ${bytes(state.size)}`}
            </p>
            <div class="progress" role="progressbar" aria-label="Reading" />
            <button type="button" onClick={() => (location.hash === '' ? close() : (location.hash = ''))}>Cancel</button>
          </section>
        )}
        {state.kind === 'failed' && (
          <section class="problem" role="alert">
            <h3>{state.name} cannot be shown.</h3>
            <p>{state.message}</p>
          </section>
        )}
        {state.kind === 'open' && <Inspector key={state.file.blob} {...state} onFile={showFile} />}
        {(state.kind === 'open' || state.kind === 'failed') && <Samples current={state.kind === 'open' ? state.sample || 'none' : 'none'} />}
      </main>
      {over && <div class="over" aria-hidden="true">Drop it</div>}
    </>
  );
}

interface InspectorProps {
  readonly name: string;
  readonly file: OpenFile;
  readonly report: Report;
  readonly onFile: (file: File) => void;
}

function Inspector({ name, file, report, onFile }: InspectorProps) {
  const { model, error, size, summary } = report;
  const [selected, setSelected] = useState(-1);
  const [hovered, setHovered] = useState(-1);
  const [cursor, setCursor] = useState(-1);
  const broken = error !== undefined && error.offset < size ? error.offset : -1;
  const brokenLeaf = broken >= 0 ? leafAt(model, broken) : -1;

  const goToByte = useCallback(
    (byte: number) => {
      setCursor(byte);
      setSelected(leafAt(model, byte));
    },
    [model],
  );
  const goToNode = useCallback((node: number) => {
    setCursor(-1);
    setSelected(node);
  }, []);

  // A broken file opens at the place where it breaks; an address may name a byte.
  useEffect(() => {
    const at = Number(new URLSearchParams(location.hash.slice(1)).get('at') ?? NaN);
    if (Number.isInteger(at) && at >= 0 && at < size) goToByte(at);
    else if (broken >= 0) goToByte(broken);
  }, []);

  useEffect(() => {
    const address = new URLSearchParams(location.hash.slice(1));
    if (!address.has('sample')) return;
    if (cursor >= 0) address.set('at', String(cursor));
    else address.delete('at');
    history.replaceState(history.state, '', `#${address}`);
  }, [cursor]);

  // The values do not change while the pointer moves over the bytes.
  const preview = useMemo(
    () => {
      if (summary === undefined) return false;
      const View = VIEWS[summary.shows];
      return <View file={file} summary={summary} />;
    },
    [file, summary],
  );

  const pickPart = (part: number): void => {
    const { structure, leaves } = model;
    if (part >= structure.parts.length) return goToByte(Math.max(0, Math.min(size - 1, Math.ceil((structure.end[leaves.at(-1) ?? 0] ?? 0) / 8))));
    const from = selected < 0 ? -1 : leaves.indexOf(selected);
    const after = leaves.findIndex((leaf, at) => at > from && structure.part[leaf] === part);
    goToNode(leaves[after >= 0 ? after : leaves.findIndex((leaf) => structure.part[leaf] === part)] ?? -1);
  };

  return (
    <div class="inspector">
      <div class="title">
        <h1>{name}</h1>
        <label class="another">
          <FileInput onFile={onFile} />
          Open another file
        </label>
      </div>
      <Overview report={report} />
      {error !== undefined && (
        <Problem error={error} size={size} understood={model.leaves.length} onShow={() => goToByte(error.offset)} />
      )}
      {size > 0 && (
        <>
          <Parts model={model} size={size} onPick={pickPart} />
          <div class="panes">
            {model.structure.length > 0 && (
              <TreeView model={model} selected={selected} hovered={hovered} broken={brokenLeaf} onSelect={goToNode} onHover={setHovered} />
            )}
            <HexView blob={file.blob} model={model} selected={selected} hovered={hovered} cursor={cursor} broken={broken} onCursor={goToByte} onHover={setHovered} />
          </div>
          <Place model={model} node={hovered >= 0 ? hovered : selected} cursor={cursor} />
          {model.structure.leftOut > 0 && <p class="fine">The tree shows the first {model.structure.length} nodes; {model.structure.leftOut} more were left out.</p>}
        </>
      )}
      {preview}
    </div>
  );
}
