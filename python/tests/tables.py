"""Writes AT-1 tables in row groups, which no library of Python does."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Sequence

Column = tuple[str, str, Sequence[str]]
"""A name, a type as ``At1.columns`` has it, and the texts of the values."""

_TYPES = ("text", "integer", "decimal")


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _string(text: bytes) -> bytes:
    return _varint(len(text)) + text


def _zone(kind: str, texts: Sequence[str]) -> bytes:
    """Returns the zone map of a block: its lowest and highest number."""
    if kind == "integer":
        ends = [int(text) for text in texts if text.lstrip("-").isdigit()]
        return b"".join(_varint(end << 1 if end >= 0 else ~(end << 1)) for end in (min(ends), max(ends)))
    if kind == "decimal":
        floats = [float(text) for text in texts]
        return struct.pack("<dd", min(floats), max(floats))
    return b""


def at1_table(columns: Sequence[Column], rows_per_group: int, pack: Callable[[bytes], tuple[int, bytes]]) -> bytes:
    """Returns a file of codec 7. ``pack`` compresses a block: it returns 0 and xz, or 1 and zstd."""
    rows = len(columns[0][2])
    starts = range(0, rows, rows_per_group)
    header = ",".join(name for name, _, _ in columns).encode()
    meta = _varint(rows + 1) + b"\1" + _string(b",") + _varint(len(columns))
    meta += _varint(rows_per_group) + _varint(rows) + _varint(len(starts))
    meta += bytes(_TYPES.index(kind) for _, kind, _ in columns)
    index, blocks = bytearray(), bytearray()
    for start in starts:
        for _, kind, texts in columns:
            group = texts[start : start + rows_per_group]
            tag, payload = pack("\n".join(group).encode())
            index += _varint(1 + len(payload)) + _zone(kind, group)
            blocks += bytes([tag]) + payload
    modes, stored = b"\0" + b"\1" * rows, b"\2"
    streams = {b"meta": meta, b"row_modes": modes, b"verbatim": header, b"index": index, b"blocks": blocks}
    body = b"".join(_string(name) + stored + _string(bytes(stream)) for name, stream in streams.items())
    lines = (",".join(values) for values in zip(*(texts for _, _, texts in columns)))
    content = header + b"\n" + "".join(f"{line}\n" for line in lines).encode()
    return b"AT1\2\7" + _varint(len(streams)) + body + hashlib.sha256(content).digest() + b"\xa1\x53\x36\1"
