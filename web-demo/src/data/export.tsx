// Takes the decoded values along.
import { useState } from 'preact/hooks';
import { Cancel, useJob } from '../tools/cancel';
import type { Care, OpenFile } from '../client';
import type { Report } from '../model';
import type { ExportKind, Question } from '../values';

interface Props {
  readonly file: OpenFile;
  readonly report: Report;
  /** The name of the file, without its place. */
  readonly name: string;
  readonly column: number;
  /** What it is called, where there are several. */
  readonly columnName?: string;
  readonly kinds: readonly ExportKind[];
  /** Of a table: which of its rows. */
  readonly question?: Question;
  /** What the buttons are called where that is not said by the kind alone. */
  readonly words?: Readonly<Record<string, string>>;
  /** TypeScript that decodes the same. */
  readonly snippet: string;
}

const WORDS: Record<ExportKind, string> = { csv: 'CSV', json: 'JSON', npy: 'NPY', raw: 'Raw bytes' };

/** Lets the visitor pick where a file goes; nothing where the browser knows no such thing. */
function pickPlace(suggestedName: string): Promise<FileSystemFileHandle> | undefined {
  const { showSaveFilePicker } = window as { showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle> };
  return showSaveFilePicker?.({ suggestedName });
}

/** Gives the visitor a file. */
export function saveAs(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  [link.href, link.download] = [url, name];
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** What values are saved as: `log.txt.zst` holds `log.txt`, and so does `log.txt.zst.gz`. Of several columns each has its name in that of its file. */
export function nameOf(file: string, kind: ExportKind, { wrapped, format }: Pick<Report, 'wrapped' | 'format'>, column = ''): string {
  let stem = withoutEnding(file);
  // Gzip within gzip may have one ending for both.
  if (wrapped !== undefined && (format !== 'gzip' || stem.endsWith('.gz'))) stem = withoutEnding(stem);
  // There are signs that no file may have in its name.
  const part = column.replace(/[\\/:*?"<>|\p{C}]/gu, '_');
  if (part !== '') return `${stem}.${part}.${kind === 'raw' ? 'bin' : kind}`;
  return kind !== 'raw' ? `${stem}.${kind}` : /.\.\w+$/.test(stem) ? stem : `${stem}.bin`;
}

function withoutEnding(name: string): string {
  return name.replace(/\.[^.]*$/, '');
}

export function Export({ file, report, name, column, columnName, kinds, question, words = WORDS, snippet }: Props) {
  const [said, setSaid] = useState('');
  // Of a broken CVC file, each chunk stands alone.
  const leaveOut = report.error !== undefined && report.format === 'cvc';
  const job = useJob();

  const save = async (kind: ExportKind, care: Required<Care>): Promise<void> => {
    const named = nameOf(name, kind, report, columnName);
    // What was asked is no part of the whole.
    const asked = kind === 'raw' ? undefined : question;
    try {
      // The values of a large file are written to disk as they come, where the browser lets the page do that.
      const to = (report.read === 'all' && !report.summary?.startOnly) || asked !== undefined ? undefined : await pickPlace(named);
      setSaid(`Writing ${named}…`);
      const blob = await file.export({ column, kind, question: asked, leaveOut, to }, care);
      if (blob !== undefined) saveAs(blob, named);
      setSaid(`Saved as ${to?.name ?? named}${leaveOut ? ', without the rows that cannot be decoded' : ''}.`);
    } catch (error) {
      const cancelled = care.signal.aborted || (error instanceof DOMException && error.name === 'AbortError');
      setSaid(cancelled ? 'Cancelled.' : error instanceof Error ? error.message : String(error));
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
        <button key={kind} type="button" aria-disabled={job.going} onClick={() => job.going || void job.run((care) => save(kind, care))}>{words[kind] ?? WORDS[kind]}</button>
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
