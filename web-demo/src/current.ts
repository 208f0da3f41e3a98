// The file of a worker.
import { probe, UnspoolError, type Format } from 'unspool';
import { PROBED, type AnyFile, type Content, type Handle } from './arrive/remote';
import { messageOf } from './format';
import type { Opened } from './formats/door';
import type { Fault } from './model';
import type { Part } from './text/parts';
import { network } from './words';

/** The source of a file: bytes of the visitor, or a large remote file. */
export type Source = Blob | Handle;

interface Current {
  file: Opened | undefined;
  content: AnyFile | undefined;
  format: Format | undefined;
  isBroken: boolean;
  /** The parts of the file that decode by themselves. */
  parts: readonly Part[];
  /** The bytes of a file whose values were decoded first, until it is inspected. */
  uninspected: Uint8Array | undefined;
  dictionary: { readonly name: string; readonly bytes: Uint8Array } | undefined;
}

export const current: Current = { file: undefined, content: undefined, format: undefined, isBroken: false, parts: [], uninspected: undefined, dictionary: undefined };

/** Returns a method of this file, or throws if it has none. */
export function here<T>(door: T | undefined): T {
  if (door === undefined) throw new Error(network.gone);
  return door;
}

export async function formatOf(content: Content): Promise<Format | undefined> {
  return probe(await bytesIn(content, PROBED)).format;
}

export async function bytesIn(content: Content, end: number): Promise<Uint8Array> {
  return new Uint8Array(await content.slice(0, end).arrayBuffer());
}

/** Describes an error for the page. `table` has the texts of errors in files. */
export function faultOf(error: unknown, table: readonly { readonly code: number; readonly words: string }[]): Fault {
  const message = messageOf(error);
  if (!(error instanceof UnspoolError)) return { name: 'Error', class: 'Other', code: 0, offset: 0, need: 0, message, words: message, part: undefined };
  return { ...error.toJSON(), words: table.find(({ code }) => code === error.code)?.words ?? message };
}
