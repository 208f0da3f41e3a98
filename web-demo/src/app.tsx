// The page: opens files, each in a tab, and shows one of them.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { arriveAt, fileOf, goToOwn, keyHere, lastPlaces, leave, readAddress, writeAddress } from './arrive/address';
import { settle } from './arrive/arrival';
import { areAlike, canBeRead, isDictionary, sortOut } from './arrive/dictionary';
import { useDropped } from './arrive/dropped';
import { AWAKE, type Entry, type Part, type State, type Wanted } from './arrive/entries';
import { Failed } from './arrive/failed';
import { FileInput } from './arrive/file-input';
import { FileTabs } from './arrive/file-tabs';
import { Opening } from './arrive/opening';
import { useLaunched } from './arrive/launched';
import { nameOf, openRemote } from './arrive/remote';
import { SAMPLES } from './arrive/samples';
import { Start } from './arrive/start';
import { OpenFile, startWorker } from './client';
import { messageOf, visible } from './format';
import { unlisted } from './model';
import { mayWantDictionary } from './structure/dictionary-wanted';
import { lazy } from './tools/later';
import type { Progress } from './tools/progress';
import { ShortcutSheet } from './tools/shortcut-sheet';
import { page } from './words';

/** Work on a file that can be ended. */
interface Running {
  readonly going: AbortController;
  file?: OpenFile;
}

/** The view of an open file. */
const INSPECTOR = lazy(() => import('./inspector'));

/** Loads what every file needs, so that the first one opens sooner. */
function prepare(): void {
  startWorker();
  // What fails is reported when a file needs it.
  INSPECTOR.load().catch(() => undefined);
}

/** The comparison of two files, which loads with the first one. */
const COMPARE = lazy(() => import('./compare/compare'));

export function App() {
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  const [active, setActive] = useState('');
  const [cancelled, setCancelled] = useState(false);
  const running = useRef(new Map<string, Running>());
  /** Keys by their last use, the oldest first. */
  const used = useRef<string[]>([]);
  /** Counts what the visitor asked to see. Reading a dropped file must not undo a later request. */
  const requests = useRef(0);
  /** The current state, for callbacks that must not depend on it. */
  const now = useRef({ entries, active });
  now.current = { entries, active };
  const find = (key: string): Entry | undefined => now.current.entries.find(({ wanted }) => wanted.key === key);

  const update = useCallback((to: (all: readonly Entry[]) => readonly Entry[]): void => {
    now.current = { ...now.current, entries: to(now.current.entries) };
    setEntries(now.current.entries);
  }, []);
  const change = useCallback((key: string, to: (entry: Entry) => Entry): void => update((all) => all.map((entry) => (entry.wanted.key === key ? to(entry) : entry))), []);
  const put = useCallback((key: string, state: State): void => change(key, (entry) => ({ ...entry, state })), []);

  /** Ends all work on a file. */
  const end = useCallback((key: string): void => {
    const work = running.current.get(key);
    running.current.delete(key);
    work?.going.abort();
    work?.file?.close();
  }, []);

  const read = useCallback(async (wanted: Wanted): Promise<void> => {
    const { key, get, dictionary, perhaps, list = false } = wanted;
    end(key);
    const work: Running = { going: new AbortController() };
    running.current.set(key, work);
    const { signal } = work.going;
    const tell = (doing: string) => (done: number, total: number) => {
      if (!signal.aborted) put(key, { kind: 'busy', doing, progress: { done, total } });
    };
    put(key, { kind: 'busy', doing: page.fetching, progress: undefined });
    let source: Awaited<ReturnType<Wanted['get']>> | undefined;
    try {
      if (wanted.pair !== undefined) {
        await COMPARE.load();
        if (!signal.aborted) put(key, { kind: 'pair', pair: wanted.pair });
        return;
      }
      const view = INSPECTOR.load();
      // It is awaited below.
      view.catch(() => undefined);
      source = await get(signal, tell(page.fetching));
      if (signal.aborted) return;
      put(key, { kind: 'busy', doing: page.reading, progress: { done: 0, total: source.size } });
      let file = (work.file = new OpenFile(source, dictionary));
      // If little input decodes to much, most of the time follows the last byte.
      const reading = ({ done, total, format }: Progress): void => {
        // What fails is reported when it is needed.
        if (format !== undefined) void view.then(() => INSPECTOR.now?.foresee(format)).catch(() => undefined);
        else tell(done < total ? page.reading : page.decoding)(done, total);
      };
      let report = await file.report(reading);
      if (perhaps !== undefined && mayWantDictionary(report) && !signal.aborted) {
        file.close();
        file = work.file = new OpenFile(source, perhaps);
        report = await file.report(reading);
        if (wanted.lends !== undefined) remove(wanted.lends);
      }
      if (list && unlisted(report) > 0) report = await file.list({ tell: reading, signal });
      await view;
      report = (await INSPECTOR.now?.prepared(file, report)) ?? report;
      if (!signal.aborted) put(key, { kind: 'open', file, report });
    } catch (error) {
      // Browsers have various messages for an unreadable file, and none of them helps.
      const unreadable = source instanceof Blob && !(await canBeRead(source));
      if (signal.aborted) return;
      end(key);
      put(key, { kind: 'failed', message: unreadable ? page.unreadable : messageOf(error), canRetry: true });
      settle();
    }
  }, []);

  /** Shows the tab of a file, and reads the file if that was not done. */
  const activate = useCallback((key: string): void => {
    setActive(key);
    now.current.active = key;
    setCancelled(false);
    const entry = find(key);
    if (entry === undefined) return;
    used.current = [...used.current.filter((other) => other !== key), key];
    const others = used.current.filter((other) => other !== key && running.current.has(other));
    for (const old of others.slice(0, Math.max(0, others.length - (AWAKE - 1)))) {
      end(old);
      put(old, { kind: 'waiting' });
    }
    if (entry.state.kind === 'waiting') void read(entry.wanted);
  }, []);

  /** Adds tabs, or replaces those of the same files. */
  const add = useCallback((files: readonly Wanted[]): void => {
    for (const { key } of files) end(key);
    const added = files.map((wanted): Entry => ({ wanted, state: { kind: 'waiting' }, visit: 0 }));
    update((all) => [...all.filter(({ wanted }) => !files.some(({ key }) => key === wanted.key)), ...added]);
  }, []);

  const showFiles = useCallback(async (files: readonly File[]) => {
    const [request, { active }] = [++requests.current, now.current];
    const { file, dictionary, perhaps, others } = await sortOut(files);
    if (file === undefined) return;
    const here = find(active);
    if (files.length === 1 && here?.state.kind === 'open' && mayWantDictionary(here.state.report) && (await isDictionary(file))) return lend(active, file);
    const all = [file, ...others];
    const keys = all.map(() => `own ${performance.timeOrigin} ${owned++}`);
    const lends = perhaps && keys[all.indexOf(perhaps)];
    const wanted = all.map((file, at): Wanted => ({
      key: keys[at] ?? '', name: file.name, get: () => Promise.resolve(file), dictionary, ...(at === 0 && { perhaps, lends }),
    }));
    // Two files of one format are there to be compared.
    const [second] = others;
    if (files.length === 2 && second !== undefined && lends === undefined && (await areAlike(file, second))) {
      const [a, b] = wanted.map(partOf);
      if (a !== undefined && b !== undefined) wanted.unshift(pairOf(a, b, keys.join(' ')));
    }
    const [first] = wanted;
    if (first === undefined) return;
    add(wanted);
    if (request !== requests.current) return;
    writeAddress();
    goToOwn(first.key);
    activate(first.key);
  }, []);

  /** Compares the current file with the one that was shown before, or with the next one. */
  const compare = useCallback((): void => {
    requests.current++;
    const files = now.current.entries.map(({ wanted }) => wanted).filter(({ pair }) => pair === undefined);
    const here = files.find(({ key }) => key === now.current.active);
    const others = files.filter(({ key }) => key !== here?.key);
    const before = [...used.current].reverse().find((key) => others.some((other) => other.key === key));
    const other = others.find(({ key }) => key === before) ?? others[0];
    if (here === undefined || other === undefined) return;
    const [one, two] = [addressOf(other), addressOf(here)];
    if (one !== undefined && two !== undefined) return void (location.hash = `#${new URLSearchParams({ a: one, b: two })}`);
    const wanted = pairOf(partOf(other), partOf(here), `${other.key} ${here.key}`);
    add([wanted]);
    writeAddress();
    goToOwn(wanted.key);
    activate(wanted.key);
  }, []);

  /** Reopens a file with this dictionary. */
  const lend = useCallback((key: string, dictionary: File) => {
    const here = find(key);
    if (here?.state.kind !== 'open') return;
    const { source } = here.state.file;
    const wanted = { ...here.wanted, get: () => Promise.resolve(source), dictionary, perhaps: undefined };
    change(key, (entry) => ({ ...entry, wanted }));
    void read(wanted);
  }, []);

  /** Opens the file in the address, or shows its tab. */
  const follow = useCallback((): void => {
    const address = arriveAt();
    const key = keyHere();
    const known = find(key);
    if (known !== undefined && known.state.kind !== 'failed') {
      change(key, (entry) => ({ ...entry, visit: entry.visit + 1 }));
      return activate(key);
    }
    if (fileOf(address) === '') return activate('');
    if (address.pair !== undefined) {
      const [a, b] = address.pair.map((url): Part => ({
        name: URL.canParse(url, location.href) ? nameOf(url) : url, hash: `${new URLSearchParams({ url })}`,
        get: (signal, tell) => (URL.canParse(url, location.href) ? openRemote(url, { all: false }, signal, tell) : Promise.reject(new Error(page.badUrl))),
      }));
      if (a === undefined || b === undefined) return;
      add([{ ...pairOf(a, b, key), key, hash: location.hash.slice(1) }]);
      return activate(key);
    }
    const { url } = address;
    const hash = location.hash.slice(1);
    const sample = SAMPLES.find((sample) => sample.id === address.sample);
    const wanted: Wanted | undefined = sample !== undefined
      ? { key, hash, name: sample.file, get: (signal) => fetchSample(sample.url, signal) }
      : url !== undefined && URL.canParse(url, location.href)
        ? { key, hash, name: nameOf(url), get: (signal, tell) => openRemote(url, address, signal, tell), list: address.list }
        : undefined;
    const missing: Wanted = { key, hash, name: address.sample ?? url ?? '', get: () => Promise.reject(new Error(address.sample === undefined ? page.badUrl : page.noSample)) };
    add([wanted ?? missing]);
    // All of a file replaces a part of it.
    if (address.all) remove(`url ${url}`);
    if (wanted === undefined) put(key, { kind: 'failed', message: address.sample === undefined ? page.badUrl : page.noSample, canRetry: false });
    activate(key);
  }, []);

  /** Removes a tab. */
  const remove = useCallback((key: string): void => {
    end(key);
    used.current = used.current.filter((other) => other !== key);
    update((all) => all.filter(({ wanted }) => wanted.key !== key));
  }, []);

  /** Goes to the tab of a file, as a link would. */
  const goTo = useCallback((key: string): void => {
    requests.current++;
    writeAddress();
    const hash = find(key)?.wanted.hash;
    if (hash === undefined) {
      goToOwn(key);
      activate(key);
    } else {
      location.hash = lastPlaces(key) ?? hash;
    }
  }, []);

  const close = useCallback((key: string): void => {
    const { entries, active } = now.current;
    const at = entries.findIndex(({ wanted }) => wanted.key === key);
    const next = (entries[at + 1] ?? entries[at - 1])?.wanted.key;
    remove(key);
    if (key !== active) return;
    if (next !== undefined) goTo(next);
    else goHome();
  }, []);

  const goHome = useCallback((): void => {
    requests.current++;
    if (location.hash !== '') location.hash = '';
    else history.pushState(null, '', location.pathname + location.search);
    activate('');
  }, []);

  useEffect(() => {
    follow();
    const went = (): void => {
      requests.current++;
      follow();
    };
    addEventListener('hashchange', went);
    // Between the start and the visitor's files the address stays the same. After a reload their
    // bytes are gone.
    const back = (): void => {
      requests.current++;
      if (location.hash === '') activate(find(keyHere()) === undefined ? '' : keyHere());
    };
    addEventListener('popstate', back);
    return () => {
      removeEventListener('hashchange', went);
      removeEventListener('popstate', back);
    };
  }, []);

  const openAddress = useCallback((url: string) => {
    const hash = `#${new URLSearchParams({ url })}`;
    // The browser fires no event for going to the current address.
    if (location.hash === hash) follow();
    else location.hash = hash;
  }, []);
  const opening = useMemo<Opening>(() => ({
    files: (files) => void showFiles(files),
    address: openAddress,
    // The visitor may show another file before they have picked the dictionary.
    dictionary: (picked) => {
      const { active } = now.current;
      void picked.then((dictionary) => lend(active, dictionary));
    },
  }), []);
  const over = useDropped(opening);
  useLaunched(opening);

  const entry = entries.find(({ wanted }) => wanted.key === active);
  // The title names the file, to find the window among others.
  const title = entry === undefined ? page.title : page.titleOf(visible(entry.wanted.name));
  useEffect(() => {
    document.title = title;
  }, [title]);

  const cancel = (key: string): void => {
    const { all, list } = readAddress();
    remove(key);
    if (location.hash !== '') leave();
    else goHome();
    if (all || list) return;
    activate('');
    setCancelled(true);
  };

  return (
    <Opening.Provider value={opening}>
      <header class={window.parent === window ? 'top' : 'top framed'}>
        <a class="brand" href="#" aria-label={page.home} onClick={() => activate('')}>
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M16 16a2.5 2.5 0 0 1 2.5-2.5c2.8 0 4.5 2 4.5 4.6 0 3.600-3 6.400-6.800 6.400C11.600 24.500 8 21 8 16.300 8 10.800 12.400 6.500 18 6.500h11" />
          </svg>
          unspool
        </a>
        <FileTabs entries={entries} active={active} onPick={goTo} onClose={close} onCompare={compare} />
        {(entry?.state.kind === 'open' || entry?.state.kind === 'pair') && (
          <label class="another">
            <FileInput onFiles={opening.files} />
            {page.another}
          </label>
        )}
        <span class="private" title={page.privateWhy}>{page.private}</span>
        <ShortcutSheet />
      </header>
      <main>
        {entry === undefined && <Start cancelled={cancelled} onFiles={opening.files} onPainted={prepare} />}
        {entry?.state.kind === 'busy' && <Busy key={active} name={visible(entry.wanted.name)} {...entry.state} onCancel={() => cancel(active)} />}
        {entry?.state.kind === 'failed' && (
          <Failed key={active} name={entry.wanted.name} message={entry.state.message} address={readAddress().url} onRetry={entry.state.canRetry ? () => void read(entry.wanted) : undefined} />
        )}
        {entry?.state.kind === 'pair' && COMPARE.now !== undefined && <COMPARE.now.Compare key={`${active} ${entry.visit}`} pair={entry.state.pair} hasLink={entry.wanted.hash !== undefined} />}
        {entry?.state.kind === 'open' && INSPECTOR.now !== undefined && (
          <INSPECTOR.now.Inspector
            key={`${entry.state.file.id} ${entry.visit}`}
            name={entry.wanted.name}
            file={entry.state.file}
            report={entry.state.report}
            hasLink={entry.wanted.hash !== undefined}
            onListed={(report) => change(active, (entry) => (entry.state.kind === 'open' ? { ...entry, state: { ...entry.state, report } } : entry))}
          />
        )}
      </main>
      {over && <div class="over" aria-hidden="true">{page.dropOver}</div>}
    </Opening.Provider>
  );
}

/** Returns the URL in the address that opens a file; `undefined` for other files. */
function addressOf({ hash }: Wanted): string | undefined {
  return hash === undefined ? undefined : (new URLSearchParams(hash).get('url') ?? undefined);
}

function partOf({ name, hash, get, dictionary }: Wanted): Part {
  return { name, hash, get, dictionary };
}

/** Returns the tab that compares two files. */
function pairOf(a: Part, b: Part, keys: string): Wanted {
  return { key: `compare ${keys}`, name: `${a.name} ↔ ${b.name}`, pair: [a, b], get: a.get };
}

/** Number of files that the visitor has opened. */
let owned = 0;

async function fetchSample(url: string, signal: AbortSignal): Promise<Blob> {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(page.sampleFailed(response.status));
  return response.blob();
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
        {doing} <strong>{name}</strong>
        {known && page.busy(progress.total)}
      </p>
      {moves ? <div class="progress" role="progressbar" aria-label={doing} /> : <progress aria-label={doing} value={share} />}
      <button type="button" onClick={onCancel}>{page.cancel}</button>
    </section>
  );
}
