"""The content of zstd, xz, LZMA and gzip files, as a file object that seeks."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
        self._decoder = decoder
        self._position = 0

    @property
    def starts(self) -> list[int]:
        """The positions at which a block or frame starts; empty without an index."""
        return self._decoder.starts

    @property
    def size(self) -> int:
        """The length of the content. Decodes everything once if no index says it."""
        return self._decoder.measure()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        self._check()
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        self._check()
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
        self._check()
        view = memoryview(buffer).cast("B")
        filled = 0
        while filled < view.nbytes:
            piece = self._decoder.read_at(self._position, min(view.nbytes - filled, _PIECE))
            if not piece:
                break
            view[filled : filled + len(piece)] = piece
            filled += len(piece)
            self._position += len(piece)
        return filled

    def read(self, size: int | None = -1, /) -> bytes:
        """Returns ``size`` bytes, fewer only at the end, or all that are left."""
        self._check()
        pieces: list[bytes] = []
        left = -1 if size is None or size < 0 else size
        while left != 0:
            piece = self._decoder.read_at(self._position, _PIECE if left < 0 else min(left, _PIECE))
            if not piece:
                break
            pieces.append(piece)
            self._position += len(piece)
            left -= len(piece) if left > 0 else 0
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def readall(self) -> bytes:
        return self.read()

    def _check(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")
