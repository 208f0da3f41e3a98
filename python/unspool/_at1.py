"""Tables and other files in the format AT-1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Literal, TypeAlias

from ._unspool import At1 as _At1
from ._unspool import Limits, Source, Table

__all__ = ["At1", "Condition", "Decimals", "Misfit"]

Value: TypeAlias = "int | float | Decimal | str | bytes"
Condition: TypeAlias = 'tuple[str, Literal["==", ">=", "<="], Value]'
"""A column, a comparison, and a value. Numbers are compared by their digits, text by its bytes."""

Decimals: TypeAlias = 'int | Literal["exact", "float", "text"]'
"""The type of decimals: exact with this many digits after the point, or as many as the first row
group has; the nearest float; or the text in the file."""

Misfit: TypeAlias = 'Literal["error", "null"]'
"""The outcome of a value that does not fit its column."""


def _bytes_of(value: Value) -> bytes:
    if isinstance(value, bytes):
        return value
    return value.encode() if isinstance(value, str) else format(value, "f" if isinstance(value, Decimal) else "").encode()


def _typed(where: Iterable[Condition]) -> list[tuple[str, bytes | None, bytes | None, bytes | None]]:
    typed: list[tuple[str, bytes | None, bytes | None, bytes | None]] = []
    for column, test, value in where:
        text = _bytes_of(value)
        if test == "==":
            typed.append((column, None, None, text))
        elif test == ">=":
            typed.append((column, text, None, None))
        elif test == "<=":
            typed.append((column, None, text, None))
        else:
            raise ValueError(f"expected ==, >= or <=, found {test}")
    return typed


class At1:
    """A file in the format AT-1: a table, a bundle of files, or any other text.

    Of a table, only the head is read at first, then the blocks that an answer needs.
    """

    def __init__(self, source: Source, limits: Limits | None = None) -> None:
        self._source = source
        self._limits = limits
        self._file = _At1(source, limits)

    @property
    def codec(self) -> str:
        """The codec of the file, such as ``qcolumnar``."""
        return self._file.codec

    @property
    def is_table(self) -> bool:
        """Whether rows and columns can be read: codecs 7 and 8."""
        return self._file.is_table

    @property
    def is_bundle(self) -> bool:
        """Whether the file holds several files."""
        return self._file.is_bundle

    @property
    def columns(self) -> dict[str, Literal["text", "integer", "decimal"]]:
        """The names and types of the columns of a table."""
        return dict(self._file.columns)

    @property
    def other_lines(self) -> int:
        """Lines that are not rows of the table, such as a header. ``decode`` returns them."""
        return self._file.other_lines

    @property
    def rows_per_group(self) -> int:
        """Rows that are compressed together."""
        return self._file.rows_per_group

    def __len__(self) -> int:
        return len(self._file)

    def read(
        self,
        columns: Sequence[str] | None = None,
        rows: tuple[int, int] | None = None,
        *,
        decimals: Decimals = "exact",
        misfit: Misfit = "error",
        threads: int | None = None,
    ) -> Table:
        """Decodes some columns and rows of a table; by default all.

        A decimal with more digits than the column has does not fit: state more with ``decimals``.
        """
        names = None if columns is None else list(columns)
        return self._file.read(names, rows, decimals=decimals, misfit=misfit, threads=threads)

    def batches(
        self,
        columns: Sequence[str] | None = None,
        rows: tuple[int, int] | None = None,
        *,
        size: int = 1 << 17,
        decimals: Decimals = "exact",
        misfit: Misfit = "error",
        threads: int | None = None,
    ) -> Iterator[Table]:
        """Decodes what ``read`` does, in batches of whole row groups: about ``size`` rows each."""
        group = max(self.rows_per_group, 1)
        step = max(-(-size // group), 1) * group
        start, end = (0, len(self)) if rows is None else rows
        while start < end:
            # Each group is decoded once.
            stop = min(start // group * group + step, end)
            yield self.read(columns, (start, stop), decimals=decimals, misfit=misfit, threads=threads)
            start = stop

    def query(
        self,
        where: Iterable[Condition] = (),
        select: Sequence[str] | None = None,
        limit: int | None = None,
        *,
        decimals: Decimals = "exact",
        misfit: Misfit = "error",
    ) -> Table:
        """Returns the rows that meet all conditions.

        Reads the row groups that may hold such rows, and of these the columns that are needed.
        """
        names = None if select is None else list(select)
        return self._file.query(_typed(where), names, limit, decimals=decimals, misfit=misfit)

    def count(self, where: Iterable[Condition] = ()) -> int:
        """Counts the rows that meet all conditions."""
        return self._file.count(_typed(where))

    def decode(self) -> bytes:
        """Restores the original file."""
        return self._file.decode()

    @property
    def file_names(self) -> list[str]:
        """The names of the files of a bundle."""
        return self._file.file_names

    def close(self) -> None:
        """Closes the file. A call that would read it raises ``ValueError``; ``with`` closes it, too."""
        self._file.close()

    def __enter__(self) -> At1:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def __getitem__(self, name: str) -> At1:
        """Returns a file of a bundle."""
        return At1(Source.memory(self._file.file(name)), self._limits)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._file.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return repr(self._file)


