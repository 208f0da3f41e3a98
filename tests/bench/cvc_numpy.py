"""Loads a CVC v1 file as the reference loader does, N times per command.

Arguments: FILE, then `file` (open and read it each time) or `cached` (start from its bytes in memory).
Commands on standard input: `run N` answers with nanoseconds, `crc` with the CRC-32 of the last output.
"""

import io
import json
import struct
import sys
import time
import zlib

import numpy as np


def load(source, out):
    """Reads, checks, converts and assigns chunk by chunk, with the allocations of the reference loader except `out`."""
    assert source.read(4) == b"CVCF"
    major, _minor, length = struct.unpack("<HHI", source.read(8))
    assert major == 1
    header = json.loads(source.read(length))
    dimension = header["dimension"]
    if out is None:
        out = np.empty((header["num_vectors"], dimension), np.float32)
    row = 0
    for chunk in header["chunks"]:
        size, crc = struct.unpack("<II", source.read(8))
        payload = source.read(size)
        if zlib.crc32(payload) != crc:
            raise ValueError("CRC")
        rows = chunk["rows"]
        if header["compression"] == "fp16":
            values = np.frombuffer(payload, dtype=np.float16).astype(np.float32)
        else:
            codes = np.frombuffer(payload, dtype=np.uint8).astype(np.float32)
            values = codes * np.float32(chunk["scale"]) + np.float32(chunk["min"])
        out[row : row + rows] = values.reshape(rows, dimension)
        row += rows
    return out


def main():
    path, mode = sys.argv[1:]
    with open(path, "rb") as file:
        cached = file.read()
    out = None
    for order in sys.stdin:
        word, *rest = order.split()
        if word == "crc":
            print(zlib.crc32(out.tobytes()), flush=True)
            continue
        begun = time.perf_counter_ns()
        for _ in range(int(rest[0])):
            if mode == "cached":
                out = load(io.BytesIO(cached), out)
            else:
                with open(path, "rb") as file:
                    out = load(file, out)
        print(time.perf_counter_ns() - begun, flush=True)


main()
