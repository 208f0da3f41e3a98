// Decoded bytes, as text if they are text, else in hexadecimal.
import { useEffect, useState } from 'preact/hooks';
import { noteInAddress, readAddress } from '../arrive/address';
import { useAnswer } from '../tools/answer';
import { Export } from './export';
import { ABOUT, snippet } from '../formats/about';
import { hex, visibleText } from '../format';
import { Pages } from './pages';
import { doubtful } from '../model';
import type { ValuesProps } from './preview';
import { Refused } from '../tools/refused';
import { Within } from './within';
import { data, verdict } from '../words';

const PAGE = 4096;
const WIDTH = 16;

export function Decoded({ file, name, report, summary }: ValuesProps) {
  const { decoded } = summary;
  const pages = Math.ceil(decoded / PAGE);
  const [page, setPage] = useState(() => Math.max(0, Math.min(pages - 1, readAddress().page ?? 0)));
  const start = page * PAGE;
  useEffect(() => noteInAddress({ page: page > 0 ? page : undefined }), [page]);
  const { value: found, error, again } = useAnswer(() => file.bytes(start, Math.min(decoded, start + PAGE)), [file, start, decoded]);
  // The start of broken or large content may end anywhere.
  const cut = page < pages - 1 || summary.startOnly || summary.brokenFrom !== undefined;
  const text = found === undefined ? undefined : textOf(found, start > 0, cut);
  return (
    <section class="preview" aria-label={data.label} data-jump={data.content} tabIndex={-1}>
      <div class="heading">
        <h2>{data.content}</h2>
        <p class="facts">{data.firstBytes(decoded, summary.startOnly === true, text !== undefined, summary.brokenFrom !== undefined && !doubtful(report))}</p>
      </div>
      {doubtful(report) && <p class="doubt" role="note">{verdict.doubt}</p>}
      {decoded > 0 && <Within file={file} name={name} report={report} summary={summary} />}
      <Refused what={data.bytesFailed} error={error} onRetry={again} />
      {found !== undefined && found.length > 0 && (
        <pre class="table content" tabIndex={0} role="region" aria-label={data.decodedBytes}>{text === undefined ? dump(found, start) : visibleText(text)}</pre>
      )}
      {decoded === 0 && <p class="facts">{data.emptyContent}</p>}
      <Pages page={page} pages={pages} onPage={setPage} />
      {report.format !== undefined && (
        <Export file={file} report={report} name={name} column={0} kinds={ABOUT[report.format].saves} snippet={snippet(report, summary, name)} />
      )}
    </section>
  );
}

/**
 * Decodes bytes as text, if they are text. Only a later page may start within a character, and only
 * a cut one may end in one.
 */
function textOf(bytes: Uint8Array, after: boolean, cut: boolean): string | undefined {
  let first = 0;
  while (after && first < 3 && ((bytes[first] ?? 0) & 0xc0) === 0x80) first++;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(first), { stream: cut });
    return /[^\P{C}\t\n\r\p{Cf}]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function dump(bytes: Uint8Array, start: number): string {
  const lines = [];
  for (let at = 0; at < bytes.length; at += WIDTH) {
    const line = bytes.subarray(at, at + WIDTH);
    const digits = Array.from(line, (byte) => hex(byte, 2)).join(' ').padEnd(3 * WIDTH - 1);
    const letters = Array.from(line, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('');
    lines.push(`${hex(start + at, 8)}  ${digits}  ${letters}`);
  }
  return lines.join('\n');
}
