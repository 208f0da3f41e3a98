// The conditions of a query, one line each.
import { useRef } from 'preact/hooks';
import type { At1Columns, Condition } from '../values';
import { query as words } from '../words';

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
        <div key={at} class="condition" role="group" aria-label={words.condition(at + 1)}>
          <span>{at === 0 ? words.where : words.and}</span>
          <select
            aria-label={words.column}
            value={column}
            onChange={({ currentTarget }) => {
              const picked = Number(currentTarget.value);
              change(at, { column: picked, test: columns[picked]?.type === 'text' ? 'equals' : 'between' });
            }}
          >
            {columns.map(({ name, type }, number) => <option key={number} value={number}>{words.typed(name, type)}</option>)}
          </select>
          <select aria-label={words.test} value={test} onChange={({ currentTarget }) => change(at, { test: currentTarget.value as Condition['test'] })}>
            <option value="between">{words.isBetween}</option>
            <option value="equals">{words.is}</option>
            <option value="contains">{words.contains}</option>
          </select>
          <input
            aria-label={test === 'between' ? words.from : words.value}
            placeholder={test === 'between' ? words.lowest : test === 'equals' && codec === 'qjson' && columns[column]?.type === 'text' ? words.withQuotes : ''}
            value={from}
            onInput={({ currentTarget }) => change(at, { from: currentTarget.value })}
          />
          {test === 'between' && (
            <>
              <span>{words.and}</span>
              <input aria-label={words.to} placeholder={words.highest} value={to} onInput={({ currentTarget }) => change(at, { to: currentTarget.value })} />
            </>
          )}
          <button type="button" aria-label={words.remove(at + 1)} onClick={() => remove(at)}>×</button>
        </div>
      ))}
      <button type="button" ref={adding} onClick={add}>{words.add}</button>
    </div>
  );
}
