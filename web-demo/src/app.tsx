// The page: opens files and shows the current one.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { arriveAt, fileOf, leave, readAddress } from './arrive/address';
import { OpenFile } from './client';
import { canBeRead, isDictionary, sortOut } from './arrive/dictionary';
import { Failed } from './arrive/failed';
import { useDropped } from './arrive/dropped';
import { bytes, visible } from './format';
import { Inspector, settle } from './inspector';
import { unlisted, type Report } from './model';
import { Opening } from './arrive/opening';
import { nameOf, openRemote, type RemoteFile } from './arrive/remote';
import { SAMPLES } from './arrive/samples';
import { Samples, Start } from './arrive/start';
import { mayWantDictionary } from './structure/dictionary';
import type { Progress } from './tools/progress';

type State =
  | { readonly kind: 'empty'; readonly cancelled: boolean }
  | { readonly kind: 'busy'; readonly name: string; readonly doing: string; readonly progress: Progress | undefined }
  | { readonly kind: 'failed'; readonly name: string; readonly message: string; readonly retry: (() => void) | undefined }
  /** Each visit of an address starts at the place it names, even if the file is already open. */
  | { readonly kind: 'open'; readonly name: string; readonly sample: string; readonly file: OpenFile; readonly report: Report; readonly visit: number; readonly others: number };

/** Fetches a file, and reports progress. */
type Get = (signal: AbortSignal, tell: (done: number, total: number) => void) => Promise<Blob | RemoteFile>;

/** Options for opening a file. */
interface Besides {
  readonly dictionary?: Blob | undefined;
  /** Used as the dictionary if the file cannot be decoded without one. */
  readonly perhaps?: Blob | undefined;
  /** True to list its chunks too. */
  readonly list?: boolean;
  /** Number of files that came with it and are not shown. */
  readonly others?: number;
}

export function App() {
  const [state, setState] = useState<State>({ kind: 'empty', cancelled: false });
  const opened = useRef<OpenFile>();
  const going = useRef(new AbortController());
  /** Reopens the visitor's own files, by their position in the history. */
  const own = useRef(new Map<string, () => void>());
  /** The file in the address when it was opened: going to a place in it does not reopen it. */
  const current = useRef('');

  const close = useCallback(() => {
    going.current.abort();
    opened.current?.close();
    opened.current = undefined;
    current.current = '';
    setState({ kind: 'empty', cancelled: false });
  }, []);

  const show = useCallback(
    async (name: string, sample: string, get: Get, besides: Besides = {}): Promise<void> => {
      const { dictionary, perhaps, list = false, others = 0 } = besides;
      close();
      const { signal } = (going.current = new AbortController());
      const tell = (doing: string) => (done: number, total: number) => {
        if (!signal.aborted) setState({ kind: 'busy', name, doing, progress: { done, total } });
      };
      setState({ kind: 'busy', name, doing: 'Fetching', progress: undefined });
      let source: Blob | RemoteFile | undefined;
      try {
        source = await get(signal, tell('Fetching'));
        if (signal.aborted) return;
        setState({ kind: 'busy', name, doing: 'Reading', progress: { done: 0, total: source.size } });
        let file = new OpenFile(source, dictionary);
        opened.current = file;
        // If little input decodes to much, most of the time follows the last byte.
        const reading = ({ done, total }: Progress): void => tell(done < total ? 'Reading' : 'Decoding')(done, total);
        let report = await file.report(reading);
        const lent = perhaps !== undefined && mayWantDictionary(report);
        if (lent && !signal.aborted) {
          file.close();
          file = opened.current = new OpenFile(source, perhaps);
          report = await file.report(reading);
        }
        if (list && unlisted(report) > 0) report = await file.list({ tell: reading, signal });
        if (!signal.aborted) setState({ kind: 'open', name, sample, file, report, visit: 0, others: lent ? others - 1 : others });
      } catch (error) {
        // Browsers have various messages for an unreadable file, and none of them helps.
        const unreadable = source instanceof Blob && !(await canBeRead(source));
        if (signal.aborted) return;
        const address = current.current;
        const retry = (): void => {
          void show(name, sample, get, besides);
          current.current = address;
        };
        close();
        const message = unreadable ? 'This is a folder, or it can no longer be read.' : error instanceof Error ? error.message : String(error);
        setState({ kind: 'failed', name, message, retry });
      }
    },
    [close],
  );

  /** The current state, for callbacks that must not depend on it. */
  const shown = useRef(state);
  shown.current = state;

  /** Reopens the current file with this dictionary. */
  const lend = useCallback(
    (dictionary: File) => {
      if (shown.current.kind !== 'open') return;
      const { name, sample, file: { source } } = shown.current;
      const address = current.current;
      const again = () => void show(name, sample, () => Promise.resolve(source), { dictionary });
      again();
      current.current = address;
      const place = placeOf(history.state);
      if (own.current.has(place)) own.current.set(place, again);
    },
    [show],
  );

  const showFiles = useCallback(
    async (files: readonly File[]) => {
      const { file, dictionary, perhaps } = await sortOut(files);
      if (file === undefined) return;
      const here = shown.current;
      if (files.length === 1 && here.kind === 'open' && mayWantDictionary(here.report) && (await isDictionary(file))) return lend(file);
      const others = files.length - (dictionary === undefined ? 1 : 2);
      const again = () => void show(file.name, '', () => Promise.resolve(file), { dictionary, perhaps, others });
      // A file of the visitor has no address, but a position in the history, so Back and Forward
      // reach it.
      const place = `${performance.timeOrigin} ${own.current.size}`;
      own.current.set(place, again);
      history.pushState({ own: place }, '', location.pathname + location.search);
      again();
    },
    [show, lend],
  );

  /** Opens the file in the address. */
  const follow = useCallback((): void => {
    const address = arriveAt();
    const file = fileOf(address);
    if (file !== '' && file === current.current) return setState((state) => (state.kind === 'open' ? { ...state, visit: state.visit + 1 } : state));
    const { url } = address;
    const sample = SAMPLES.find((sample) => sample.id === address.sample);
    if (sample !== undefined) {
      void show(sample.file, sample.id, async (signal) => {
        const response = await fetch(sample.url, { signal });
        if (!response.ok) throw new Error(`Cannot load the sample: the server returned ${response.status}.`);
        return response.blob();
      });
    } else if (url !== undefined && URL.canParse(url, location.href)) {
      void show(nameOf(url), '', (signal, tell) => openRemote(url, address, signal, tell), { list: address.list });
    } else {
      // Going back to a file of the visitor, which is already being opened.
      if (location.hash === '' && own.current.has(placeOf(history.state))) return;
      close();
      const missing = address.sample ?? url;
      const message = address.sample === undefined ? 'This is not a valid address.' : 'No sample has this name. Choose one below.';
      if (missing !== undefined) setState({ kind: 'failed', name: missing, message, retry: undefined });
      return;
    }
    current.current = file;
  }, [show, close]);

  useEffect(() => {
    follow();
    addEventListener('hashchange', follow);
    // Between the start and the visitor's files the address stays the same. After a reload their
    // bytes are gone.
    const back = ({ state }: PopStateEvent): void => {
      if (location.hash === '') (own.current.get(placeOf(state)) ?? close)();
    };
    addEventListener('popstate', back);
    return () => {
      removeEventListener('hashchange', follow);
      removeEventListener('popstate', back);
    };
  }, [follow, close]);

  const openAddress = useCallback(
    (url: string) => {
      const hash = `#${new URLSearchParams({ url })}`;
      // The browser fires no event for going to the current address.
      if (location.hash === hash) follow();
      else location.hash = hash;
    },
    [follow],
  );
  const opening = useMemo<Opening>(() => ({ files: (files) => void showFiles(files), address: openAddress, dictionary: lend }), [showFiles, openAddress, lend]);

  // The title names the file, to find the window among others.
  const title = state.kind === 'empty' ? '' : `${visible(state.name)} – `;
  useEffect(() => {
    document.title = `${title}unspool inspector`;
  }, [title]);

  useEffect(() => {
    if (state.kind === 'failed') settle();
  }, [state.kind]);

  const cancel = (): void => {
    close();
    if (location.hash !== '') leave();
    // Last, because leaving an address also closes the current file.
    setState({ kind: 'empty', cancelled: true });
  };
  const listed = (file: OpenFile, report: Report): void => setState((state) => (state.kind === 'open' && state.file === file ? { ...state, report } : state));

  const over = useDropped(opening);

  return (
    <Opening.Provider value={opening}>
      <header class="top">
        <a class="brand" href="#" aria-label="unspool inspector, start" onClick={close}>
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M16 16a2.5 2.5 0 0 1 2.5-2.5c2.8 0 4.5 2 4.5 4.6 0 3.600-3 6.400-6.800 6.400C11.600 24.500 8 21 8 16.300 8 10.800 12.400 6.500 18 6.500h11" />
          </svg>
          unspool
        </a>
        <span class="claim">See what is inside a compressed file</span>
        <span class="private" title="Files are decoded in this page. It uploads nothing, and contacts a server only for an address that you enter.">
          Nothing leaves your machine
        </span>
      </header>
      <main>
        {state.kind === 'empty' && <Start cancelled={state.cancelled} onFiles={(files) => void showFiles(files)} />}
        {state.kind === 'busy' && <Busy {...state} onCancel={cancel} />}
        {state.kind === 'failed' && <Failed name={state.name} message={state.message} address={readAddress().url} onRetry={state.retry} />}
        {state.kind === 'open' && <Inspector key={`${state.file.id} ${state.visit}`} {...state} onFiles={(files) => void showFiles(files)} onListed={(report) => listed(state.file, report)} />}
        {(state.kind === 'open' || state.kind === 'failed') && <Samples current={state.kind === 'open' ? state.sample || 'none' : 'none'} />}
      </main>
      {over && <div class="over" aria-hidden="true">Drop to open</div>}
    </Opening.Provider>
  );
}

/** Returns the position in the history if it is one of the visitor's files. */
function placeOf(state: unknown): string {
  return typeof state === 'object' && state !== null && 'own' in state ? String(state.own) : '';
}

interface BusyProps {
  readonly name: string;
  readonly doing: string;
  readonly progress: Progress | undefined;
  readonly onCancel: () => void;
}

function Busy({ name, doing, progress, onCancel }: BusyProps) {
  const known = progress !== undefined && progress.total > 0;
  const share = known ? progress.done / progress.total : 0;
  // Everything is read; how long decoding takes is unknown.
  const moves = share === 0 || share >= 1;
  return (
    <section class="busy" role="status">
      <p>
        {doing} <strong>{visible(name)}</strong>
        {known && `, ${bytes(progress.total)}`}
      </p>
      {moves ? <div class="progress" role="progressbar" aria-label={doing} /> : <progress aria-label={doing} value={share} />}
      <button type="button" onClick={onCancel}>Cancel</button>
    </section>
  );
}
