// Checks a whole file that was not read as a whole.
import { useState } from 'preact/hooks';
import type { OpenFile } from '../client';
import { reasonOf } from '../format';
import type { Verdict } from '../model';
import { Cancel, useJob } from '../tools/cancel';
import { Refused } from '../tools/refused';
import { verdict } from '../words';

interface Props {
  readonly file: OpenFile;
  readonly size: number;
  readonly onChecked: (verdict: Verdict) => void;
}

export function Check({ file, size, onChecked }: Props) {
  const job = useJob();
  const [problem, setProblem] = useState('');
  const check = (): void => {
    setProblem('');
    void job.run(async (care) => onChecked(await file.check(care))).catch((error: Error) => setProblem(reasonOf(error)));
  };
  return (
    <span class="check">
      {!job.going && <button type="button" onClick={check}>{verdict.check(size)}</button>}
      {job.going && `${verdict.checking} `}
      <Cancel job={job} what={verdict.checkJob} />
      <Refused what={verdict.checkStopped} error={problem} onRetry={check} />
    </span>
  );
}
