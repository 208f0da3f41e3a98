// The views of the tab with the bytes of each part, which load together.
import './totals.css';

export { Parts } from './parts';
export { Sizes } from './sizes';
