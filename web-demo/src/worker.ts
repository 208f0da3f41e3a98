// Reads and decodes, off the page's thread. One worker serves one file and dies with it.
import { inspect, UnspoolError } from 'unspool';
import { DOORS } from './formats';
import type { Opened } from './formats/door';
import { buildModel, type Fault, type Report } from './model';
import type { TextSearch, TextsWanted } from './values';

/** What the page asks, and what it gets. */
export type Wanted =
  | { readonly open: Blob }
  | { readonly rows: { column: number; start: number; end: number } }
  | { readonly texts: TextsWanted }
  | { readonly search: TextSearch }
  | { readonly bytes: { start: number; end: number } };

export type Request = Wanted & { readonly id: number };

export type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: Fault };

/** Above this the structure is not looked at: it would take as much memory again. */
const MOST = 1.5e9;

let file: Opened | undefined;

async function open(blob: Blob): Promise<Report> {
  if (blob.size > MOST) throw new Error('This page looks at files up to 1.5 GB. The npm package reads larger ones by ranges.');
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const { format, size, structure, error, checksums } = inspect(bytes);
  const door = format === undefined ? undefined : DOORS[format];
  try {
    file = await door?.(blob, bytes, structure);
  } catch (error) {
    // The structure has the same error, and as much of the file as can be read.
    if (!(error instanceof UnspoolError)) throw error;
  }
  return { format, size, model: buildModel(structure, size), summary: file?.summary, error: error?.toJSON(), checksums };
}

/** The answer, and the arrays whose memory goes with it. */
async function work(wanted: Wanted): Promise<[result: unknown, arrays: readonly ArrayBufferView[]]> {
  if ('open' in wanted) {
    const result = await open(wanted.open);
    const { structure, parent, behind, leaves } = result.model;
    return [result, [...Object.values(structure).filter(ArrayBuffer.isView), parent, behind, leaves]];
  }
  if ('rows' in wanted) {
    const result = await here(file?.rows)(wanted.rows.column, wanted.rows.start, wanted.rows.end);
    return [result, [result.data]];
  }
  if ('texts' in wanted) return [here(file?.texts)(wanted.texts), []];
  const result = 'search' in wanted ? here(file?.search)(wanted.search) : here(file?.bytes)(wanted.bytes.start, wanted.bytes.end);
  return [result, [result]];
}

/** A door that this file has. */
function here<T>(door: T | undefined): T {
  if (door === undefined) throw new Error('this file holds nothing of that kind');
  return door;
}

function fault(error: unknown): Fault {
  if (error instanceof UnspoolError) return error.toJSON();
  const message = error instanceof Error ? error.message : String(error);
  return { name: 'Error', class: 'Other', code: 0, offset: 0, need: 0, message };
}

self.onmessage = async ({ data: { id, ...wanted } }: MessageEvent<Request>) => {
  try {
    const [result, arrays] = await work(wanted as Wanted);
    self.postMessage({ id, result } satisfies Answer, { transfer: arrays.map((array) => array.buffer as ArrayBuffer) });
  } catch (error) {
    self.postMessage({ id, error: fault(error) } satisfies Answer);
  }
};
