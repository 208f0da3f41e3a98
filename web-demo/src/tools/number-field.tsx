// A field for a number.
import { useState } from 'preact/hooks';

interface NumberFieldProps {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly value: number;
  readonly onValue: (value: number) => void;
}

/**
 * A whole number between two bounds. Typed text stays until it is valid: rendering would revert it.
 */
export function NumberField({ label, min, max, value, onValue }: NumberFieldProps) {
  const [typed, setTyped] = useState<string>();
  const take = (number: number): void => {
    setTyped(undefined);
    onValue(Math.min(max, Math.max(min, Math.floor(number) || min)));
  };
  return (
    <input
      type="number"
      aria-label={label}
      min={min}
      max={max}
      value={typed ?? value}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onChange={({ currentTarget }) => take(currentTarget.valueAsNumber)}
      onBlur={() => setTyped(undefined)}
    />
  );
}
