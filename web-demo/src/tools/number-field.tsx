import { useState } from 'preact/hooks';

interface NumberFieldProps {
  readonly label: string;
  readonly max: number;
  readonly value: number;
  readonly onValue: (value: number) => void;
}

/** A whole number from 0 to the largest there is. What is typed stays until it counts: whatever is drawn anew meanwhile would take it back. */
export function NumberField({ label, max, value, onValue }: NumberFieldProps) {
  const [typed, setTyped] = useState<string>();
  const take = (number: number): void => {
    setTyped(undefined);
    onValue(Math.min(max, Math.max(0, Math.floor(number) || 0)));
  };
  return (
    <input
      type="number"
      aria-label={label}
      min={0}
      max={max}
      value={typed ?? value}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onChange={({ currentTarget }) => take(currentTarget.valueAsNumber)}
      onBlur={() => setTyped(undefined)}
    />
  );
}
