// A bar for each range of values.
import { Fragment } from 'preact';

const [WIDTH, HEIGHT, MARGIN] = [560, 140, 8];

export interface Bar {
  readonly count: number;
  /** The bar in words. */
  readonly words: string;
}

interface Props {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly caption: string;
}

export function Histogram({ label, bars, caption }: Props) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const step = (WIDTH - 2 * MARGIN) / Math.max(1, bars.length);
  const gap = Math.min(2, step * 0.2);
  return (
    <Fragment>
      <svg class="plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        {bars.map(({ count, words }, at) => {
          const height = (count / most) * (HEIGHT - 2 * MARGIN);
          return <rect key={at} class="stick" x={MARGIN + at * step + gap / 2} width={Math.max(0.5, step - gap)} y={HEIGHT - MARGIN - height} height={count > 0 ? Math.max(1, height) : 0}><title>{words}</title></rect>;
        })}
      </svg>
      <p class="fine">{caption}</p>
    </Fragment>
  );
}
