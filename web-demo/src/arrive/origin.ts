// Files that were decoded from another file.

const origins = new WeakMap<Blob, string>();

/** Marks content whose container has a checksum that does not match. */
export function markDamaged(content: Blob, container: string): void {
  origins.set(content, container);
}

/** Returns the name of the damaged file that some content is from. */
export function damagedOrigin(content: object): string | undefined {
  return content instanceof Blob ? origins.get(content) : undefined;
}
