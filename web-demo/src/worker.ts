// Reads and decodes, off the page's thread. One worker serves one file and dies with it.
import { inspect, openCvc, UnspoolError, type CvcFile } from 'unspool';
import { buildModel, type Fault, type Report, type Summary } from './model';

export type Request =
  | { readonly id: number; readonly open: Blob }
  | { readonly id: number; readonly rows: { column: number; start: number; end: number } };

export type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: Fault };

/** Rows of a column, as numbers that can be drawn. */
export interface Rows {
  readonly start: number;
  readonly dimension: number;
  readonly data: Float32Array | BigInt64Array | Int32Array | Int8Array | Uint8Array | Uint16Array;
}

/** Above this the structure is not looked at: it would take as much memory again. */
const MOST = 1.5e9;

let file: CvcFile | undefined;

async function open(blob: Blob): Promise<Report> {
  if (blob.size > MOST) throw new Error('This page looks at files up to 1.5 GB. The npm package reads larger ones by ranges.');
  const { format, size, structure, error, checksums } = inspect(new Uint8Array(await blob.arrayBuffer()));
  let summary: Summary | undefined;
  if (format === 'cvc') {
    try {
      file = await openCvc(blob);
      summary = summarise(file);
    } catch (error) {
      // The structure has the same error, and as much of the header as can be read.
      if (!(error instanceof UnspoolError)) throw error;
    }
  }
  return { format, size, model: buildModel(structure, size), summary, error: error?.toJSON(), checksums };
}

const WIDTHS = { float32: 4, float16: 2, int64: 8, int32: 4, int8: 1, uint8: 1 };

function summarise(file: CvcFile): Summary {
  const columns = file.columns.map((column) => {
    let output;
    try {
      output = column.output;
    } catch (error) {
      if (!(error instanceof UnspoolError)) throw error;
    }
    const { name, dimension, compression, dtype = 'unknown type' } = column;
    return { name, dimension, compression, dtype, output };
  });
  const decoded = columns.reduce(
    (sum, { dimension, output }) => sum + file.rows * dimension * (output === undefined ? 0 : WIDTHS[output]),
    0,
  );
  return {
    version: file.version.join('.'),
    rows: file.rows,
    chunks: file.chunkCount,
    columns,
    sections: file.sections.length,
    hasChecksums: file.hasChecksums,
    decoded,
  };
}

async function rows({ column, start, end }: { column: number; start: number; end: number }): Promise<Rows> {
  const found = file?.columns[column];
  if (found === undefined) throw new Error('there is no such column');
  const numbers = found.output.startsWith('float');
  const { data, shape } = await (numbers ? found.rows(start, end, { as: 'float32' }) : found.rows(start, end));
  return { start, dimension: shape[1], data };
}

function fault(error: unknown): Fault {
  if (error instanceof UnspoolError) return error.toJSON();
  const message = error instanceof Error ? error.message : String(error);
  return { name: 'Error', class: 'Other', code: 0, offset: 0, need: 0, message };
}

self.onmessage = async ({ data: request }: MessageEvent<Request>) => {
  const { id } = request;
  try {
    const result = 'open' in request ? await open(request.open) : await rows(request.rows);
    const buffers = 'model' in result
      ? [
          ...Object.values(result.model.structure).filter(ArrayBuffer.isView),
          result.model.parent, result.model.behind, result.model.leaves,
        ].map((array) => array.buffer)
      : [result.data.buffer];
    self.postMessage({ id, result } satisfies Answer, { transfer: buffers as ArrayBuffer[] });
  } catch (error) {
    self.postMessage({ id, error: fault(error) } satisfies Answer);
  }
};
