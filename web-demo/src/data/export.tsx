// Saves decoded values.
import { useState } from 'preact/hooks';
import { Cancel, useJob } from '../tools/cancel';
import type { Care, OpenFile } from '../client';
import { doubtful, type Report } from '../model';
import type { ExportKind, Question } from '../values';
import { useAnswer } from '../tools/answer';
import { Refused } from '../tools/refused';
import { saving } from '../words';

interface Props {
  readonly file: OpenFile;
  readonly report: Report;
  /** Name of the file, without its folder. */
  readonly name: string;
  readonly column: number;
  /** Name of the column, if there are several. */
  readonly columnName?: string;
  readonly kinds: readonly ExportKind[];
  /** For a table: the query whose rows to save. */
  readonly question?: Question;
  /** Labels of the buttons that differ from their kind. */
  readonly words?: Readonly<Record<string, string>>;
  /** Writes TypeScript that decodes the same values. */
  readonly snippet: () => Promise<string>;
}

/** Lets the visitor choose where to save; `undefined` if the browser cannot. */
function pickPlace(suggestedName: string): Promise<FileSystemFileHandle> | undefined {
  const { showSaveFilePicker } = window as { showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle> };
  return showSaveFilePicker?.({ suggestedName });
}

/** Offers a file to the visitor. */
export function saveAs(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  [link.href, link.download] = [url, name];
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * Names the saved file: `log.txt.zst` holds `log.txt`, and so does `log.txt.zst.gz`. A column's
 * name is added if there are several.
 */
export function nameOf(file: string, kind: ExportKind, { wrapped, format }: Pick<Report, 'wrapped' | 'format'>, column = ''): string {
  let stem = withoutEnding(file);
  // Nested gzip may share one extension.
  if (wrapped !== undefined && (format !== 'gzip' || stem.endsWith('.gz'))) stem = withoutEnding(stem);
  // Replace characters that file names cannot contain.
  const part = column.replace(/[\\/:*?"<>|\p{C}]/gu, '_');
  if (part !== '') return `${stem}.${part}.${kind === 'raw' ? 'bin' : kind}`;
  return kind !== 'raw' ? `${stem}.${kind}` : /.\.\w+$/.test(stem) ? stem : `${stem}.bin`;
}

function withoutEnding(name: string): string {
  return name.replace(/\.[^.]*$/, '');
}

export function Export({ file, report, name, column, columnName, kinds, question, words = saving.kinds, snippet }: Props) {
  const [said, setSaid] = useState('');
  const [shown, show] = useState(false);
  const code = useAnswer(async () => (shown ? snippet() : ''), [snippet, shown]);
  // In a broken CVC file, each chunk decodes by itself.
  const leaveOut = report.error !== undefined && report.format === 'cvc';
  const job = useJob();

  const save = async (kind: ExportKind, care: Required<Care>): Promise<void> => {
    const named = nameOf(name, kind, report, columnName);
    // Raw content is always the whole.
    const asked = kind === 'raw' ? undefined : question;
    try {
      // Values of a large file are written to disk in pieces, if the browser can.
      const to = (report.read === 'all' && !report.summary?.startOnly) || asked !== undefined ? undefined : await pickPlace(named);
      setSaid(saving.writing(named));
      const blob = await file.export({ column, kind, question: asked, leaveOut, to }, care);
      if (blob !== undefined) saveAs(blob, named);
      setSaid(saving.saved(to?.name ?? named, leaveOut, doubtful(report)));
    } catch (error) {
      const cancelled = care.signal.aborted || (error instanceof DOMException && error.name === 'AbortError');
      setSaid(cancelled ? saving.cancelled : error instanceof Error ? error.message : String(error));
    }
  };

  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(await snippet());
      setSaid(saving.copied);
    } catch {
      setSaid(saving.blocked);
    }
  };

  return (
    <div class="export">
      {kinds.length > 0 && <span>{saving.as}</span>}
      {kinds.map((kind) => (
        <button key={kind} type="button" aria-disabled={job.going} onClick={() => job.going || void job.run((care) => save(kind, care))}>{words[kind] ?? saving.kinds[kind]}</button>
      ))}
      <button type="button" onClick={() => void copy()}>{saving.copy}</button>
      <span class="facts" role="status">{said}</span>
      <Cancel job={job} what={saving.job} />
      <details open={shown} onToggle={({ currentTarget }) => show(currentTarget.open)}>
        <summary>{saving.show}</summary>
        <Refused what={saving.noCode} error={code.error} onRetry={code.again} />
        {shown && code.value !== undefined && code.value !== '' && <pre class="table content" tabIndex={0} role="region" aria-label={saving.code}>{code.value}</pre>}
      </details>
    </div>
  );
}
