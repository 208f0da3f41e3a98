// The start page.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { AddressForm } from './address-form';
import { FileInput } from './file-input';
import { SAMPLES } from './samples';

interface Props {
  /** True after the visitor cancelled opening a file: its button, which had the focus, is gone. */
  readonly cancelled: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

export function Start({ cancelled, onFiles }: Props) {
  const title = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (cancelled) title.current?.focus({ preventScroll: true });
  }, []);
  return (
    <section class="start">
      <h1 class="hidden" ref={title} tabIndex={-1}>See what is inside a compressed file</h1>
      <label class="drop">
        <FileInput onFiles={onFiles} />
        <span class="big">Drop a file here</span>
        <span>or <u>choose one</u>, with its Zstandard dictionary if it needs one</span>
        <span class="kinds">Zstandard, xz and gzip files, Pco numbers, OnPair strings, CVC vectors, AT-1 logs and tables</span>
      </label>
      <AddressForm />
      <Samples current="" />
      <ul class="promises">
        <li><strong>What is it?</strong> The page detects the format from the bytes, not the name.</li>
        <li><strong>Where do the bytes go?</strong> Every byte belongs to one named field.</li>
        <li><strong>Is it broken?</strong> See where and why, and everything before the error.</li>
      </ul>
    </section>
  );
}

/** Links to the bundled files. */
export function Samples({ current }: { readonly current: string }) {
  return (
    <nav class="samples" aria-label="Samples">
      <span class="lead">{current === '' ? 'No file at hand? Open a sample:' : 'Samples'}</span>
      {SAMPLES.map(({ id, title, note }) => (
        <a key={id} href={`#sample=${id}`} aria-current={id === current ? 'page' : undefined} title={note}>
          <strong>{title}</strong>
          <span class="note">{note}</span>
        </a>
      ))}
    </nav>
  );
}
