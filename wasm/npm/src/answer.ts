// Answers of servers. None lasts forever, and none has more bytes than allowed.
import { unlessAborted } from './abort.js';
import { join } from './join.js';
import { SourceError } from './source-error.js';

/** Maximum silence of a server, in milliseconds. */
const SILENCE = 30_000;

/** Minimum rate of a body in bytes per second, and the milliseconds before it applies. */
const [SLOWEST, GRACE] = [256, 60_000];

const TIMED_OUT = `the server sent nothing for ${SILENCE / 1000} seconds`;
const TOO_SLOW = `the server sent less than ${SLOWEST} bytes a second`;

/** Awaits part of an answer, and throws the error of `late` after a time. */
async function inTime<T>(part: Promise<T>, time: number, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), time);
  });
  try {
    return await Promise.race([part, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** Awaits the head of an answer. `send` sends the request, which its signal aborts. */
export function headOf(url: string, send: (over: AbortSignal) => Promise<Response>): Promise<Response> {
  const over = new AbortController();
  return inTime(send(over.signal), SILENCE, () => {
    over.abort();
    return new SourceError(TIMED_OUT, url, 0);
  });
}

/** Ends an answer without reading its body, which may be endless. */
export const hangUp = ({ body }: Response): void => void body?.cancel().catch(() => undefined);

/** Reads at most `most` bytes of a body. Returns `undefined` if it has more. */
export async function bodyOf({ body, status }: Response, url: string, most: number, signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
  if (body === null) return new Uint8Array();
  const refused = (why: string, options?: ErrorOptions): SourceError => new SourceError(why, url, status, options);
  const [reader, parts] = [body.getReader(), [] as Uint8Array[]];
  const began = performance.now();
  let length = 0;
  try {
    for (;;) {
      const piece = unlessAborted(reader.read(), signal).catch((cause: unknown) => {
        throw signal?.aborted === true ? cause : refused('the connection closed early', { cause });
      });
      const left = GRACE + (1000 * length) / SLOWEST - (performance.now() - began);
      const { value } = await inTime(piece, Math.max(0, Math.min(SILENCE, left)), () => refused(left < SILENCE ? TOO_SLOW : TIMED_OUT));
      if (value === undefined) return join(parts, (length) => new Uint8Array(length));
      length += value.length;
      if (length > most) return undefined;
      parts.push(value);
    }
  } finally {
    // Hangs up, unless the body was read to its end.
    reader.cancel().catch(() => undefined);
  }
}
