// How a part of the page, however deep in it, opens a file.
import { createContext } from 'preact';

export interface Opening {
  /** Opens these files in the place of the one that is open. */
  readonly files: (files: readonly File[]) => void;
  /** Opens a file of a server, also if it is the one that has just failed. */
  readonly address: (url: string) => void;
  /** Opens the file that is open once more, with this dictionary. */
  readonly dictionary: (dictionary: File) => void;
}

export const Opening = createContext<Opening>({ files: () => undefined, address: () => undefined, dictionary: () => undefined });
