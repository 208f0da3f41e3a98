"""The extension module. Import its classes from ``unspool``."""

from collections.abc import Iterator
from typing import Any, Literal, SupportsIndex, overload

from ._types import CvcSection, PcoChunk

__version__: str

# The most bytes that tell formats apart.
PROBE_LEN: int

class Limits:
    """Bounds on what a file may ask for. A file that asks for more raises ``LimitError``."""

    def __init__(
        self,
        *,
        max_output: int | None = None,
        max_window: int | None = None,
        max_header: int | None = None,
        max_elements: int | None = None,
        max_columns: int | None = None,
        max_depth: int | None = None,
    ) -> None: ...
    @property
    def max_output(self) -> int:
        """Most bytes that a file, or the part that is asked for, may decode to."""
    @property
    def max_window(self) -> int:
        """Most bytes of history that a decoder may keep, as of a Zstandard frame."""
    @property
    def max_header(self) -> int:
        """Most bytes of a header, a directory or an index."""
    @property
    def max_elements(self) -> int:
        """Most entries of anything that a header lists."""
    @property
    def max_columns(self) -> int:
        """Most columns of a table."""
    @property
    def max_depth(self) -> int:
        """Deepest nesting of structured headers."""

class Source:
    """Bytes that are read by range."""

    @staticmethod
    def memory(bytes: bytes) -> Source: ...
    @staticmethod
    def path(path: str) -> Source: ...
    @staticmethod
    def reader(reader: Any, len: int) -> Source: ...
    def __len__(self) -> int: ...
    def read(self, start: int, end: int) -> bytes: ...

class Array:
    """An immutable column of decoded values.

    pyarrow, polars, DuckDB and others read it in place through ``__arrow_c_array__``, numpy through
    ``__array_interface__``. From Python 3.12 on it is a buffer: ``memoryview(array)`` is a view of
    its numbers in place, which cannot be written.
    """

    @property
    def type_name(self) -> str:
        """The name of the type in Arrow."""
    @property
    def null_count(self) -> int:
        """The number of nulls."""
    @property
    def shape(self) -> list[int]:
        """Rows, and the values of each row if it has several."""
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Array: ...
    def __iter__(self) -> Iterator[Any]: ...
    def to_list(self) -> list[Any]:
        """Returns all values as objects of Python."""
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class Table:
    """Record batches of one schema. Arrow libraries read it through ``__arrow_c_stream__``."""

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
    def __len__(self) -> int: ...
    def to_dict(self) -> dict[str, list[Any]]:
        """Returns the columns by name, with all values as objects of Python."""
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Pco:
    """A column of numbers in the format Pco.

    It is read as a whole, because nothing in the format says where a chunk ends.
    """

    def __init__(self, source: Source, limits: Limits | None = None) -> None: ...
    @property
    def dtype(self) -> str | None:
        """The type of the numbers in numpy; ``None`` of a file without numbers that does not say."""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex) -> int | float: ...
    @overload
    def __getitem__(self, index: slice) -> Array: ...
    def __iter__(self) -> Iterator[int | float]: ...
    def read(self, *, threads: int | None = None) -> Array:
        """Decodes all numbers. ``threads`` is the number of threads, by default all processors."""
    def numpy(self, *, out: Any = None, threads: int | None = None) -> Any:
        """Decodes all numbers to a new numpy array, or fills ``out``."""
    def chunks(self) -> list[PcoChunk]:
        """Describes the chunks, without decoding their numbers."""
    def read_chunk(self, start: int) -> Array:
        """Decodes the chunk that starts at this byte. Chunks may differ in their types."""
    def close(self) -> None:
        """Frees the bytes of the file. A call that would read it raises ``ValueError``; ``with`` closes it, too."""
    def __enter__(self) -> Pco: ...
    def __exit__(self, *details: object) -> None: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class OnPair:
    """A column of strings in the format OnPair. Rows are ``str``, or ``bytes`` with ``text=False``."""

    def __init__(self, source: Source, limits: Limits | None = None, *, text: bool = True) -> None: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex) -> str | bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Array: ...
    def __iter__(self) -> Iterator[str | bytes]: ...
    def read(self) -> Table:
        """Decodes all rows, as the column ``value``."""
    def search(
        self,
        *,
        equals: str | bytes | None = None,
        starts_with: str | bytes | None = None,
        contains: str | bytes | None = None,
    ) -> Array:
        """Returns the numbers of the rows that match, without decoding the others."""
    def close(self) -> None:
        """Frees the bytes of the file. A call that would read it raises ``ValueError``; ``with`` closes it, too."""
    def __enter__(self) -> OnPair: ...
    def __exit__(self, *details: object) -> None: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Cvc:
    """A collection of vectors in the format CVC, one column or several.

    Only the head of the file is read at first, then the chunks that hold the rows asked for.
    """

    def __init__(self, source: Source, limits: Limits | None = None) -> None: ...
    def __len__(self) -> int: ...
    @property
    def column_names(self) -> list[str]:
        """The names of the columns; one empty name in a file without a schema."""
    def column(self, name: str | None = None) -> CvcColumn:
        """Returns the column of this name, or the only one."""
    def sections(self) -> list[CvcSection]:
        """Returns the ranges of rows that the file names."""
    def read(self, columns: list[str] | None = None, rows: tuple[int, int] | None = None) -> Table:
        """Decodes some columns and rows; by default all."""
    def close(self) -> None:
        """Closes the file. A call that would read it raises ``ValueError``; ``with`` closes it, too."""
    def __enter__(self) -> Cvc: ...
    def __exit__(self, *details: object) -> None: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class CvcColumn:
    """A column of a collection: ``column[a:b]`` is an array of rows, ``column[i]`` a list of numbers."""

    @property
    def name(self) -> str | None:
        """The name, if the column was asked for by name."""
    @property
    def dtype(self) -> str:
        """The type of the decoded values in numpy."""
    @property
    def dimension(self) -> int:
        """The values in each row."""
    @property
    def shape(self) -> tuple[int, int]:
        """Rows, and the values in each."""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex) -> list[float]: ...
    @overload
    def __getitem__(self, index: slice) -> Array: ...
    def __iter__(self) -> Iterator[list[float]]: ...
    def numpy(self, rows: tuple[int, int] | None = None, *, out: Any = None, threads: int | None = None) -> Any:
        """Decodes rows to a numpy array, or fills ``out``: a contiguous array of ``dtype``."""
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

# A condition: column, lowest and highest number, or the value that it equals.
_Condition = tuple[str, bytes | None, bytes | None, bytes | None]

class At1:
    """A file in the format AT-1: a table that is read by columns and row groups, or any other text."""

    def __init__(self, source: Source, limits: Limits | None = None) -> None: ...
    @property
    def codec(self) -> str:
        """The codec of the file, such as ``qcolumnar``."""
    @property
    def is_table(self) -> bool:
        """Whether rows and columns can be read: codecs 7 and 8."""
    @property
    def is_bundle(self) -> bool:
        """Whether the file holds several files."""
    @property
    def columns(self) -> list[tuple[str, Literal["text", "integer", "decimal"]]]:
        """The names and types of the columns of a table."""
    @property
    def rows_per_group(self) -> int:
        """The rows of the first group: the most that are decoded at once."""
    @property
    def other_lines(self) -> int:
        """Lines that are not rows of the table, such as a header. ``decode`` returns them."""
    @property
    def file_names(self) -> list[str]:
        """The names of the files of a bundle."""
    def __len__(self) -> int: ...
    def read(
        self,
        columns: list[str] | None = None,
        rows: tuple[int, int] | None = None,
        *,
        decimals: int | Literal["exact", "float", "text"] | None = None,
        misfit: Literal["error", "null"] = "error",
        threads: int | None = None,
    ) -> Table: ...
    def query(
        self,
        conditions: list[_Condition],
        select: list[str] | None = None,
        limit: int | None = None,
        *,
        decimals: int | Literal["exact", "float", "text"] | None = None,
        misfit: Literal["error", "null"] = "error",
    ) -> Table: ...
    def count(self, conditions: list[_Condition]) -> int: ...
    def decode(self) -> bytes: ...
    def file(self, name: str) -> bytes: ...
    def close(self) -> None: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Decoder:
    """The content of a zstd, xz, LZMA or gzip file, read at any position."""

    def __init__(
        self,
        source: Source,
        format: str,
        limits: Limits | None = None,
        dictionary: bytes | None = None,
        threads: int | None = None,
    ) -> None: ...
    @property
    def content(self) -> int | None: ...
    @property
    def starts(self) -> list[int]: ...
    def read_at(self, position: int, len: int) -> bytes: ...
    def measure(self) -> int: ...

def probe(first: bytes) -> str | None: ...
def inspect(
    source: Source, format: str, limits: Limits | None = None, max_nodes: int = 100_000
) -> tuple[str, int, Any]: ...
