// Formats paths in a structure.
import { LABELS } from './labels.js';

/** Formats the groups around a byte, and its field. Each step starts with a name number. */
export function pathOf(steps: readonly string[]): string {
  return steps.map((step) => step.replace(/^\d+/, (id) => LABELS[Number(id)] ?? id)).join(' › ');
}
