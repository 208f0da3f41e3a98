"""Sources: anything that has a size and can be read by range."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, runtime_checkable

from ._unspool import Source

__all__ = ["Ranges", "SourceLike", "source_of"]


@runtime_checkable
class Ranges(Protocol):
    """An object that is read by range, such as one that sends HTTP requests."""

    @property
    def size(self) -> int:
        """The length in bytes."""
        ...

    def read_range(self, start: int, end: int) -> bytes:
        """Returns the bytes from ``start`` up to ``end``, all of them."""
        ...


SourceLike: TypeAlias = Any
"""A path, bytes, a binary file object of any library, or ``Ranges``. File objects are too varied
for a type: they need ``seek`` and ``read``."""


class _Reader:
    """Reads ranges with a function, as exact ``bytes``."""

    def __init__(self, read: Callable[[int, int], Any]) -> None:
        self._read = read

    def read_range(self, start: int, end: int) -> bytes:
        found = self._read(start, end)
        return found if type(found) is bytes else bytes(found)


def _by_seek(file: Any) -> tuple[Callable[[int, int], bytes], int]:
    """Returns a function that reads ranges of a seekable file, and its size."""
    lock = threading.Lock()
    size = file.seek(0, io.SEEK_END)
    # Some libraries return nothing from `seek`.
    size = file.tell() if size is None else size

    def read(start: int, end: int) -> bytes:
        with lock:
            file.seek(start)
            pieces: list[bytes] = []
            while start < end:
                piece = bytes(file.read(end - start))
                if not piece:
                    break
                pieces.append(piece)
                start += len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    return read, int(size)


def source_of(source: SourceLike) -> Source:
    """Makes a source of whatever a user has."""
    if isinstance(source, Source):
        return source
    if isinstance(source, (str, os.PathLike)):
        local: str | bytes = os.fspath(source)
        return Source.path(os.fsdecode(local))
    if isinstance(source, bytes):
        return Source.memory(source)
    read: Callable[[int, int], Any]
    if isinstance(source, Ranges):
        return Source.reader(_Reader(source.read_range), int(source.size))
    fs, path, details = (getattr(source, name, None) for name in ("fs", "path", "details"))
    if fs is not None and isinstance(path, str) and details is not None and hasattr(fs, "cat_file"):
        # A file of fsspec: its own cache would read more than is needed.
        def cat(start: int, end: int) -> Any:
            return fs.cat_file(path, start=start, end=end)

        return Source.reader(_Reader(cat), int(source.size))
    if hasattr(source, "seek") and hasattr(source, "read"):
        read, size = _by_seek(source)
        return Source.reader(_Reader(read), size)
    try:
        view = memoryview(source).cast("B")
    except TypeError:
        expected = "a path, bytes, a binary file, or an object with size and read_range(start, end)"
        raise TypeError(f"expected {expected}, found {type(source).__name__}") from None

    def part(start: int, end: int) -> bytes:
        return bytes(view[start:end])

    return Source.reader(_Reader(part), view.nbytes)
