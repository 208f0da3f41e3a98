// Writes FlatBuffers: the encoding of Arrow's metadata.

/** A field of a table. An absent one is `undefined`. */
export type FlatField =
  | { readonly i8: number }
  | { readonly i16: number }
  | { readonly i32: number }
  | { readonly i64: number }
  | { readonly text: string }
  | { readonly table: FlatTable }
  | { readonly tables: readonly FlatTable[] }
  /** Structs of two 64-bit numbers each. */
  | { readonly pairs: readonly (readonly [number, number])[] };

/** A table: its fields in the order of the schema. */
export type FlatTable = readonly (FlatField | undefined)[];

/** Returns the bytes of a table. */
export function flatbuffer(root: FlatTable): Uint8Array<ArrayBuffer> {
  const writer = new Writer();
  writer.space(4);
  writer.point(0, writer.table(root));
  return writer.bytes();
}

/** Width of a field in its table. */
const widthOf = (field: FlatField): number => ('i8' in field ? 1 : 'i16' in field ? 2 : 'i64' in field ? 8 : 4);

class Writer {
  #view = new DataView(new ArrayBuffer(1024));
  #length = 0;

  bytes(): Uint8Array<ArrayBuffer> {
    this.align(8);
    return new Uint8Array(this.#view.buffer as ArrayBuffer, 0, this.#length);
  }

  /** Reserves zeros. Returns their position. */
  space(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#view.byteLength) {
      const more = new Uint8Array(2 * this.#length);
      more.set(new Uint8Array(this.#view.buffer));
      this.#view = new DataView(more.buffer);
    }
    return at;
  }

  align(unit: number): void {
    this.space((unit - (this.#length % unit)) % unit);
  }

  /** Makes the offset at `from` point to `to`, which follows it. */
  point(from: number, to: number): void {
    this.#view.setUint32(from, to - from, true);
  }

  /** Writes a table and all that it points to. */
  table(fields: FlatTable): number {
    // The fields by falling width, so that each is aligned if the first one is.
    const present = [...fields.entries()].filter((entry): entry is [number, FlatField] => entry[1] !== undefined);
    present.sort(([, a], [, b]) => widthOf(b) - widthOf(a));
    const places = new Map<number, number>();
    // The offset of the vtable takes four bytes; wide fields start at eight.
    let size = present.some(([, field]) => widthOf(field) === 8) ? 8 : 4;
    for (const [slot, field] of present) {
      places.set(slot, size);
      size += widthOf(field);
    }
    this.align(2);
    const vtable = this.space(4 + 2 * fields.length);
    this.align(8);
    const start = this.space(size);
    this.#view.setUint16(vtable, 4 + 2 * fields.length, true);
    this.#view.setUint16(vtable + 2, size, true);
    for (const [slot, place] of places) this.#view.setUint16(vtable + 4 + 2 * slot, place, true);
    this.#view.setInt32(start, start - vtable, true);
    for (const [slot, field] of present) this.#field(start + (places.get(slot) ?? 0), field);
    return start;
  }

  #field(at: number, field: FlatField): void {
    if ('i8' in field) this.#view.setInt8(at, field.i8);
    else if ('i16' in field) this.#view.setInt16(at, field.i16, true);
    else if ('i32' in field) this.#view.setInt32(at, field.i32, true);
    else if ('i64' in field) this.#view.setBigInt64(at, BigInt(field.i64), true);
    else this.point(at, 'text' in field ? this.#text(field.text) : 'table' in field ? this.table(field.table) : 'tables' in field ? this.#tables(field.tables) : this.#pairs(field.pairs));
  }

  #text(text: string): number {
    const bytes = new TextEncoder().encode(text);
    const at = this.#vector(bytes.length, 1, 4);
    for (const [index, byte] of bytes.entries()) this.#view.setUint8(at + 4 + index, byte);
    // Text ends with a zero.
    this.space(1);
    return at;
  }

  #tables(tables: readonly FlatTable[]): number {
    const at = this.#vector(tables.length, 4, 4);
    for (const [index, table] of tables.entries()) this.point(at + 4 + 4 * index, this.table(table));
    return at;
  }

  #pairs(pairs: readonly (readonly [number, number])[]): number {
    const at = this.#vector(pairs.length, 16, 8);
    for (const [index, pair] of pairs.entries()) {
      for (const [half, number] of pair.entries()) this.#view.setBigInt64(at + 4 + 16 * index + 8 * half, BigInt(number), true);
    }
    return at;
  }

  /** Reserves a vector whose elements are aligned. Returns the position of its length. */
  #vector(count: number, width: number, unit: number): number {
    this.align(unit);
    if (unit === 8) this.space(4);
    const at = this.space(4 + count * width);
    this.#view.setUint32(at, count, true);
    return at;
  }
}
