// The picture of the start page: bytes in the colours of their parts, the tree of fields, and the
// values that they decode to.
import { page } from '../words';

/** Bytes of the first line: part and length. */
const STRIP = [['framing', 2], ['header', 3], ['table', 3], ['literals', 9], ['sequences', 5], ['data', 8], ['checksum', 2]] as const;
/** Lines of the tree: depth, part and length. */
const TREE = [[0, 'framing', 44], [0, 'header', 70], [1, 'table', 52], [1, 'literals', 64], [1, 'sequences', 40], [0, 'checksum', 56]] as const;
/** Heights of the bars. */
const BARS = [14, 26, 20, 38, 52, 44, 60, 47, 33, 40, 22, 12] as const;
const CELL = 16;

export function Picture() {
  const cells = STRIP.flatMap(([part, count]) => Array.from({ length: count }, () => part));
  const width = cells.length * CELL;
  const [bytes, fields, values] = page.pictureParts;
  return (
    <svg class="picture" viewBox={`0 0 ${width} 156`} role="img" aria-label={page.picture}>
      {cells.map((part, at) => <rect key={at} class={`part-${part}`} x={at * CELL + 1} y="1" width={CELL - 2} height="22" rx="3" />)}
      <path class="leads" d={`M${width * 0.14} 30 V52 M${width * 0.74} 30 V52`} />
      {TREE.map(([depth, part, length], at) => (
        <g key={at} class={`part-${part}`}>
          <circle cx={8 + 18 * depth} cy={68 + 14 * at} r="4" />
          <rect x={20 + 18 * depth} y={65 + 14 * at} width={length} height="6" rx="3" opacity="0.55" />
        </g>
      ))}
      {BARS.map((height, at) => <rect key={at} class="part-data" x={width * 0.5 + at * 19} y={140 - 1.25 * height} width="13" height={1.25 * height} rx="2" />)}
      <path class="axis" d={`M${width * 0.5 - 8} 140.500 H${width}`} />
      <text x="0" y="47">{bytes}</text>
      <text x={width * 0.14 + 8} y="47">{fields}</text>
      <text x={width * 0.74 + 8} y="47">{values}</text>
    </svg>
  );
}
