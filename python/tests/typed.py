"""Uses the public names as their types say. Type checkers read it; nothing runs it."""

from __future__ import annotations

from typing import Any

import unspool
import unspool.polars
from typing_extensions import assert_type


def use(path: str) -> None:
    opened = unspool.open(path, limits=unspool.Limits(max_output=1 << 20))
    assert_type(opened, "unspool.Pco | unspool.OnPair | unspool.Cvc | unspool.At1 | unspool.Stream")
    if isinstance(opened, unspool.Pco):
        assert_type(opened[0], "int | float")
        assert_type(opened[1:3], unspool.Array)
        assert_type(opened.chunks()[0]["len"], int)
        assert_type(opened.numpy(threads=2), Any)
    elif isinstance(opened, unspool.OnPair):
        assert_type(opened[0], "str | bytes")
        assert_type(opened.search(contains="x").to_list(), "list[Any]")
    elif isinstance(opened, unspool.Cvc):
        assert_type(opened.column("text")[3], "list[float]")
        assert_type(opened.sections()[0]["start"], int)
    elif isinstance(opened, unspool.At1):
        table = opened.query([("price", ">=", 10), ("side", "==", "buy")], ["price"], decimals="float")
        assert_type(table, unspool.Table)
        assert_type(opened["inner"], unspool.At1)
    else:
        assert_type(opened.read(3), bytes)
    try:
        assert_type(unspool.inspect(path).nodes[0].children, "list[unspool.Node]")
    except unspool.TruncatedError as error:
        assert_type((error.kind, error.code, error.at, error.need), "tuple[str, int, int, int]")
    unspool.polars.scan_at1(path, decimals=3).collect()
