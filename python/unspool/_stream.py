"""The content of zstd, xz, LZMA and gzip files, as a file object that seeks."""

from __future__ import annotations

import io
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import WriteableBuffer

    from ._unspool import Decoder

__all__ = ["Stream"]

# Bytes that one call decodes at most.
_PIECE = 1 << 20


class Stream(io.RawIOBase):
    """The decoded content of a zstd, xz, LZMA or gzip file.

    A seek reads nothing. The next read decodes the block or frame that holds the position, if the
    file has several and an index: an xz file with blocks, a seekable zstd file. In other files it
    decodes from the start, or on from the last read.

    Wrap it in ``io.BufferedReader`` for many small reads.
    """

    def __init__(self, decoder: Decoder) -> None:
        super().__init__()
        self._decoder: Decoder | None = decoder
        self._position = 0
        self._lock = threading.RLock()

    @property
    def starts(self) -> list[int]:
        """The positions at which a block or frame starts; empty without an index."""
        return self._open().starts

    @property
    def size(self) -> int:
        """The length of the content. Decodes everything once if no index says it."""
        return self._open().measure()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        """Closes the file as well, unless another object reads it."""
        self._decoder = None
        super().close()

    def tell(self) -> int:
        self._open()
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        with self._lock:
            self._open()
            if whence == io.SEEK_CUR:
                offset += self._position
            elif whence == io.SEEK_END:
                offset += self.size
            elif whence != io.SEEK_SET:
                raise ValueError(f"expected whence 0, 1 or 2, found {whence}")
            if offset < 0:
                raise ValueError(f"expected a position of 0 or more, found {offset}")
            self._position = offset
            return offset

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer).cast("B")
        filled = 0
        for piece in self._pieces(view.nbytes):
            view[filled : filled + len(piece)] = piece
            filled += len(piece)
        return filled

    def read(self, size: int | None = -1, /) -> bytes:
        """Returns ``size`` bytes, fewer only at the end, or all that are left.

        After an error the position is the same as before, so that nothing is skipped.
        """
        pieces = list(self._pieces(sys.maxsize if size is None or size < 0 else size))
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def readall(self) -> bytes:
        return self.read()

    def _pieces(self, most: int) -> Iterator[bytes]:
        with self._lock:
            decoder, start = self._open(), self._position
            try:
                while most > 0 and (piece := decoder.read_at(self._position, min(most, _PIECE))):
                    self._position += len(piece)
                    most -= len(piece)
                    yield piece
            except BaseException:
                self._position = start
                raise

    def _open(self) -> Decoder:
        if self._decoder is None:
            raise ValueError("I/O operation on closed file")
        return self._decoder
