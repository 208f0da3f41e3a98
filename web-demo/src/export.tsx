// Takes the decoded values along.
import { useState } from 'preact/hooks';
import { Cancel, useJob } from './cancel';
import type { OpenFile } from './client';
import type { ExportKind, Question } from './values';

interface Props {
  readonly file: OpenFile;
  /** The name of the file, without its place. */
  readonly name: string;
  readonly column: number;
  readonly kinds: readonly ExportKind[];
  /** Of a table: which of its rows. */
  readonly question?: Question;
  /** TypeScript that decodes the same. */
  readonly snippet: string;
}

const WORDS: Record<ExportKind, string> = { csv: 'CSV', json: 'JSON', npy: 'NPY', raw: 'Raw bytes' };

/** Gives the visitor a file. */
export function saveAs(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  [link.href, link.download] = [url, name];
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export function Export({ file, name, column, kinds, question, snippet }: Props) {
  const [said, setSaid] = useState('');
  const job = useJob();

  const save = async (kind: ExportKind, signal: AbortSignal): Promise<void> => {
    setSaid(`Writing ${WORDS[kind]}…`);
    try {
      const blob = await file.export({ column, kind, question }, signal);
      const saved = `${name.replace(/\.[^.]*$/, '')}.${kind === 'raw' ? 'bin' : kind}`;
      saveAs(blob, saved);
      setSaid(`Saved as ${saved}.`);
    } catch (error) {
      setSaid(signal.aborted ? 'Cancelled.' : error instanceof Error ? error.message : String(error));
    }
  };

  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(snippet);
      setSaid('Copied.');
    } catch {
      setSaid('This browser does not let the page copy; the text is below.');
    }
  };

  return (
    <div class="export">
      <span>Save as</span>
      {kinds.map((kind) => (
        <button key={kind} type="button" disabled={job.going} onClick={() => void job.run((signal) => save(kind, signal))}>{WORDS[kind]}</button>
      ))}
      <button type="button" onClick={() => void copy()}>Copy TypeScript</button>
      <span class="facts" role="status">{said}</span>
      <Cancel job={job} what="saving" />
      <details>
        <summary>The same in TypeScript</summary>
        <pre class="table content" tabIndex={0} role="region" aria-label="TypeScript">{snippet}</pre>
      </details>
    </div>
  );
}
