// Goes from one page of the content to another.
import { useEffect, useState } from 'preact/hooks';
import { count } from '../format';

interface Props {
  readonly page: number;
  readonly pages: number;
  readonly onPage: (page: number) => void;
}

export function Pages({ page, pages, onPage }: Props) {
  // What is being typed, until it is a page.
  const [typed, setTyped] = useState('1');
  useEffect(() => setTyped(String(page + 1)), [page]);
  if (pages <= 1) return null;
  const goTo = (page: number): void => {
    const to = Math.min(pages - 1, Math.max(0, Math.floor(page)));
    setTyped(String(to + 1));
    onPage(to);
  };
  return (
    <nav class="pages" aria-label="Pages of the content">
      <button type="button" disabled={page === 0} onClick={() => goTo(page - 1)}>Earlier</button>
      <label>
        page{' '}
        <input
          type="number"
          aria-label="Page of the content"
          min={1}
          max={pages}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          onChange={({ currentTarget }) => goTo(currentTarget.valueAsNumber - 1 || 0)}
        />{' '}
        of {count(pages)}
      </label>
      <button type="button" disabled={page === pages - 1} onClick={() => goTo(page + 1)}>Later</button>
    </nav>
  );
}
