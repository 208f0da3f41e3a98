// Where a value is stored, and what a byte decodes to. Both load when a visitor first asks.
import { useContext, useEffect, useState } from 'preact/hooks';
import { noteInAddress, parametersHere } from '../arrive/address';
import type { OpenFile } from '../client';
import type { Report } from '../model';
import { later } from '../tools/later';
import { data as words } from '../words';
import { Going } from './going';
import type { Value } from './tracer';

interface Props {
  readonly file: OpenFile;
  readonly report: Report;
}

/** Keeps whether a panel is open in a parameter of the address. */
function useOpen(name: string): readonly [open: boolean, toggle: () => void] {
  const [open, setOpen] = useState(() => parametersHere().has(name));
  useEffect(() => noteInAddress({ [name]: open ? 'open' : undefined }), [open]);
  return [open, () => setOpen((open) => !open)];
}

const Pieces = later(async () => (await import('./panels')).Pieces);
const Values = later(async () => (await import('./panels')).Values);

export interface StoredProps extends Props {
  readonly value: Value;
  /** Name of the value, such as `row 5`. */
  readonly name: string;
  /** Number of values in a row. */
  readonly dimension?: number;
  readonly onPlace?: (place: number) => void;
}

/** Shows where a value is stored. */
export function Stored(props: StoredProps) {
  const [open, toggle] = useOpen('stored');
  const { inspect } = useContext(Going);
  const { inspected } = props.report;
  useEffect(() => {
    if (open && !inspected) inspect();
  }, [open, inspected]);
  return (
    <div class="trace">
      <button type="button" aria-expanded={open} onClick={toggle}>{words.stored(props.name)}</button>
      {open && inspected && <Pieces {...props} />}
    </div>
  );
}

/** Shows what a byte decodes to. */
export function Decodes({ at, ...props }: Props & { readonly at: number }) {
  const [open, toggle] = useOpen('decodes');
  return (
    <div class="trace">
      <button type="button" aria-expanded={open} onClick={toggle}>{words.decodes(at)}</button>
      {open && <Values {...props} at={at} />}
    </div>
  );
}
