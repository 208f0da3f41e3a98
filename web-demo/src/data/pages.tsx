// Turns the pages of the content. At an end, the buttons stay, and keep the focus.
import { NumberField } from '../tools/number-field';
import { data } from '../words';

interface Props {
  readonly page: number;
  readonly pages: number;
  readonly onPage: (page: number) => void;
}

export function Pages({ page, pages, onPage }: Props) {
  if (pages <= 1) return null;
  return (
    <nav class="pages" aria-label={data.pages}>
      <button type="button" aria-disabled={page === 0} onClick={() => page > 0 && onPage(page - 1)}>{data.earlier}</button>
      <label>
        {data.page}{' '}
        <NumberField label={data.pageLabel} min={1} max={pages} value={page + 1} onValue={(typed) => onPage(typed - 1)} />{' '}
        {data.ofPages(pages)}
      </label>
      <button type="button" aria-disabled={page === pages - 1} onClick={() => page < pages - 1 && onPage(page + 1)}>{data.later}</button>
    </nav>
  );
}
