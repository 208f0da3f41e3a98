// Files that the system opens with the installed page.
import { useEffect } from 'preact/hooks';
import type { Opening } from './opening';

interface LaunchQueue {
  setConsumer(consume: (launch: { readonly files?: readonly FileSystemFileHandle[] }) => void): void;
}

/** Opens the files that the page was launched with, now and later. */
export function useLaunched({ files: onFiles }: Pick<Opening, 'files'>): void {
  useEffect(() => {
    const { launchQueue } = window as { readonly launchQueue?: LaunchQueue };
    launchQueue?.setConsumer(({ files = [] }) => {
      if (files.length > 0) void Promise.all(files.map((file) => file.getFile())).then(onFiles);
    });
  }, [onFiles]);
}
