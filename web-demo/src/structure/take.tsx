// Saves the structure, and the bytes of a field.
import { useState } from 'preact/hooks';
import { nodeAt, type Structure } from 'unspool/inspect';
import { pause } from '../tools/answer';
import { Cancel, useJob } from '../tools/cancel';
import { saveAs } from '../data/export';
import type { Care } from '../client';
import { reasonOf } from '../format';
import { bytesOf, type Model } from '../model';
import type { Content } from '../arrive/remote';
import { structure as words } from '../words';

interface Props {
  readonly name: string;
  readonly model: Model;
  readonly content: Content;
  readonly selected: number;
}

export function Take({ name, model, content, selected }: Props) {
  const job = useJob();
  const [problem, setProblem] = useState('');
  if (model.structure.length === 0) return null;
  const [start, end] = selected < 0 ? [0, 0] : bytesOf(model, selected);
  const saveBytes = async (): Promise<void> => {
    setProblem('');
    try {
      saveAs(new Blob([await content.slice(start, end).arrayBuffer()]), `${name}.${start}-${end}.bin`);
    } catch (error) {
      setProblem(reasonOf(error));
    }
  };
  const saveTree = (): Promise<void> => job.run(async (care) => saveAs(await treeOf(model.structure, care), `${name}.structure.json`));
  return (
    <div class="controls">
      <button type="button" disabled={end <= start} onClick={() => void saveBytes()}>{words.saveField}</button>
      <button type="button" aria-disabled={job.going} onClick={() => job.going || void saveTree()}>{words.saveTree}</button>
      <Cancel job={job} what={words.savingTree} />
      {problem !== '' && <span class="refused" role="alert">{words.saveFailed}: {problem}.</span>}
    </div>
  );
}

/** Nodes per step; between steps the page can respond. */
const AT_ONCE = 5000;

/** Returns the nodes as a list of objects, one per line, each before its children. */
async function treeOf(structure: Structure, { signal, tell }: Required<Care>): Promise<Blob> {
  const parts: string[] = [];
  for (let first = 0; first < structure.length; first += AT_ONCE) {
    const lines = Array.from({ length: Math.min(AT_ONCE, structure.length - first) }, (_, at) => {
      const { id, name, value, part, start, end, depth } = nodeAt(structure, first + at);
      return `${first + at === 0 ? '[\n' : ',\n'}${JSON.stringify({ depth, id, name, value, part, startBit: start, endBit: end })}`;
    });
    parts.push(lines.join(''));
    tell({ done: first, total: structure.length });
    await pause(0, signal);
  }
  return new Blob([...parts, '\n]\n'], { type: 'application/json' });
}
