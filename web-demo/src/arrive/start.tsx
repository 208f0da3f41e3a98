// The start page: what the page is for, and the ways to open a file.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { page } from '../words';
import { AddressForm } from './address-form';
import { FileInput } from './file-input';
import { Picture } from './picture';
import { SAMPLES } from './samples';

interface Props {
  /** True after the visitor cancelled opening a file: its button, which had the focus, is gone. */
  readonly cancelled: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  /** Called once the page is painted. */
  readonly onPainted: () => void;
}

export function Start({ cancelled, onFiles, onPainted }: Props) {
  const title = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (cancelled) title.current?.focus({ preventScroll: true });
  }, [cancelled]);
  useEffect(() => {
    const timer = setTimeout(onPainted);
    return () => clearTimeout(timer);
  }, []);
  return (
    <section class="start">
      <h1 ref={title} tabIndex={-1}>{page.claim}</h1>
      <div class="arrive">
        <label class="drop">
          <FileInput onFiles={onFiles} />
          <Picture />
          <span class="big">{page.drop}</span>
          <u>{page.choose}</u>
          <span class="fine">{page.kinds}</span>
        </label>
        <AddressForm />
      </div>
      <nav class="tasks" aria-label={page.tasksLabel}>
        {page.tasks.map(({ title, note, link }) => (
          <a key={link} href={`#${link}`}>
            <strong>{title}</strong>
            <span>{note}</span>
          </a>
        ))}
      </nav>
      <nav class="samples" aria-label={page.samplesLabel}>
        <span class="lead">{page.samples}</span>
        {SAMPLES.map(({ id, title, note }) => <a key={id} href={`#sample=${id}`} title={note}>{title}</a>)}
      </nav>
    </section>
  );
}
