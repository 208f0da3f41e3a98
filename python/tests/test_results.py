"""Results through Arrow and numpy, indexing, and arguments that are refused."""

from __future__ import annotations

import gc
import lzma
import random
import sys
from decimal import Decimal

import arro3.core
import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import unspool
import unspool.polars
import zstandard
from polars.testing import assert_frame_equal
from tables import Column, at1_table
from vectors import ROOT

EVENTS = ROOT / "at1" / "c8_events.at1"


def at1(path: object = EVENTS) -> unspool.At1:
    opened = unspool.open(path)
    assert isinstance(opened, unspool.At1)
    return opened


def test_arrow_libraries_read_arrays_and_tables() -> None:
    column = unspool.open(ROOT / "cvc" / "v1_fp16.cvc").column()
    array = pa.array(column[3:7])
    assert array.type == pa.list_(pa.field("item", pa.float32(), nullable=False), 16)
    assert np.array_equal(array.flatten().to_numpy().reshape(4, 16), np.asarray(column[3:7]))
    assert arro3.core.Array.from_arrow(column[3:7]).to_pylist() == array.to_pylist()
    table = at1().read()
    frame = pl.DataFrame(table)
    assert frame.columns == ["type", "ts", "val"] and frame.height == 2500
    assert pa.table(table).to_pydict() == table.to_dict()
    relation = pa.table(table)
    assert duckdb.sql("select count(*), sum(ts)::hugeint from relation").fetchall() == [(2500, sum(frame["ts"]))]
    half = unspool.open(next((ROOT / "pco").glob("*f16*.pco")))
    assert isinstance(half, unspool.Pco) and half.dtype == "float16"
    assert pa.array(half).type == pa.float16()
    urls = unspool.open(ROOT / "onpair" / "cpp" / "urls_b12.onp")
    assert isinstance(urls, unspool.OnPair)
    assert pl.DataFrame(urls.read())["value"].to_list() == urls[:].to_list()
    del table, column
    assert array.to_pylist()[0][0] is not None, "the array keeps its memory"


def test_numpy_reads_arrays_in_place() -> None:
    pco = unspool.open(ROOT / "pco" / "k_u32_arange.pco")
    assert isinstance(pco, unspool.Pco)
    array = pco.read()
    first, second = np.asarray(array), np.asarray(array)
    assert first.__array_interface__["data"] == second.__array_interface__["data"]
    assert not first.flags.writeable
    assert np.asarray(array[100:200]).tolist() == list(range(100, 200))
    with pytest.raises(TypeError, match="no type of plain numbers"):
        np.asarray(unspool.open(ROOT / "onpair" / "cpp" / "urls_b12.onp")[:].__array_interface__)


def view_of(array: unspool.Array) -> memoryview:
    """Returns the view of an array. The protocol is one of all objects from Python 3.12 on."""
    if sys.version_info >= (3, 12):
        assert np.frombuffer(array, np.uint8).nbytes == memoryview(array).nbytes
        return memoryview(array)
    with pytest.raises(TypeError, match="bytes-like"):
        memoryview(array)
    return array.__buffer__(0)


def test_arrays_are_buffers() -> None:
    pco = unspool.open(ROOT / "pco" / "k_u32_arange.pco")
    assert isinstance(pco, unspool.Pco)
    array = pco[100:200]
    view = view_of(array)
    assert (view.format, view.shape, view.readonly, view.c_contiguous) == ("I", (100,), True, True)
    assert view.tolist() == list(range(100, 200))
    in_place = np.asarray(array).__array_interface__["data"]
    assert np.asarray(view).__array_interface__["data"] == in_place == array.__array_interface__["data"]
    column = unspool.open(ROOT / "cvc" / "v1_fp16.cvc").column()
    rows = view_of(column[3:7])
    assert (rows.format, rows.shape, rows.strides) == ("f", (4, 16), (64, 4))
    assert rows.tolist() == column[3:7].to_list()
    for empty, shape in ((pco[5:5], (0,)), (column[3:3], (0, 16))):
        assert view_of(empty).shape == np.asarray(empty).shape == shape
    with pytest.raises(BufferError, match="no type of plain numbers"):
        unspool.open(ROOT / "onpair" / "cpp" / "urls_b12.onp")[:].__buffer__(0)
    if sys.version_info >= (3, 12):
        with pytest.raises(BufferError):
            memoryview(column[:2]).cast("B")[0] = 1  # Read-only.


@pytest.mark.parametrize("name", ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "f32", "f64"])
def test_buffers_have_the_type_of_the_numbers(name: str) -> None:
    pco = unspool.open(ROOT / "pco" / f"n_{name}_1.pco")
    assert isinstance(pco, unspool.Pco)
    array = pco.read()
    plain = np.asarray(array)
    if name == "f16" and sys.version_info < (3, 12):
        with pytest.raises(BufferError, match="format"):
            array.__buffer__(0)
    else:
        found = np.asarray(view_of(array))
        assert found.dtype == plain.dtype == pco.dtype and found.tobytes() == plain.tobytes()


def test_views_keep_the_memory() -> None:
    pco = unspool.open(ROOT / "pco" / "k_u32_arange.pco")
    assert isinstance(pco, unspool.Pco)
    before = view_of(pco.read())[700:]
    gc.collect()
    others = [pco.read() for _ in range(100)]
    assert before.tolist() == list(range(700, 777)) and len(others) == 100


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("hint", [0, 1, 776, 777, 778, 1023])
def test_the_count_that_a_header_states_is_a_hint(hint: int, threads: int) -> None:
    file = bytearray((ROOT / "pco" / "k_u32_arange.pco").read_bytes())
    # Six bits say that ten bits follow.
    assert int.from_bytes(file[6:8], "little") >> 6 == 777
    file[6:8] = (hint << 6 | 9).to_bytes(2, "little")
    column = unspool.open(bytes(file))
    assert isinstance(column, unspool.Pco)
    found = column.numpy(threads=threads)
    assert found.dtype == np.uint32 and found.tolist() == list(range(777)) and found.flags.writeable
    with pytest.raises(unspool.LimitError):
        unspool.open(bytes(file), limits=unspool.Limits(max_output=777 * 4 - 1)).read()


def test_out_must_fit() -> None:
    pco = unspool.open(ROOT / "pco" / "k_u32_arange.pco")
    assert isinstance(pco, unspool.Pco)
    for wrong, failure in [
        (np.empty(777, np.int32), TypeError),
        (np.empty(776, np.uint32), unspool.OutputTooSmallError),
        (np.empty(778, np.uint32), unspool.Error),
        (np.empty(1554, np.uint32)[::2], ValueError),
        (np.empty(777, np.uint32).astype(">u4"), TypeError),
    ]:
        with pytest.raises(failure):
            pco.numpy(out=wrong, threads=1)
    fixed = np.empty(777, np.uint32)
    fixed.flags.writeable = False
    with pytest.raises(ValueError):
        pco.numpy(out=fixed)
    column = unspool.open(ROOT / "cvc" / "v1_fp16.cvc").column()
    with pytest.raises(ValueError, match="1600 values"):
        column.numpy(out=np.empty((99, 16), np.float32))
    memory = bytearray(777 * 4)
    view = memoryview(memory).cast("I")
    pco.numpy(out=view)
    assert view[776] == 776


def test_indexes_count_as_those_of_lists() -> None:
    pco = unspool.open(ROOT / "pco" / "k_u32_arange.pco")
    assert isinstance(pco, unspool.Pco)
    plain = list(range(777))
    for index in (0, 5, -1, -777, 776):
        assert pco[index] == plain[index]
    for bounds in (slice(None), slice(3, 9), slice(-5, None), slice(9, 3), slice(700, 900), slice(2000, None)):
        assert pco[bounds].to_list() == plain[bounds]
    for outside in (777, -778):
        with pytest.raises(IndexError):
            pco[outside]
    with pytest.raises(ValueError, match="step 1"):
        pco[::2]
    with pytest.raises(ValueError, match="thread"):
        pco.read(threads=0)


def test_tables_have_exact_decimals() -> None:
    table = at1()
    assert table.columns == {"type": "text", "ts": "integer", "val": "decimal"}
    rows, texts = table.read().to_dict(), table.read(decimals="text").to_dict()
    assert rows["val"] == [Decimal(text) for text in texts["val"]]
    assert table.read(decimals="float").to_dict()["val"] == [float(text) for text in texts["val"]]
    mixed = at1(ROOT / "at1" / "c7_decimal_scale_mix.at1")
    assert mixed.read(decimals=4).to_dict()["0"][3] == Decimal("3.0003")
    with pytest.raises(unspool.MisfitError) as caught:
        mixed.read(decimals=3)
    assert (caught.value.column, caught.value.row, caught.value.value) == (0, 3, b"3.0003")
    assert mixed.read(decimals=3, misfit="null").to_dict()["0"][:4][3] is None


def many_groups(rows: int) -> list[Column]:
    """Returns columns whose values have every length, sign and number of digits after the point."""
    rand = random.Random(3)

    def digits(most: int) -> str:
        return str(rand.randrange(10 ** rand.randint(1, most)))

    def decimal(row: int) -> str:
        sign, most = "-" * (row % 3 == 0), 22 if row % 97 == 0 else 9
        return f"{sign}{digits(most)}.{''.join(rand.choices('0123456789', k=rand.randint(1, most)))}"

    words = ["", "x", "größer", "twelve bytes", "thirteen byte", "日本語のテキスト", "a long text " * 9]
    return [
        ("id", "integer", [str(1_704_067_200_000 + 17 * row) for row in range(rows)]),
        ("any", "integer", [f"{'-' * (row % 2)}{int(digits(18))}" for row in range(rows)]),
        ("price", "decimal", [f"{42283 + row / 100:.2f}" for row in range(rows)]),
        ("mixed", "decimal", [decimal(row) for row in range(rows)]),
        ("word", "text", [rand.choice(words) for _ in range(rows)]),
    ]


def pack(text: bytes) -> tuple[int, bytes]:
    """Compresses every other block with xz, the others with zstd."""
    return (0, lzma.compress(text, preset=0)) if text[0] % 2 else (1, zstandard.compress(text, 3))


def test_tables_of_many_groups_have_the_values_of_their_text() -> None:
    columns = many_groups(70_001)
    table = at1(at1_table(columns, 1000, pack))
    expected = [
        [int(text) if kind == "integer" else float(text) if kind == "decimal" else text for text in texts]
        for _, kind, texts in columns
    ]
    for threads in (1, 2, 5):
        frame = pl.DataFrame(table.read(decimals="float", threads=threads))
        for (name, _, _), values in zip(columns, expected):
            # Also zeros have the sign of their text.
            assert list(map(repr, frame[name].to_list())) == list(map(repr, values)), name
    exact = table.read(["price", "mixed"], decimals=22, misfit="null").to_dict()
    for name, _, texts in columns[2:4]:
        fits = (len(text.lstrip("-").split(".")[0]) + 22 <= 38 for text in texts)
        assert exact[name] == [Decimal(text) if fit else None for text, fit in zip(texts, fits)], name
    order = ["word", "id", "price", "word"]
    for start, end in [(0, 1), (999, 1001), (7999, 8001), (500, 64_500), (69_999, 70_001), (5, 5), (0, 70_001)]:
        part = pl.DataFrame(table.read(sorted(set(order)), (start, end), decimals="float", threads=2))
        whole = pl.DataFrame(table.read(sorted(set(order)), decimals="float"))
        assert_frame_equal(part, whole[start:end])
        assert table.read(order, (start, end)).column_names == order


def test_the_first_error_in_the_file_is_raised() -> None:
    ids = [str(row) for row in range(9000)]
    misfit = [f"-{row}" if row != 4500 else "none" for row in range(9000)]
    for group, error in [(3, unspool.CorruptError), (5, unspool.MisfitError)]:

        def short(text: bytes, group: int = group) -> tuple[int, bytes]:
            payload = zstandard.compress(text)
            return 1, payload[:-1] if text.startswith(b"%d000\n" % group) else payload

        # The misfit is in a column after the broken block, in a group before or after it.
        table = at1(at1_table([("id", "integer", ids), ("misfit", "integer", misfit)], 1000, short))
        places: list[object] = []
        for threads in (1, 2, 5):
            with pytest.raises(error) as caught:
                table.read(threads=threads)
            places.append((caught.value.kind, caught.value.at, getattr(caught.value, "row", None)))
        assert len(set(places)) == 1, places
        assert (places[0] == ("Misfit", 0, 4500)) == (error is unspool.MisfitError), places


def test_queries_return_the_rows_that_match() -> None:
    table = at1()
    rows = list(zip(*table.read().to_dict().values()))
    where: list[unspool.Condition] = [("ts", ">=", 1700000100), ("type", "==", '"buy"')]
    expected = [row for row in rows if row[1] >= 1700000100 and row[0] == '"buy"']
    found = list(zip(*table.query(where).to_dict().values()))
    assert found == expected and table.count(where) == len(expected) > 0
    assert len(table.query(where, limit=3)) == min(3, len(expected))
    with pytest.raises(unspool.MisuseError):
        table.query([("nothing", "==", 1)])
    with pytest.raises(ValueError, match="expected =="):
        table.query([("ts", "<", 1)])


FILTERS = [
    pl.col("ts") > 1700000100,
    (pl.col("ts") >= 1700000100) & (pl.col("ts") < 1700000300),
    pl.lit(1700002000) <= pl.col("ts"),
    pl.col("type") == '"buy"',
    (pl.col("type") != '"buy"') & (pl.col("ts") <= 1700000500),
    (pl.col("ts") < 1700000100) | (pl.col("ts") > 1700002300),
    pl.col("val") > 9.0,
    pl.col("val").cast(pl.Float64) == 9.13,
    pl.col("ts") == 1700000105.0,
    pl.col("ts").is_in([1700000100, 1700000101]),
    pl.col("ts") > 2**70,
]


@pytest.mark.parametrize("decimals", ["exact", "float", "text"])
def test_lazy_frames_answer_as_eager_ones(decimals: unspool.Decimals) -> None:
    eager = pl.DataFrame(at1().read(decimals=decimals))
    for predicate in FILTERS:
        lazy = unspool.polars.scan_at1(EVENTS, decimals=decimals)
        if decimals == "text" and "val" in predicate.meta.root_names():
            continue
        assert_frame_equal(lazy.filter(predicate).collect(), eager.filter(predicate))
        assert_frame_equal(
            lazy.filter(predicate).select("val").head(7).collect(), eager.filter(predicate).select("val").head(7)
        )
    assert_frame_equal(unspool.polars.scan_at1(EVENTS).select("ts").head(5).collect(), pl.DataFrame(at1().read(["ts"]))[:5])
    assert unspool.polars.scan_at1(EVENTS).select(pl.len()).collect().item() == 2500


def test_lazy_frames_push_conditions_down() -> None:
    schema = unspool.polars.scan_at1(EVENTS).collect_schema()
    of = unspool.polars.conditions_of
    assert of((pl.col("ts") >= 5) & (pl.col("type") == "x"), schema) == [("ts", ">=", 5), ("type", "==", "x")]
    assert of(pl.lit(5) > pl.col("ts"), schema) == [("ts", "<=", 5)]
    assert of((pl.col("ts") < 5) | (pl.col("ts") > 7), schema) == []
    low, high = of(pl.col("val") == 0.5, schema)
    assert low[2] < 0.5 < high[2]
