// The conditions of a query, one line each.
import { useRef } from 'preact/hooks';
import type { At1Columns, Condition } from '../values';

interface Props {
  readonly table: At1Columns;
  readonly conditions: readonly Condition[];
  readonly onChange: (conditions: readonly Condition[]) => void;
}

export function Conditions({ table: { columns, codec }, conditions, onChange }: Props) {
  const adding = useRef<HTMLButtonElement>(null);
  const change = (at: number, to: Partial<Condition>): void => onChange(conditions.map((condition, other) => (other === at ? { ...condition, ...to } : condition)));
  const add = (): void => {
    // Numbers have zone maps.
    const column = Math.max(0, columns.findIndex(({ type }) => type !== 'text'));
    onChange([...conditions, { column, test: columns[column]?.type === 'text' ? 'equals' : 'between', from: '', to: '' }]);
  };
  const remove = (at: number): void => {
    // The button disappears with the last line: move the focus. On other lines, the next line takes
    // its place.
    if (at === conditions.length - 1) adding.current?.focus();
    onChange(conditions.filter((_, other) => other !== at));
  };
  return (
    <div class="conditions">
      {conditions.map(({ column, test, from, to }, at) => (
        <div key={at} class="condition" role="group" aria-label={`Condition ${at + 1}`}>
          <span>{at === 0 ? 'where' : 'and'}</span>
          <select
            aria-label="Column"
            value={column}
            onChange={({ currentTarget }) => {
              const picked = Number(currentTarget.value);
              change(at, { column: picked, test: columns[picked]?.type === 'text' ? 'equals' : 'between' });
            }}
          >
            {columns.map(({ name, type }, number) => <option key={number} value={number}>{name} ({type})</option>)}
          </select>
          <select aria-label="Test" value={test} onChange={({ currentTarget }) => change(at, { test: currentTarget.value as Condition['test'] })}>
            <option value="between">is between</option>
            <option value="equals">is</option>
          </select>
          <input
            aria-label={test === 'between' ? 'From' : 'Value'}
            placeholder={test === 'between' ? 'lowest' : codec === 'qjson' && columns[column]?.type === 'text' ? '"with quotes"' : ''}
            value={from}
            onInput={({ currentTarget }) => change(at, { from: currentTarget.value })}
          />
          {test === 'between' && (
            <>
              <span>and</span>
              <input aria-label="To" placeholder="highest" value={to} onInput={({ currentTarget }) => change(at, { to: currentTarget.value })} />
            </>
          )}
          <button type="button" aria-label={`Remove condition ${at + 1}`} onClick={() => remove(at)}>×</button>
        </div>
      ))}
      <button type="button" ref={adding} onClick={add}>Add a condition</button>
    </div>
  );
}
