import type { Opened } from './door';

/** A file of plain bytes. */
export function contentOf(content: Uint8Array<ArrayBuffer>, facts: [string, string][] = []): Opened {
  return {
    summary: { version: '', facts, rows: 0, columns: [], shows: 'bytes', hasChecksums: undefined, decoded: content.length },
    bytes: (start, end) => content.slice(start, end),
    save: () => [content],
  };
}
