// The worker's side: runs one job after the other.
import { unlessAborted } from '../abort.js';
import { UnspoolError } from '../error.js';
import { runJob } from './jobs.js';
import { type Answer, buffers, type Command, type Job, type Port, type Reply, type SharedModule } from './messages.js';
import { startModule } from './modules.js';
import { pauses } from './pause.js';

/** A read that failed. The pool has the error. */
class Unread extends Error {
  readonly read: number;

  constructor(read: number) {
    super();
    this.read = read;
  }
}

/**
 * Returns the listener for commands. `rest` resolves after other messages of the pool have arrived.
 */
export function serve(port: Port, rest: () => Promise<void>): (command: Command) => void {
  const reply = (reply: Reply, transfer: ArrayBuffer[] = []): void => port.postMessage(reply, transfer);
  const reads = new Map<number, (bytes: Uint8Array | undefined) => void>();
  const modules = new Map<SharedModule, (compiled: WebAssembly.Module) => void>();
  let reading = 0;
  let running: AbortController | undefined;

  async function answer(job: Job): Promise<Answer> {
    const { signal } = (running = new AbortController());
    const pause = pauses(rest);
    try {
      const result = await runJob(job, {
        signal,
        report: (progress) => reply({ progress }),
        async pause() {
          await pause();
          signal.throwIfAborted();
        },
        read(range) {
          const read = reading++;
          reply({ read, range });
          const answered = new Promise<Uint8Array>((resolve, reject) => {
            reads.set(read, (bytes) => (bytes === undefined ? reject(new Unread(read)) : resolve(bytes)));
          });
          return unlessAborted(answered, signal);
        },
        load: (name) =>
          startModule(name, () => {
            reply({ wants: name });
            return unlessAborted(new Promise((resolve) => modules.set(name, resolve)), signal);
          }),
      });
      return { result };
    } catch (error) {
      if (error instanceof UnspoolError) return { refused: error.toJSON() };
      if (error instanceof Unread) return { unread: error.read };
      const { name, message } = error instanceof Error || error instanceof DOMException ? error : { name: 'Error', message: String(error) };
      return { failed: { name, message } };
    } finally {
      running = undefined;
      reads.clear();
      modules.clear();
    }
  }

  reply({ ready: true });
  return (command) => {
    if ('abort' in command) running?.abort();
    else if ('read' in command) reads.get(command.read)?.(command.bytes);
    else if ('module' in command) modules.get(command.module)?.(command.compiled);
    else void answer(command.job).then((end) => reply(end, 'result' in end ? buffers(end.result) : []));
  };
}
