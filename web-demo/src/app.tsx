// The page: which file is open.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { arriveAt, fileOf, leave, readAddress } from './arrive/address';
import { OpenFile } from './client';
import { canBeRead, isDictionary, sortOut } from './arrive/dictionary';
import { Failed } from './arrive/failed';
import { useDropped } from './arrive/dropped';
import { bytes } from './format';
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
  /** Every visit of an address starts at what it names, also one of the file that is open. */
  | { readonly kind: 'open'; readonly name: string; readonly sample: string; readonly file: OpenFile; readonly report: Report; readonly visit: number; readonly others: number };

/** Gets a file, and tells how far that is. */
type Get = (signal: AbortSignal, tell: (done: number, total: number) => void) => Promise<Blob | RemoteFile>;

/** What is to be opened with a file. */
interface Besides {
  readonly dictionary?: Blob | undefined;
  /** What is taken for its dictionary if it cannot be decoded without one. */
  readonly perhaps?: Blob | undefined;
  /** Whether its chunks are listed, too. */
  readonly list?: boolean;
  /** How many files came with it that are not shown. */
  readonly others?: number;
}

export function App() {
  const [state, setState] = useState<State>({ kind: 'empty', cancelled: false });
  const opened = useRef<OpenFile>();
  const going = useRef(new AbortController());
  /** How to open the visitor's own files again, each by its place in the history. */
  const own = useRef(new Map<string, () => void>());
  /** What the address named when this file was opened: going to a place in it opens it no second time. */
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
        // What comes behind the last byte takes the longest where little decodes to much.
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
        // Browsers have many words for that, and none that help.
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

  /** What is open; for those who hear of files, and not of what happens to the page. */
  const shown = useRef(state);
  shown.current = state;

  /** Opens the file that is open once more, where it is, with this dictionary. */
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
      // A file of the visitor's own has no address, but a place in the history: the ways back and forth lead to what was there.
      const place = `${performance.timeOrigin} ${own.current.size}`;
      own.current.set(place, again);
      history.pushState({ own: place }, '', location.pathname + location.search);
      again();
    },
    [show, lend],
  );

  /** Opens what the address names. */
  const follow = useCallback((): void => {
    const address = arriveAt();
    const file = fileOf(address);
    if (file !== '' && file === current.current) return setState((state) => (state.kind === 'open' ? { ...state, visit: state.visit + 1 } : state));
    const { url } = address;
    const sample = SAMPLES.find((sample) => sample.id === address.sample);
    if (sample !== undefined) {
      void show(sample.file, sample.id, async (signal) => {
        const response = await fetch(sample.url, { signal });
        if (!response.ok) throw new Error(`The sample cannot be loaded: the server answers ${response.status}.`);
        return response.blob();
      });
    } else if (url !== undefined && URL.canParse(url, location.href)) {
      void show(nameOf(url), '', (signal, tell) => openRemote(url, address, signal, tell), { list: address.list });
    } else {
      // On the way back to a file of the visitor's own, which is being opened already.
      if (location.hash === '' && own.current.has(placeOf(history.state))) return;
      close();
      const missing = address.sample ?? url;
      const message = address.sample === undefined ? 'That is no address of a file.' : 'There is no sample of that name; those that there are stand below.';
      if (missing !== undefined) setState({ kind: 'failed', name: missing, message, retry: undefined });
      return;
    }
    current.current = file;
  }, [show, close]);

  useEffect(() => {
    follow();
    addEventListener('hashchange', follow);
    // Between the start and files of the visitor's own, the address stays the same. Once the page was loaded anew, their bytes are gone.
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
      // The browser says nothing of going to where it is.
      if (location.hash === hash) follow();
      else location.hash = hash;
    },
    [follow],
  );
  const opening = useMemo<Opening>(() => ({ files: (files) => void showFiles(files), address: openAddress, dictionary: lend }), [showFiles, openAddress, lend]);

  // A window among others is found by the file in it.
  const title = state.kind === 'empty' ? '' : `${state.name} – `;
  useEffect(() => {
    document.title = `${title}unspool inspector`;
  }, [title]);

  useEffect(() => {
    if (state.kind === 'failed') settle();
  }, [state.kind]);

  const cancel = (): void => {
    close();
    if (location.hash !== '') leave();
    // Last, because leaving an address closes what is open, too.
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
        <span class="private" title="Files are decoded in this page. It has no server to send them to, and asks another one only for an address that you give it.">
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
      {over && <div class="over" aria-hidden="true">Drop it</div>}
    </Opening.Provider>
  );
}

/** Which place in the history this is, if it is that of a file of the visitor's own. */
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
  // What was read is being looked at, and nobody knows how long that takes.
  const moves = share === 0 || share >= 1;
  return (
    <section class="busy" role="status">
      <p>
        {doing} <strong>{name}</strong>
        {known && `, ${bytes(progress.total)}`}
      </p>
      {moves ? <div class="progress" role="progressbar" aria-label={doing} /> : <progress aria-label={doing} value={share} />}
      <button type="button" onClick={onCancel}>Cancel</button>
    </section>
  );
}
