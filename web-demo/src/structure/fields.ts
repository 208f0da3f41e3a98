// Names and values of fields, as people read them. Code compares their numbers.
import * as Name from 'unspool/names';
import type { Node } from 'unspool/inspect';
import { count, visible } from '../format';
import { PATH, pathTo, type Model } from '../model';
import { fields } from '../words';

/** Fields that store a number less 1. They are shown as that number. */
const LESS_1: Readonly<Record<number, string>> = {
  [Name.NumbersLess1]: fields.numbers, [Name.BitsOfNHintLess1]: fields.hintBits, [Name.LogOfWindowLess1]: fields.windowLog, [Name.OrderLess1]: fields.order, [Name.WeightLess1]: fields.weight,
};

/** Returns the name of a field. */
export function labelOf({ id, name }: Pick<Node, 'id' | 'name'>): string {
  return LESS_1[id] ?? visible(name);
}

/** Groups whose value is a count of their children. */
const COUNTS: ReadonlySet<number> = new Set([Name.Codes, Name.Literals, Name.Sequences, Name.Tokens]);

/** Formats the value of a group: a number among siblings, a count, or a word. */
export function whichOf(id: number, value: string): string {
  return /^\d+$/.test(value) && !COUNTS.has(id) ? `#${value}` : visible(value);
}

/** Formats the value of a field. */
export function heldBy(id: number, value: string): string {
  if (id in LESS_1 && /^\d+$/.test(value)) return count(Number(value) + 1);
  switch (id) {
    case Name.Token: return readable(value);
    case Name.Modified: return value === '0' ? fields.notSet : momentOf(Number(value));
    case Name.OperatingSystem: return `${SYSTEMS[Number(value)] ?? fields.unknown} (${value})`;
    default: return visible(value);
  }
}

/** Formats seconds since 1970 as a date in UTC. */
function momentOf(seconds: number): string {
  return `${new Date(1000 * seconds).toISOString().replace('T', ' ').replace('.000Z', ' UTC')}`;
}

/** File systems of RFC 1952, by number. */
const SYSTEMS: Readonly<Record<number, string>> = fields.systems;

/** Returns hexadecimal bytes as quoted text if it is readable, else unchanged. */
function readable(bytes: string): string {
  const letters = (bytes.match(/../g) ?? []).map((digits) => parseInt(digits, 16));
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(letters));
    return /^[^\p{C}]+$/u.test(text) ? `“${text}”` : bytes;
  } catch {
    return bytes;
  }
}

/** Formats a node and the groups around it, outermost first. */
export function placeOf(model: Model, node: number): string {
  return pathTo(model, node).map(({ id, name, value, part }) => `${labelOf({ id, name })} ${part === undefined ? whichOf(id, value) : heldBy(id, value)}`.trim()).join(PATH);
}
