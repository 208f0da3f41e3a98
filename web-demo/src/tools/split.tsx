// The handle between two panes. Dragging or arrow keys change the width of the left one.
import { useState } from 'preact/hooks';
import type { RefObject } from 'preact';

/** Share of the left pane in percent; the same for all files. `undefined` fits the right one. */
let share: number | undefined;

const [LEAST, MOST, STEP] = [20, 75, 4];

interface Props {
  readonly label: string;
  readonly around: RefObject<HTMLElement>;
}

/** Returns the columns of the grid that the handle is in. */
export function columnsOf(): Record<string, string> {
  return share === undefined ? {} : { '--left': `${share}%` };
}

export function Split({ label, around }: Props) {
  const [, moved] = useState(0);
  const move = (to: number): void => {
    share = Math.min(MOST, Math.max(LEAST, to));
    around.current?.style.setProperty('--left', `${share}%`);
    moved(share);
  };
  const here = (): number => {
    const box = around.current?.getBoundingClientRect();
    const left = around.current?.firstElementChild?.getBoundingClientRect();
    return box === undefined || left === undefined ? 40 : (100 * left.width) / box.width;
  };
  return (
    <div
      class="split"
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuenow={Math.round(share ?? 40)}
      tabIndex={0}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        move(here() + step);
      }}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const box = around.current?.getBoundingClientRect();
        if (event.currentTarget.hasPointerCapture(event.pointerId) && box !== undefined) move((100 * (event.clientX - box.left)) / box.width);
      }}
    />
  );
}
