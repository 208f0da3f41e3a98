// A row of tabs. Arrow keys move between them.
import { useRef } from 'preact/hooks';

export interface Tab {
  readonly id: string;
  readonly name: string;
}

interface Props {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly picked: string;
  readonly onPick: (id: string) => void;
  /** Prefix of the panels' IDs, if each tab has a panel. */
  readonly panels?: string;
}

export function Tabs({ label, tabs, picked, onPick, panels }: Props) {
  const row = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (tabs.findIndex(({ id }) => id === picked) + step + tabs.length) % tabs.length;
    onPick(tabs[next]?.id ?? picked);
    row.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <div class={panels === undefined ? 'tabs' : 'tabs views'} role="tablist" aria-label={label} ref={row} onKeyDown={onKeyDown}>
      {tabs.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={panels === undefined ? undefined : `${panels}-tab-${id}`}
          aria-controls={panels !== undefined && id === picked ? `${panels}-${id}` : undefined}
          aria-selected={id === picked}
          tabIndex={id === picked ? 0 : -1}
          title={name}
          onClick={() => onPick(id)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
