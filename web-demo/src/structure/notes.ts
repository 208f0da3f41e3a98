// Notes above the tabs of a file: on an error, a dictionary, a large file or an unknown format.
export { Check } from './check';
export { MayWantDictionary, WantsDictionary } from './dictionary';
export { Large } from './large';
export { Problem } from './problem';
export { Unknown } from './unknown';
