// Lets any part of the page open a file.
import { createContext } from 'preact';

export interface Opening {
  /** Opens these files, each in a tab. */
  readonly files: (files: readonly File[]) => void;
  /** Opens a remote file, even if it has just failed. */
  readonly address: (url: string) => void;
  /** Reopens the current file with this dictionary, once it is picked. */
  readonly dictionary: (picked: Promise<File>) => void;
}

export const Opening = createContext<Opening>({ files: () => undefined, address: () => undefined, dictionary: () => undefined });
