"""Finds the vectors: the compact set of the repository, and a larger one that the environment names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "tests" / "vectors"


def folders(format: str) -> Iterator[Path]:
    """Yields the folders with vectors of a format."""
    yield ROOT / format
    more = os.environ.get("UNSPOOL_VECTORS")
    if more is not None:
        assert Path(more).is_dir(), f"UNSPOOL_VECTORS is no folder: {more}"
        if (Path(more) / format).is_dir():
            yield Path(more) / format


def is_again(path: Path) -> bool:
    """Returns `True` for a file of the larger set that the compact set has, too."""
    more = os.environ.get("UNSPOOL_VECTORS")
    if more is None or not path.is_relative_to(more):
        return False
    compact = ROOT / path.relative_to(more)
    return compact.is_file() and compact.read_bytes() == path.read_bytes()


def files(format: str, suffix: str) -> list[Path]:
    """Returns the sound files of a format."""
    found = [path for folder in folders(format) for path in sorted(folder.rglob(f"*{suffix}"))]
    found = [path for path in found if "bad" not in path.parts and "golden-decompression-errors" not in path.parts]
    found = [path for path in found if not is_again(path)]
    assert found, f"no vectors of {format}"
    return found


def hostile(format: str) -> list[Path]:
    """Returns the broken files of a format."""
    found = [path for folder in folders(format) for path in sorted((folder / "bad").rglob("*.*"))]
    return [path for path in found if path.is_file() and not is_again(path)]
