"""Dictionaries that describe parts of files."""

from __future__ import annotations

from typing import Any, TypedDict

__all__ = ["CvcSection", "PcoChunk"]


class PcoChunk(TypedDict):
    """A chunk of a Pco file, as its metadata describes it."""

    start: int
    end: int
    len: int
    dtype: str
    mode: str
    delta: str


class CvcSection(TypedDict):
    """A range of rows that a CVC file names."""

    start: int
    end: int
    metadata: dict[str, Any]
