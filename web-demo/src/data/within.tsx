// Opens the content of a file as a file of its own.
import { useContext, useState } from 'preact/hooks';
import { markDamaged } from '../arrive/origin';
import { Opening } from '../arrive/opening';
import type { OpenFile } from '../client';
import { ABOUT } from '../formats/about';
import type { Report, Summary } from '../model';
import { guessOf, GUESSED } from '../structure/unknown';
import { useAnswer } from '../tools/answer';
import { nameOf } from './export';
import { Cancel, useJob } from '../tools/cancel';
import { data, kinds } from '../words';

interface Props {
  readonly file: OpenFile;
  readonly name: string;
  readonly report: Report;
  readonly summary: Summary;
}

export function Within({ file, name, report, summary: { decoded, startOnly } }: Props) {
  const { within } = report;
  const opening = useContext(Opening);
  const job = useJob();
  const [problem, setProblem] = useState('');
  const { value: guess = '' } = useAnswer(async () => guessOf(await file.bytes(0, Math.min(GUESSED, decoded))), [file, decoded]);
  const kind = within === undefined ? guess : ABOUT[within].name;
  // Text can be read in place.
  if (kind === '' || kind === kinds.text) return null;
  const open = (): void => {
    if (job.going) return;
    void job.run(async (care) => {
      const content = await file.export({ column: 0, kind: 'raw', question: undefined, to: undefined }, care);
      if (content === undefined) return;
      const inner = new File([content], nameOf(name, 'raw', report));
      if (report.error?.class === 'Checksum') markDamaged(inner, name);
      opening.files([inner]);
    }).catch((error: Error) => setProblem(error.message));
  };
  return (
    <p class="within">
      {data.contentIs} <strong>{kind}</strong>{' '}
      {within !== undefined && !startOnly && <button type="button" aria-disabled={job.going} onClick={open}>{data.openContent}</button>}
      <Cancel job={job} what={data.openingContent} />
      {problem !== '' && <span class="refused" role="alert">{data.openFailed}: {problem}.</span>}
    </p>
  );
}
