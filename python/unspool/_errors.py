"""The exceptions of the package: one class for each remedy that a caller has."""

from __future__ import annotations

__all__ = [
    "ChecksumError",
    "CorruptError",
    "Error",
    "LimitError",
    "MisfitError",
    "MisuseError",
    "OutputTooSmallError",
    "TruncatedError",
    "UnsupportedError",
    "WorkspaceTooSmallError",
]


class Error(Exception):
    """A file or a request is refused.

    Attributes:
        kind: The name of the error, such as ``XzCheck``. It never changes.
        code: Its number, which C and JavaScript share.
        at: The offset of the byte at which the error shows.
        need: The amount that would have been enough; 0 if no such number is known.
    """

    def __init__(self, message: str, kind: str = "", code: int = 0, at: int = 0, need: int = 0) -> None:
        super().__init__(message)
        self.kind = kind
        self.code = code
        self.at = at
        self.need = need

    def __reduce__(self) -> tuple[type[Error], tuple[str, str, int, int, int]]:
        return type(self), (str(self), self.kind, self.code, self.at, self.need)


class TruncatedError(Error):
    """The input ends too early. More of the same file may help."""


class CorruptError(Error):
    """The input contradicts itself or its format."""


class ChecksumError(Error):
    """The structure is valid, but a checksum differs."""


class UnsupportedError(Error):
    """A legal file that this library cannot decode, or a file of no known format."""


class LimitError(Error):
    """The file asks for more than the limits allow."""


class OutputTooSmallError(Error):
    """The array to be filled is too small."""


class WorkspaceTooSmallError(Error):
    """The memory that the decoder was given is too small."""


class MisuseError(Error):
    """The call is wrong, or does not fit the file."""


class MisfitError(Error):
    """A value does not fit the type of its column.

    Attributes:
        column: The number of the column in the file.
        row: The number of the row in the file.
        value: The value, at most its first 64 bytes.
        type_name: The type of the column in Arrow.
    """

    def __init__(self, message: str, column: int = 0, row: int = 0, value: bytes = b"", type_name: str = "") -> None:
        super().__init__(message, "Misfit")
        self.column = column
        self.row = row
        self.value = value
        self.type_name = type_name

    def __reduce__(self) -> tuple[type[MisfitError], tuple[str, int, int, bytes, str]]:  # type: ignore[override]
        return type(self), (str(self), self.column, self.row, self.value, self.type_name)
