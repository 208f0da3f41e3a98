// Turns the pages of the content. At an end, the buttons stay, and keep the focus.
import { count } from '../format';
import { NumberField } from '../tools/number-field';

interface Props {
  readonly page: number;
  readonly pages: number;
  readonly onPage: (page: number) => void;
}

export function Pages({ page, pages, onPage }: Props) {
  if (pages <= 1) return null;
  return (
    <nav class="pages" aria-label="Pages of the content">
      <button type="button" aria-disabled={page === 0} onClick={() => page > 0 && onPage(page - 1)}>Earlier</button>
      <label>
        page{' '}
        <NumberField label="Page of the content" min={1} max={pages} value={page + 1} onValue={(typed) => onPage(typed - 1)} />{' '}
        of {count(pages)}
      </label>
      <button type="button" aria-disabled={page === pages - 1} onClick={() => page < pages - 1 && onPage(page + 1)}>Later</button>
    </nav>
  );
}
