// Decodes a Zstandard or xz file with the C interface as WebAssembly, without any bindings.
//
//   node decode.mjs MODULE FILE > OUTPUT
//
// `cargo xtask wasm-c` builds the module. It imports nothing and allocates nothing: memory is that
// of the caller, who grows it. Structs are those of the headers, with pointers of 32 bits.
import { readFileSync, writeSync } from 'node:fs'
import process from 'node:process'

const [modulePath, path] = process.argv.slice(2)
if (!path) {
  console.error('Usage: node decode.mjs MODULE FILE')
  process.exit(2)
}
const module = new WebAssembly.Module(readFileSync(modulePath))
const unspool = new WebAssembly.Instance(module).exports
const { memory } = unspool

const PAGE = 65536
/** Returns the address of new memory. */
const allocate = (len) => memory.grow(Math.ceil(len / PAGE)) * PAGE
const bytes = (at, len) => new Uint8Array(memory.buffer, at, len)
const text = (at) => {
  const rest = new Uint8Array(memory.buffer, at)
  return new TextDecoder().decode(rest.subarray(0, rest.indexOf(0)))
}

const file = readFileSync(path)
const src = allocate(file.length)
bytes(src, file.length).set(file)

// The structs of the call, one after the other.
const structs = allocate(PAGE)
const [buffers, done, error, len] = [0, 40, 104, 128].map((at) => structs + at)
const view = () => new DataView(memory.buffer)

/** Stops with the error of a call, unless it returned 0. */
function check(kind) {
  if (kind === 0) return
  console.error(`error: ${text(unspool.unspool_error_name(kind))} at byte ${view().getBigUint64(error, true)}`)
  process.exit(1)
}

/** Fills `UnspoolBuffers`: source, output and workspace. */
function lend(dst, dstLen, workspace, workspaceLen) {
  const members = [src, file.length, dst, dstLen, workspace, workspaceLen, 0, 0, 0, 0]
  members.forEach((member, i) => view().setUint32(buffers + 4 * i, member, true))
}

const [ZSTD, V07, SKIPPABLE, XZ] = [1, 2, 3, 4]
const format = unspool.unspool_probe(src, file.length, 0)
if (![ZSTD, V07, SKIPPABLE, XZ].includes(format)) {
  console.error('error: neither Zstandard nor xz')
  process.exit(1)
}
const name = format === XZ ? 'xz' : 'zstd'
const workspaceLen = unspool[`unspool_${name}_workspace_len`]()
const workspace = allocate(workspaceLen)
lend(0, 0, workspace, workspaceLen)
if (name === 'xz') check(unspool.unspool_xz_decoded_len(src, file.length, 0, len, error))
else check(unspool.unspool_zstd_decoded_len(buffers, 0, len, error))
const size = Number(view().getBigUint64(len, true))
const dst = allocate(size)
lend(dst, size, workspace, workspaceLen)
check(unspool[`unspool_${name}_decode`](buffers, 0, done, error))
const wrote = view().getUint32(done + 60, true)
for (let at = 0; at < wrote; ) at += writeSync(1, bytes(dst + at, wrote - at))
