// A server that answers each request at random: right, wrong, or with the bytes of another file.
//
// A `HostileServer` decides about answers. `fetchFrom` and `listen` send them, in this process and
// through a socket.
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { damaged } from './random.mjs';

const CHANGED = /has changed since/;
const INPUT = /limits\.maxInput|bytes in the Content-Encoding/;
const BODY = /body that does not match its Content-Range/;
const SILENT = /sent nothing for 30 seconds/;

/** Wrong answers to a range, and the reason for which each is refused. */
const WRONG = {
  short: BODY,
  long: BODY,
  endless: BODY,
  early: /the connection closed early/,
  shifted: /another range than requested/,
  fewer: /another range than requested/,
  unranged: /no valid Content-Range/,
  unit: /no valid Content-Range/,
  empty: /no valid Content-Range/,
  star: /does not tell the length/,
  huge: /says that the file has/,
  encoded: /a range in the Content-Encoding/,
  refused: /the server returned (404|403|500|503)/,
  unsatisfied: CHANGED,
  page: /an HTML page|has changed since/,
  pour: /limits\.maxInput|has changed since/,
  unreachable: /cannot be reached/,
  silent: SILENT,
  stuck: SILENT,
};
/** Answers that are wrong only after another one: a file of another version or length. */
const LATER = { other: CHANGED, longer: CHANGED, cut: CHANGED };
/** Wrong lengths in the first answer. No client can know. */
const FIRST = ['longer', 'cut', 'gone'];

/** All kinds of wrong answers. The last two follow from a limit, and from other answers. */
export const KINDS = [...Object.keys(WRONG), ...Object.keys(LATER), 'limit', 'outside'];

const MEGABYTE = 2 ** 20;
/** Lengths that no memory holds. */
const GIANT = [2 ** 53 - 1, 2 ** 40, 2 ** 32 + 5, 2 ** 31];
/** A file of a giant length ends with this byte. */
const FILLER = 0xa5;

/** Length of the first read of the package. */
const FIRST_READ = 16 * 1024;
/** Bytes of no file. */
const NOISE = Uint8Array.from({ length: MEGABYTE + 200 }, (_, at) => (at * at + 7 * at) >> 3);

/** How a body goes on after its bytes. */
const [END, POUR, BREAK, STALL] = ['end', 'pour', 'break', 'stall'];

/** A server of one file, for one client that opens it once. */
export class HostileServer {
  /** The wrong answers that were given, each with the reasons that an error may have. */
  wrong = [];
  /** True if other bytes, or another length, were given as if they were right. */
  lied = false;
  /** True if one byte was given twice with two values, or the length is giant. */
  isVague = false;
  /** Number of requests. */
  asked = 0;
  /** Bodies that were neither read to their end nor cancelled. */
  open = new Set();
  /** True if the client has an answer as soon as the server ends it. */
  isHere = false;
  /** What a client did that it must not do. */
  faults = [];
  /** Called with an answer that does not go on. */
  onStall = () => undefined;
  /** Called for each request. */
  onAnswer = () => undefined;
  #random;
  #file;
  #mayLie;
  #wrongPercent;
  /** Number of calls of the client with right answers alone. The first opens the file. */
  #calm;
  #calls = 0;
  #before = 0;
  #giant;
  #tags;
  /** Length and tags of the first accepted answer. */
  #known;
  #view;
  #seen;

  /** `maxInput` is the limit of the client. */
  constructor(random, file, maxInput) {
    this.#random = random;
    this.maxInput = maxInput;
    // Right, wrong, wrong and lying, another file, a giant file.
    const mood = [0, 0, 1, 1, 1, 1, 2, 2, 3, 4][random(10)];
    this.#mayLie = mood === 2;
    this.#wrongPercent = mood === 0 ? 0 : [5, 20, 50][random(3)];
    this.#calm = random(2) * random(4);
    this.#file = mood === 3 ? damaged(file, random) : file;
    this.#giant = mood === 4 ? GIANT[random(GIANT.length)] : undefined;
    this.#tags = ['none', 'etag', 'modified', 'both'][random(4)];
    this.lied = mood >= 3;
    this.isVague = mood === 4;
  }

  get #size() {
    return this.#giant ?? this.#file.length;
  }

  /** The file that the client has seen. Bytes that it has not read are those of the right file. */
  get view() {
    return this.#view ?? this.#file;
  }

  /**
   * Notes the start of a call. Returns the number of wrong answers that must not matter to it.
   * Reads of an earlier call may still be under way.
   */
  begin() {
    this.#calls += 1;
    if (this.isHere && this.open.size === 0) this.#before = this.wrong.length;
    return this.#before;
  }

  #content(start, end) {
    const part = this.#file.subarray(start, end);
    if (part.length === end - start) return part;
    const padded = new Uint8Array(end - start).fill(FILLER);
    padded.set(part);
    return padded;
  }

  /** Returns the tags of the file. They may be weak, and each may be missing. */
  #headers() {
    const random = this.#random;
    const headers = {};
    if (/etag|both/.test(this.#tags) && random(8) > 0) headers.ETag = `${random(4) === 0 ? 'W/' : ''}"1"`;
    if (/modified|both/.test(this.#tags) && random(8) > 0) headers['Last-Modified'] = 'Mon, 01 Jan 2024 00:00:00 GMT';
    return headers;
  }

  #wrong(kind, ...reasons) {
    this.wrong.push({ kind, reasons });
  }

  /** Notes bytes that the client takes for right. */
  #give(start, bytes, size, headers) {
    if (this.#known === undefined) {
      this.#known = { size, etag: headers.ETag !== undefined, modified: headers['Last-Modified'] !== undefined };
      if (this.#mayLie) {
        this.#view = new Uint8Array(size).fill(FILLER);
        this.#view.set(this.#file.subarray(0, size));
        this.#seen = new Uint8Array(size);
      }
    }
    // Without a lie, all bytes are those of one file.
    if (!this.#mayLie) return;
    for (let at = 0; at < bytes.length; at += 1) {
      this.isVague ||= this.#seen[start + at] === 1 && this.#view[start + at] !== bytes[at];
      this.#seen[start + at] = 1;
    }
    this.#view.set(bytes, start);
  }

  /** Answers the request of a range. `most` is the number of bytes that the client may take. */
  answer(start, end) {
    this.asked += 1;
    this.onAnswer();
    const random = this.#random;
    const isFirst = this.#known === undefined;
    const isKnown = isFirst || this.#known.size === this.#size;
    if (start >= this.#size || (!isFirst && end > this.#known.size)) {
      // The client believes that the file is longer, or the range is outside of it.
      if (end > (this.#known?.size ?? Infinity)) this.faults.push(`asks for ${start} to ${end} of ${this.#known.size} bytes`);
      if (isFirst && this.#size === 0) this.#give(0, new Uint8Array(), 0, {});
      else this.#wrong('outside', CHANGED);
      return { status: 416, headers: { 'Content-Range': `bytes */${this.#size}` }, bytes: [], then: END, most: 0 };
    }
    const last = Math.min(end, this.#size) - 1;
    const length = last + 1 - start;
    if (this.#calls > this.#calm && random(100) < this.#wrongPercent) {
      const list = isFirst ? [...Object.keys(WRONG), ...(this.#mayLie ? [...FIRST, 'changed', 'changed', 'changed'] : [])] : [...Object.keys(WRONG), ...Object.keys(LATER), ...(this.#mayLie ? Array(8).fill('changed') : [])];
      return this.#spoiled(list[random(list.length)], start, last, length, isFirst, isKnown);
    }
    return this.#right(start, last, length, isFirst, isKnown);
  }

  /** A right answer, by range or as a whole file. The client may not take it for right. */
  #right(start, last, length, isFirst, isKnown, change = (bytes) => bytes) {
    const random = this.#random;
    const headers = this.#headers();
    if (!isKnown) this.#wrong('outside', CHANGED);
    if (random(12) === 0 && this.#giant === undefined) {
      const [bytes, isEncoded] = [change(this.#file), random(3) === 0];
      const limit = Math.min(this.maxInput, this.#known?.size ?? Infinity);
      if (bytes.length > limit) this.#wrong('limit', INPUT, CHANGED);
      else if (isFirst) this.#give(0, bytes, bytes.length, headers);
      else if (isKnown) this.#give(start, bytes.subarray(start, last + 1), bytes.length, headers);
      return { status: 200, headers, isEncoded, bytes, then: END, most: limit + 1 };
    }
    headers['Content-Range'] = `bytes ${start}-${last}/${this.#size}`;
    const isLong = length > this.maxInput;
    if (isLong) this.#wrong('limit', INPUT);
    const isTaken = isKnown && !isLong;
    // A body that is refused is not built: it may be giant.
    const bytes = isTaken ? change(this.#content(start, last + 1)) : new Uint8Array(1);
    if (isTaken) this.#give(start, bytes, this.#size, headers);
    return { status: 206, headers, bytes, then: END, most: isTaken ? length + 1 : 0 };
  }

  #spoiled(kind, start, last, length, isFirst, isKnown) {
    const random = this.#random;
    const headers = this.#headers();
    const size = this.#size;
    const limit = Math.min(this.maxInput, this.#known?.size ?? Infinity);
    // The client must not use a byte of a wrong answer.
    const noise = (count) => NOISE.subarray(random(100)).subarray(0, count);
    const ranged = (range) => (headers['Content-Range'] = range, headers);
    const right = `bytes ${start}-${last}/${size}`;
    const { size: known = 0 } = this.#known ?? {};
    const otherSize = known + (known > 50 ? -1 : 1) * (1 + random(50));
    const none = { status: 206, headers, bytes: new Uint8Array(1), then: END, most: 0 };
    /** A body of a right range, which the client reads unless it refuses the range. */
    const body = (count, then) => {
      const isRead = isKnown && length <= this.maxInput;
      if (length > this.maxInput) this.#wrong('limit', INPUT);
      return { status: 206, headers: ranged(right), bytes: isRead ? noise(count) : new Uint8Array(1), then, most: isRead ? length + 1 : 0 };
    };
    if (kind === 'changed') {
      this.lied = true;
      return this.#right(start, last, length, isFirst, isKnown, (bytes) => {
        const changed = bytes.slice();
        for (let left = changed.length === 0 ? 0 : 1 + random(3); left > 0; left -= 1) changed[random(changed.length)] = random(256);
        return changed;
      });
    }
    if (isFirst && FIRST.includes(kind)) {
      this.lied = true;
      if (kind === 'gone') {
        this.#give(0, new Uint8Array(), 0, {});
        return { ...none, status: 416, headers: random(2) === 0 ? {} : { 'Content-Range': 'bytes */0' } };
      }
      const claimed = kind === 'cut' ? 1 + random(size) : size + 1 + random(50);
      const bytes = this.#content(0, Math.min(claimed, FIRST_READ));
      this.#give(0, bytes, claimed, headers);
      return { status: 206, headers: ranged(`bytes 0-${bytes.length - 1}/${claimed}`), bytes, then: END, most: bytes.length + 1 };
    }
    this.#wrong(kind, WRONG[kind] ?? LATER[kind], ...(isKnown ? [] : [CHANGED]));
    // A file whose start cannot be read is not a shorter one.
    if (start === 0 && /unsatisfied|cut/.test(kind)) this.#wrong(kind, /the server returned 416/);
    switch (kind) {
      case 'short': return body(random(length), END);
      case 'long': return body(length + 1 + random(40), END);
      case 'endless': return body(length, POUR);
      case 'early': return body(random(length), BREAK);
      case 'stuck': return body(random(length), STALL);
      case 'silent': return undefined;
      case 'unreachable': return null;
      case 'shifted': return { ...none, headers: ranged(`bytes ${start + 1}-${last}/${size}`) };
      case 'fewer': return { ...none, headers: ranged(`bytes ${start}-${last - 1}/${size}`) };
      case 'unranged': return none;
      case 'unit': return { ...none, headers: ranged(`items ${start}-${last}/${size}`) };
      case 'empty': return { ...none, status: 204 };
      case 'star': return { ...none, headers: ranged(`bytes ${start}-${last}/*`) };
      case 'huge': return { ...none, headers: ranged(`bytes ${start}-${last}/${['9007199254740992', '9'.repeat(400)][random(2)]}`) };
      case 'encoded': return { ...none, headers: { ...ranged(right), 'Content-Encoding': 'gzip' } };
      case 'refused': return { ...none, status: [404, 403, 500, 503][random(4)] };
      // Only an empty file satisfies no range.
      case 'unsatisfied': return { ...none, status: 416, headers: ranged('bytes */5') };
      case 'page': {
        const bytes = new TextEncoder().encode(`\ufeff<!doctype html>${'x'.repeat(random(100))}`);
        return { status: 200, headers, bytes, then: END, most: limit + 1 };
      }
      case 'pour': return { status: 200, headers, bytes: noise(limit), then: POUR, most: limit + 1 };
      case 'other': {
        // Another version must have a tag that the first answer has, too.
        const { etag, modified } = this.#known;
        const other = etag ? { ETag: '"2"' } : modified ? { 'Last-Modified': 'Tue, 02 Jan 2024 00:00:00 GMT' } : undefined;
        if (other === undefined) return { ...none, headers: ranged(`bytes ${start}-${last}/${otherSize}`) };
        if (random(3) === 0) return { ...none, status: 200, headers: other };
        return { ...none, headers: { ...other, 'Content-Range': right } };
      }
      case 'longer': return { ...none, headers: ranged(`bytes ${start}-${last}/${otherSize}`) };
      case 'cut': {
        if (random(2) === 0) return { ...none, status: 416, headers: ranged(`bytes */${random(known)}`) };
        return { status: 200, headers, bytes: noise(random(limit)), then: END, most: limit + 1 };
      }
      default: throw new Error(kind);
    }
  }

  /** Notes the end of a body, and the number of bytes that the client took. */
  close(answer, taken) {
    this.open.delete(answer);
    if (taken > answer.most) this.faults.push(`took ${taken} bytes of an answer of ${answer.most} (status ${answer.status})`);
  }
}

const rangeOf = (header) => {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(header).map(Number);
  return [start, end + 1];
};

/** Calls `run` once the signal aborts. Returns a function that forgets it. */
function onAbort(signal, run) {
  signal.addEventListener('abort', run);
  // Node keeps every joined signal that has a listener.
  return () => signal.removeEventListener('abort', run);
}

/** Returns a `fetch` that asks the server. Bodies count every byte that is taken. */
export function fetchFrom(server, random) {
  server.isHere = true;
  return async (source, { headers, signal }) => {
    signal.throwIfAborted();
    const answer = server.answer(...rangeOf(headers.get('Range')));
    if (answer === null) throw new TypeError('fetch failed');
    if (answer === undefined) {
      const key = {};
      server.open.add(key);
      server.onStall(key);
      await new Promise((resolve) => onAbort(signal, resolve));
      server.open.delete(key);
      throw signal.reason;
    }
    const { status, bytes, then, most, isEncoded = false } = answer;
    const init = { status, headers: { ...answer.headers, ...(isEncoded && { 'Content-Encoding': 'gzip' }) } };
    if (status === 204) return new Response(null, init);
    server.open.add(answer);
    let [at, forget] = [0, () => undefined];
    const over = () => {
      forget();
      server.close(answer, at);
    };
    const start = (controller) => {
      forget = onAbort(signal, () => {
        over();
        controller.error(signal.reason);
      });
    };
    const fail = (controller) => {
      over();
      controller.error(new TypeError('terminated'));
    };
    const pull = (controller) => {
      if (at < bytes.length) {
        // Bytes that nobody asked for come one by one.
        const next = Math.min(bytes.length, at < most - 1 ? Math.min(most - 1, at + 1 + random(random(8) === 0 ? 100 : 40_000)) : at + 1);
        controller.enqueue(bytes.slice(at, next));
        at = next;
      } else if (then === POUR && at <= most + 100) {
        controller.enqueue(new Uint8Array(1));
        at += 1;
      } else if (then === STALL) {
        server.onStall(answer);
        return new Promise(() => undefined);
      } else if (then === END) {
        over();
        controller.close();
      } else fail(controller);
      return undefined;
    };
    return new Response(new ReadableStream({ start, pull, cancel: over }, { highWaterMark: 0 }), init);
  };
}

/** Bytes that are on their way in buffers when a client hangs up. */
const IN_BUFFERS = 16 * MEGABYTE;

/** Opens a socket. `serve` returns the address of a server on it. */
export async function listen() {
  // A request may arrive after its client has given up, so each server has an address of its own.
  const servers = [];
  const http = createServer((request, response) => {
    const server = servers[Number(request.url.slice(1))];
    const answer = server.answer(...rangeOf(request.headers.range));
    if (answer === null) return server.asked % 2 === 0 ? request.socket.destroy() : request.socket.end('no HTTP\r\n\r\n');
    const entry = answer ?? { most: 0, status: 0 };
    server.open.add(entry);
    let sent = 0;
    response.on('close', () => server.close(entry, sent - IN_BUFFERS));
    if (answer === undefined) return server.onStall(entry);
    const { status, headers, then, isEncoded } = answer;
    const bytes = isEncoded ? gzipSync(answer.bytes) : answer.bytes;
    const isEmpty = status === 204 || status === 416;
    if (then === BREAK) headers['Content-Length'] = bytes.length + 10;
    response.writeHead(status, { ...headers, ...(isEncoded && { 'Content-Encoding': 'gzip' }) });
    if (isEmpty || then === END) return response.end(isEmpty ? undefined : bytes);
    response.write(bytes);
    if (then === BREAK) return setImmediate(() => response.destroy());
    if (then === STALL) return server.onStall(entry);
    const part = new Uint8Array(MEGABYTE);
    const more = () => {
      while (!response.destroyed && sent < 8 * IN_BUFFERS) {
        sent += part.length;
        if (!response.write(part)) return response.once('drain', more);
      }
      return response.end();
    };
    return more();
  });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  const serve = (server) => `http://127.0.0.1:${http.address().port}/${servers.push(server) - 1}`;
  return { serve, close: () => (http.closeAllConnections(), http.close()) };
}
