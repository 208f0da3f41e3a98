"""AT-1 tables as lazy frames of polars, which read only what a query needs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, cast

import polars as pl
from polars.io.plugins import register_io_source

from ._at1 import At1, Condition, Decimals, Misfit
from ._source import SourceLike, source_of
from ._unspool import Limits

__all__ = ["scan_at1"]

# Rows that one batch has at least, so that threads have work.
_ROWS = 1 << 17


def scan_at1(
    source: SourceLike,
    *,
    decimals: Decimals = "exact",
    misfit: Misfit = "error",
    limits: Limits | None = None,
    threads: int | None = None,
) -> pl.LazyFrame:
    """Returns a lazy frame over an AT-1 table.

    Only the columns that a query uses are decoded. Comparisons of a column with a value skip the
    row groups whose bounds exclude it. ``decimals`` and ``misfit`` are those of ``At1.read``.
    """
    file = At1(source_of(source), limits)
    schema = pl.DataFrame(file.read(rows=(0, 0), decimals=decimals, misfit=misfit)).schema

    def read(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        columns = list(schema) if with_columns is None else with_columns
        rows = len(file) if n_rows is None else min(n_rows, len(file))
        conditions = [] if predicate is None or n_rows is not None else conditions_of(predicate, schema)
        if conditions:
            # The conditions let through every row that polars would, and perhaps some more.
            table = file.query(conditions, columns, decimals=decimals, misfit=misfit)
            frame = pl.DataFrame(table)
            yield frame if predicate is None else frame.filter(predicate)
            return
        size = max(batch_size or 0, _ROWS)
        for table in file.batches(columns, (0, rows), size=size, decimals=decimals, misfit=misfit, threads=threads):
            frame = pl.DataFrame(table)
            yield frame if predicate is None else frame.filter(predicate)

    return register_io_source(read, schema=schema)


def conditions_of(predicate: pl.Expr, schema: pl.Schema) -> list[Condition]:
    """Returns conditions that every row meets for which the predicate is true.

    Parts that cannot be expressed are left out: polars evaluates the whole predicate again.
    """
    try:
        tree = json.loads(predicate.meta.serialize(format="json"))
    except Exception:
        # An expression that cannot be written as JSON, such as a function of Python.
        return []
    found: list[Condition] = []
    _collect(tree, schema, found)
    return found


_SWAPPED = {"Eq": "Eq", "Gt": "Lt", "GtEq": "LtEq", "Lt": "Gt", "LtEq": "GtEq"}


def _member(tree: Any, name: str) -> Any:
    """Returns a member of an object of JSON, or ``None``."""
    return cast("dict[str, Any]", tree).get(name) if isinstance(tree, dict) else None


def _collect(tree: Any, schema: pl.Schema, found: list[Condition]) -> None:
    expr = _member(tree, "BinaryExpr")
    left, op, right = _member(expr, "left"), _member(expr, "op"), _member(expr, "right")
    if op in ("And", "LogicalAnd"):
        _collect(left, schema, found)
        _collect(right, schema, found)
        return
    if op not in _SWAPPED:
        return
    column, value = _member(left, "Column"), _literal(right)
    if column is None:
        column, value, op = _member(right, "Column"), _literal(left), _SWAPPED[op]
    if not isinstance(column, str) or value is None or column not in schema:
        return
    is_text = schema[column] == pl.String
    if isinstance(value, str):
        if is_text and op == "Eq":
            found.append((column, "==", value))
        return
    if is_text:
        return
    low: int | float = value
    high: int | float = value
    if not isinstance(value, int) or schema[column] == pl.Float64:
        # Floats are compared as floats, conditions by their digits: the bounds give way by a step.
        try:
            low, high = math.nextafter(float(value), -math.inf), math.nextafter(float(value), math.inf)
        except OverflowError:
            return
        if not (math.isfinite(low) and math.isfinite(high)):
            return
    if op in ("Eq", "GtEq", "Gt"):
        found.append((column, ">=", low))
    if op in ("Eq", "LtEq", "Lt"):
        found.append((column, "<=", high))


def _literal(tree: Any) -> int | float | str | None:
    """Returns the value of a literal, which is nested in the names of its types."""
    value = _member(tree, "Literal")
    while isinstance(value, dict):
        inner = cast("dict[str, Any]", value)
        if len(inner) != 1 or not next(iter(inner)).startswith(("Dyn", "Scalar", "Int", "UInt", "Float", "Str")):
            return None
        value = next(iter(inner.values()))
    return value if isinstance(value, (int, float, str)) and not isinstance(value, bool) else None
