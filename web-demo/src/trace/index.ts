// Loads the tracer of a format, and keeps one for each open file.
import type { OpenFile } from '../client';
import type { Report } from '../model';
import { at1 } from './at1';
import { cvc } from './cvc';
import { onpair } from './onpair';
import { pco } from './pco';
import { stored } from './stored';
import type { MakeTracer, Tracer } from './tracer';
import { zstd } from './zstd';

const TRACERS: Readonly<Record<string, MakeTracer>> = { at1, cvc, gzip: stored, onpair, pco, xz: stored, zstd, 'zstd-v07': zstd };

const kept = new WeakMap<Report, Tracer>();

/** Returns the tracer of a file. */
export function tracerOf(file: OpenFile, report: Report): Tracer | undefined {
  const make = TRACERS[report.format ?? ''];
  let tracer = kept.get(report);
  if (tracer === undefined && make !== undefined) kept.set(report, (tracer = make(file, report)));
  return tracer;
}
