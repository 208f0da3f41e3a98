// Files that the system opens with the installed page, or that the page around this one sends.
import { useEffect } from 'preact/hooks';
import type { Opening } from './opening';

interface LaunchQueue {
  setConsumer(consume: (launch: { readonly files?: readonly FileSystemFileHandle[] }) => void): void;
}

/** Opens the files that the page was launched with or is sent, now and later. */
export function useLaunched({ files: onFiles }: Pick<Opening, 'files'>): void {
  useEffect(() => {
    const { launchQueue } = window as { readonly launchQueue?: LaunchQueue };
    launchQueue?.setConsumer(({ files = [] }) => {
      if (files.length > 0) void Promise.all(files.map((file) => file.getFile())).then(onFiles);
    });
    if (window.parent === window) return;
    const hear = ({ source, data }: MessageEvent<{ readonly unspool?: readonly File[] } | null>): void => {
      const files = data?.unspool;
      if (source === window.parent && Array.isArray(files) && files.every((file) => file instanceof File)) onFiles(files);
    };
    addEventListener('message', hear);
    // It says nothing about the file, so any page around may hear it.
    window.parent.postMessage('unspool listens', '*');
    return () => removeEventListener('message', hear);
  }, [onFiles]);
}
