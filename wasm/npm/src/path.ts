// Where an error lies, in words.
import { LABELS } from './labels.js';

/** The groups around a place, and the field: each starts with the number of its name. */
export function pathOf(steps: readonly string[]): string {
  return steps.map((step) => step.replace(/^\d+/, (id) => LABELS[Number(id)] ?? id)).join(' › ');
}
