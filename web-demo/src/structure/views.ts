// The views of the tab with the structure, which load together.
import './structure.css';

export { Bits } from '../bytes/bits';
export { Find } from '../bytes/find';
export { HexView } from '../bytes/hex-view';
export { Place } from '../bytes/place';
export { Readings } from '../bytes/readings';
export { columnsOf, Split } from '../tools/split';
export { FileMap } from './map';
export { Take } from './take';
export { TreeView } from './tree-view';
