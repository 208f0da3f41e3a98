// Whether a Zstandard file needs a dictionary, or may need one.
import * as Name from 'unspool/names';
import { brokenAt, inFirstBlock, type Fault, type Model, type Report } from '../model';

/** Errors of a decoder without the dictionary: a missing code, table or match. */
const LACKS: readonly string[] = ['ZstdLiteralsRepeat', 'ZstdTableRepeat', 'ZstdOffset'];

export function wantsDictionary(error: Fault | undefined): boolean {
  return error?.name === 'ZstdDictionaryWanted';
}

/** Returns `true` if a dictionary, or another one, may be all that is missing. */
export function mayWantDictionary({ error, format, model, lent }: Report): boolean {
  if (!format?.startsWith('zstd') || error === undefined) return false;
  if (wantsDictionary(error)) return true;
  // A frame with a dictionary ID decodes with no other dictionary.
  if (idOfDictionary(model) >= 0) return false;
  return lent !== undefined || (LACKS.includes(error.name) && inFirstBlock(model, brokenAt(model, error.offset)));
}

/** Returns the field with the dictionary ID, or -1. */
export function idOfDictionary({ structure }: Model): number {
  return structure.name.indexOf(Name.DictionaryId);
}
