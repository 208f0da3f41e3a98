"""Reads Pco, OnPair, CVC, AT-1, zstd, xz, LZMA and gzip: by parts, from anywhere, safely.

``open`` returns the object of the format. Results are read in place by numpy and by every library
that knows Arrow's C interface. A file that is refused raises ``Error``, with kind and place.
"""

from __future__ import annotations

from ._at1 import At1, Condition, Decimals, Misfit
from ._errors import (
    ChecksumError,
    CorruptError,
    Error,
    LimitError,
    MisfitError,
    MisuseError,
    OutputTooSmallError,
    TruncatedError,
    UnsupportedError,
    WorkspaceTooSmallError,
)
from ._inspect import Inspection, Node, nodes_of
from ._source import Ranges, SourceLike, source_of
from ._stream import Stream
from ._types import CvcSection, PcoChunk
from ._unspool import (
    PROBE_LEN,
    Array,
    Cvc,
    CvcColumn,
    Decoder,
    Limits,
    OnPair,
    Pco,
    Source,
    Table,
    __version__,
)
from ._unspool import inspect as _inspect
from ._unspool import probe as _probe

__all__ = [
    "Array",
    "At1",
    "ChecksumError",
    "Condition",
    "CorruptError",
    "Cvc",
    "CvcColumn",
    "CvcSection",
    "Decimals",
    "Error",
    "Inspection",
    "LimitError",
    "Limits",
    "Misfit",
    "MisfitError",
    "MisuseError",
    "Node",
    "OnPair",
    "OutputTooSmallError",
    "Pco",
    "PcoChunk",
    "Ranges",
    "SourceLike",
    "Stream",
    "Table",
    "TruncatedError",
    "UnsupportedError",
    "WorkspaceTooSmallError",
    "__version__",
    "inspect",
    "open",
    "probe",
]


def _format_of(source: Source) -> str:
    first = source.read(0, min(PROBE_LEN, len(source)))
    format = _probe(first)
    if format is None:
        message = "unsupported at byte 0: no format that this build knows starts with these bytes"
        raise UnsupportedError(message, "UnknownFormat", 2)
    return format


def probe(source: SourceLike) -> str | None:
    """Returns the name of the format of a file by its first bytes, or ``None``."""
    opened = source_of(source)
    return _probe(opened.read(0, min(PROBE_LEN, len(opened))))


def open(
    source: SourceLike,
    *,
    format: str | None = None,
    limits: Limits | None = None,
    threads: int | None = None,
    dictionary: bytes | None = None,
    text: bool = True,
) -> Pco | OnPair | Cvc | At1 | Stream:
    """Opens a file.

    Args:
        source: A path, bytes, a binary file object (also of fsspec or obstore), or any object with
            ``size`` and ``read_range(start, end)``.
        format: The name of the format; by default it is detected.
        limits: Bounds on what the file may ask for.
        threads: The threads that decode blocks of a ``Stream``; by default all processors.
        dictionary: The dictionary that a zstd file was compressed with.
        text: Return rows of OnPair as ``str``, not as ``bytes``.

    Returns:
        ``Pco``, ``OnPair``, ``Cvc`` or ``At1``; for zstd, xz, LZMA and gzip a ``Stream``, which
        is a seekable file object.
    """
    opened = source_of(source)
    name = format
    if name is None:
        found = _format_of(opened)
        # Two formats of zstd share each magic number. More than the first bytes tells them apart.
        name = "zstd" if found.startswith("zstd") else found
    if name == "pco":
        return Pco(opened, limits)
    if name == "onpair":
        return OnPair(opened, limits, text=text)
    if name == "cvc":
        return Cvc(opened, limits)
    if name == "at1":
        return At1(opened, limits)
    return Stream(Decoder(opened, name, limits, dictionary, threads))


def inspect(
    source: SourceLike, *, format: str | None = None, limits: Limits | None = None, max_nodes: int = 100_000
) -> Inspection:
    """Returns the structure of a file: every field with its bits and its value.

    A broken file has the fields before its ``error``, which is that of decoding. Some may follow it.
    """
    opened = source_of(source)
    name = _format_of(opened) if format is None else format
    text, left_out, error = _inspect(opened, name, limits, max_nodes)
    return Inspection(name, len(opened), nodes_of(text), left_out, error)
