// Takes along what the structure says, and the bytes of a field.
import { nodeAt, type Structure } from 'unspool/separate';
import { saveAs } from './export';
import { bytesOf, type Model } from './model';
import type { Content } from './remote';

interface Props {
  readonly name: string;
  readonly model: Model;
  readonly content: Content;
  readonly selected: number;
}

export function Take({ name, model, content, selected }: Props) {
  if (model.structure.length === 0) return null;
  const [start, end] = selected < 0 ? [0, 0] : bytesOf(model, selected);
  const saveBytes = async (): Promise<void> => saveAs(new Blob([await content.slice(start, end).arrayBuffer()]), `${name}.${start}-${end}.bin`);
  return (
    <div class="controls">
      <button type="button" disabled={end <= start} onClick={() => void saveBytes()}>Save the bytes of this field</button>
      <button type="button" onClick={() => saveAs(new Blob(treeOf(model.structure), { type: 'application/json' }), `${name}.structure.json`)}>Save the structure as JSON</button>
    </div>
  );
}

/** The nodes as a list of objects, a line each, every one before what it contains. */
function treeOf(structure: Structure): string[] {
  const lines = Array.from({ length: structure.length }, (_, at) => {
    const { name, value, part, start, end, depth } = nodeAt(structure, at);
    return JSON.stringify({ depth, name, value, part, startBit: start, endBit: end });
  });
  return lines.map((line, at) => `${at === 0 ? '[\n' : ',\n'}${line}`).concat('\n]\n');
}
