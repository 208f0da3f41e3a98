"""Decodes a Zstandard or xz file with the C interface as WebAssembly, in wasmtime.

    python decode.py MODULE FILE > OUTPUT

`cargo xtask wasm-c` builds the module, and `pip install wasmtime` installs the runtime. The module
imports nothing and allocates nothing: memory is that of the caller, who grows it. Structs are those
of the headers, with pointers of 32 bits.
"""

import struct
import sys

from wasmtime import Engine, Instance, Module, Store

PAGE = 65536
ZSTD, V07, SKIPPABLE, XZ = 1, 2, 3, 4


class Refused(Exception):
    """The kind of an error, and its byte."""


class Unspool:
    def __init__(self, path):
        engine = Engine()
        self.store = Store(engine)
        self.exports = Instance(self.store, Module.from_file(engine, path), []).exports(self.store)
        self.memory = self.exports["memory"]
        # The structs of a call, one after the other.
        structs = self.allocate(PAGE)
        self.buffers, self.done, self.error, self.len = (structs + at for at in (0, 40, 104, 128))

    def call(self, name, *arguments):
        return self.exports["unspool_" + name](self.store, *arguments)

    def allocate(self, size):
        """Returns the address of new memory."""
        return self.memory.grow(self.store, -(-size // PAGE)) * PAGE

    def read(self, layout, at):
        return struct.unpack(layout, self.memory.read(self.store, at, at + struct.calcsize(layout)))

    def check(self, kind):
        """Raises the error of a call, unless it returned 0."""
        if kind == 0:
            return
        name = self.call("error_name", kind)
        text = bytes(self.memory.read(self.store, name, name + 64)).split(b"\0")[0].decode()
        raise Refused(f"{text} at byte {self.read('<Q', self.error)[0]}")

    def lend(self, *members):
        """Fills `UnspoolBuffers`: source, output, workspace."""
        self.memory.write(self.store, struct.pack("<10I", *members, *[0] * (10 - len(members))), self.buffers)

    def decode(self, file):
        src = self.allocate(len(file))
        self.memory.write(self.store, file, src)
        format = self.call("probe", src, len(file), 0)
        if format not in (ZSTD, V07, SKIPPABLE, XZ):
            raise Refused("neither Zstandard nor xz")
        name = "xz" if format == XZ else "zstd"
        workspace_len = self.call(name + "_workspace_len")
        workspace = self.allocate(workspace_len)
        self.lend(src, len(file), 0, 0, workspace, workspace_len)
        if name == "xz":
            self.check(self.call("xz_decoded_len", src, len(file), 0, self.len, self.error))
        else:
            self.check(self.call("zstd_decoded_len", self.buffers, 0, self.len, self.error))
        (size,) = self.read("<Q", self.len)
        dst = self.allocate(size)
        self.lend(src, len(file), dst, size, workspace, workspace_len)
        self.check(self.call(name + "_decode", self.buffers, 0, self.done, self.error))
        (wrote,) = self.read("<I", self.done + 60)
        return self.memory.read(self.store, dst, dst + wrote)


def main():
    if len(sys.argv) != 3:
        print("Usage: python decode.py MODULE FILE", file=sys.stderr)
        return 2
    unspool = Unspool(sys.argv[1])
    with open(sys.argv[2], "rb") as file:
        data = file.read()
    try:
        sys.stdout.buffer.write(unspool.decode(data))
    except Refused as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
