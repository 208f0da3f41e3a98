"""One file through every kind of source, with the requests of remote ones counted."""

from __future__ import annotations

import http.server
import io
import json
import lzma
import os
import struct
import sys
import tarfile
import threading
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import decompressed
import fsspec
import numpy as np
import obstore
import pandas as pd
import pyarrow as pa
import pytest
import unspool
import unspool.polars
from tables import Column, at1_table
from unspool import SourceLike
from vectors import ROOT

CVC = ROOT / "cvc" / "v1_fp16.cvc"
EXPECTED = np.fromfile(ROOT / "cvc" / "v1_fp16.f32.bin", np.float32).reshape(100, 16)


class Remote:
    """A file on an HTTP server, by range requests."""

    def __init__(self, url: str) -> None:
        self.url = url
        with urllib.request.urlopen(urllib.request.Request(url, method="HEAD")) as answer:
            self.size = int(answer.headers["Content-Length"])

    def read_range(self, start: int, end: int) -> bytes:
        request = urllib.request.Request(self.url, headers={"Range": f"bytes={start}-{end - 1}"})
        with urllib.request.urlopen(request) as answer:
            assert answer.status == 206
            return answer.read()


class Server(http.server.ThreadingHTTPServer):
    """Serves one file, and keeps the ranges that were asked for."""

    def __init__(self, path: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.path = path
        self.ranges: list[tuple[int, int]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/file"


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(self.server.path.stat().st_size))
        self.send_header("Accept-Ranges", "bytes")
        self.end_headers()

    def do_GET(self) -> None:
        first, last = self.headers["Range"].removeprefix("bytes=").split("-")
        start, end = int(first), int(last) + 1
        self.server.ranges.append((start, end))
        with open(self.server.path, "rb") as file:
            file.seek(start)
            body = file.read(end - start)
        self.send_response(206)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Range", f"bytes {start}-{end - 1}/{self.server.path.stat().st_size}")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def serve(path: Path) -> Iterator[Server]:
    server = Server(path)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


CHUNK_ROWS, CHUNKS, DIMENSION = 4096, 256, 512


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A CVC file of 1 GB, sparse on disk, whose first chunk has values."""
    path = tmp_path_factory.mktemp("cvc") / "large.cvc"
    chunks = [{"rows": CHUNK_ROWS, "compression": "fp16"}] * CHUNKS
    head = {"num_vectors": CHUNK_ROWS * CHUNKS, "dimension": DIMENSION, "compression": "fp16", "chunks": chunks}
    text = json.dumps(head).encode()
    with open(path, "wb") as file:
        file.write(b"CVCF" + struct.pack("<HHI", 1, 0, len(text)) + text)
        values = np.arange(CHUNK_ROWS * DIMENSION, dtype=np.uint32).astype(np.float16)
        payload = values.tobytes()
        file.write(struct.pack("<II", len(payload), zlib.crc32(payload)) + payload)
        zeros = bytes(len(payload))
        prefix = struct.pack("<II", len(zeros), zlib.crc32(zeros))
        for _ in range(CHUNKS - 1):
            file.write(prefix)
            file.seek(len(zeros), io.SEEK_CUR)
        file.truncate()
    assert path.stat().st_size > 1 << 30
    yield from serve(path)


def test_rows_of_a_large_remote_file_read_the_head_and_their_chunk(large: Server) -> None:
    large.ranges.clear()
    column = unspool.open(Remote(large.url)).column()
    rows = np.asarray(column[10:20])
    expected = np.arange(10 * DIMENSION, 20 * DIMENSION, dtype=np.uint32).astype(np.float16).astype(np.float32)
    assert (rows.reshape(-1) == expected).all()
    # The first eight bytes, the head, and one chunk.
    assert len(large.ranges) == 3, large.ranges
    chunk = CHUNK_ROWS * DIMENSION * 2 + 8
    assert sum(end - start for start, end in large.ranges) < (64 << 10) + chunk + 100, large.ranges
    large.ranges.clear()
    assert np.asarray(column[CHUNK_ROWS - 1 : CHUNK_ROWS + 1]).shape == (2, DIMENSION)
    assert len(large.ranges) == 2, "two chunks"
    large.ranges.clear()
    assert column[CHUNK_ROWS * CHUNKS - 1] == [0.0] * DIMENSION
    assert len(large.ranges) == 1, "the last chunk"


GROUPS, GROUP_ROWS = 100, 500


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A table of 100 row groups of about 9 KB, half of it a column of noise."""
    rows = GROUPS * GROUP_ROWS
    noise = np.random.default_rng(5).integers(0, 1 << 60, (2, rows)).tolist()
    columns: list[Column] = [
        ("id", "integer", [str(row) for row in range(rows)]),
        ("noise", "text", [str(number) for number in noise[0]]),
        ("more", "integer", [str(number) for number in noise[1]]),
    ]
    path = tmp_path_factory.mktemp("at1") / "noise.at1"
    path.write_bytes(at1_table(columns, GROUP_ROWS, lambda text: (0, lzma.compress(text))))
    yield from serve(path)


def test_queries_of_a_remote_table_read_the_blocks_they_need(table: Server) -> None:
    file = unspool.open(Remote(table.url))
    assert isinstance(file, unspool.At1)
    local = unspool.open(table.path)
    assert isinstance(local, unspool.At1)
    noise = local.read(["noise"]).to_dict()["noise"]
    table.ranges.clear()
    answer = file.query([("id", ">=", 30_010), ("id", "<=", 30_012)], ["noise"])
    assert answer.to_dict() == {"noise": noise[30_010:30_013]}
    blocks = [(start, end) for start, end in table.ranges if (start, end) != (0, 64 << 10)]
    assert len(table.ranges) - len(blocks) <= 2, "the head, which holds the index"
    # Of one group out of a hundred, the columns of the condition and of the answer.
    assert len(blocks) <= 2 and sum(end - start for start, end in blocks) < 10_000, blocks


def test_reads_of_a_remote_table_join_adjacent_blocks(table: Server) -> None:
    file = unspool.open(Remote(table.url))
    assert isinstance(file, unspool.At1)
    assert len(file) == GROUPS * GROUP_ROWS
    table.ranges.clear()
    whole = file.read().to_dict()
    assert whole["id"] == list(range(GROUPS * GROUP_ROWS))
    assert len(table.ranges) == 1, "all blocks together"
    table.ranges.clear()
    # The blocks of one column are not adjacent: one request for each of four groups.
    assert file.read(["more"], (1400, 2600)).to_dict()["more"] == whole["more"][1400:2600]
    assert len(table.ranges) == 4, table.ranges
    table.ranges.clear()
    assert file.read(["noise", "more"], (1400, 1401)).to_dict()["noise"] == whole["noise"][1400:1401]
    assert len(table.ranges) == 1, "two columns that are adjacent"


class Counted:
    """Bytes that count what is read of them."""

    def __init__(self, content: bytes) -> None:
        self.content, self.size, self.reads, self.bytes = content, len(content), 0, 0

    def read_range(self, start: int, end: int) -> bytes:
        self.reads, self.bytes = self.reads + 1, self.bytes + end - start
        return self.content[start:end]


def test_many_columns_take_one_read_of_each_chunk(tmp_path: Path) -> None:
    data = {f"c{column}": np.full((30, 2), column, np.float32) for column in range(300)}
    path = tmp_path / "columns.cvc"
    decompressed.pack_cvc_columns(data, str(path), chunk_size=10)
    source = Counted(path.read_bytes())
    file = unspool.open(source)
    assert isinstance(file, unspool.Cvc)
    for names in (None, list(data), ["c7"]):
        source.reads = source.bytes = 0
        table = file.read(names)
        assert table.column_names == list(names or data)
        assert table.to_dict()["c7"] == [[7, 7]] * 30
        # The stored length of each chunk, then the chunk.
        assert source.reads == 6 and source.bytes < source.size


def test_batches_are_whole_groups() -> None:
    rows = [str(row) for row in range(25)]
    table = unspool.open(at1_table([("id", "integer", rows)], 4, lambda text: (0, lzma.compress(text))))
    assert isinstance(table, unspool.At1)

    def batches(rows: tuple[int, int] | None, size: int) -> list[list[int]]:
        return [batch.to_dict()["id"] for batch in table.batches(["id"], rows, size=size)]

    assert [len(batch) for batch in batches(None, 5)] == [8, 8, 8, 1]
    assert [len(batch) for batch in batches((3, 14), 1)] == [1, 4, 4, 2]
    assert sum(batches((3, 14), 8), []) == list(range(3, 14))
    assert batches((5, 5), 8) == []
    assert sum(len(batch) for batch in table.batches([])) == 25


def test_a_table_without_columns_keeps_its_rows() -> None:
    rows = [str(row) for row in range(10)]
    table = unspool.open(at1_table([("id", "integer", rows)], 4, lambda text: (0, lzma.compress(text))))
    vectors = unspool.open(CVC)
    assert isinstance(table, unspool.At1) and isinstance(vectors, unspool.Cvc)
    assert [len(table.read([])), len(table.read([], (3, 9)))] == [10, 6]
    assert [len(table.query([("id", ">=", 4)], [], limit)) for limit in (None, 2, 9)] == [6, 2, 6]
    assert [len(vectors.read([])), len(vectors.read([], (3, 9)))] == [100, 6]
    assert pa.table(table.read([], (3, 9))).num_rows == 6


@pytest.fixture()
def stream() -> Iterator[Server]:
    yield from serve(ROOT / "xz" / "blocks.xz")


def test_a_seek_in_a_remote_file_reads_one_block(stream: Server) -> None:
    file = unspool.open(Remote(stream.url), threads=1)
    assert isinstance(file, unspool.Stream) and len(file.starts) > 1
    before = len(stream.ranges)
    file.seek(file.starts[-1])
    assert file.read(1)
    assert len(stream.ranges) == before + 1, "one block"


@pytest.mark.parametrize("kind", ["path", "text", "bytes", "bytearray", "view", "file", "memory", "fsspec", "obstore"])
def test_every_kind_of_source_reads_the_same(kind: str) -> None:
    bytes_of = CVC.read_bytes()
    store = obstore.store.LocalStore(str(CVC.parent))
    source = {
        "path": lambda: CVC,
        "text": lambda: str(CVC),
        "bytes": lambda: bytes_of,
        "bytearray": lambda: bytearray(bytes_of),
        "view": lambda: memoryview(bytes_of),
        "file": lambda: open(CVC, "rb"),
        "memory": lambda: io.BytesIO(bytes_of),
        "fsspec": lambda: fsspec.open(str(CVC)).open(),
        "obstore": lambda: obstore.open_reader(store, CVC.name),
    }[kind]()
    assert unspool.probe(source) == "cvc"
    column = unspool.open(source).column()
    assert (np.asarray(column[:]) == EXPECTED).all()


def test_a_source_that_raises_passes_its_exception_on() -> None:
    class Broken:
        size = 1000

        def read_range(self, start: int, end: int) -> bytes:
            raise ConnectionError("the network is down")

    with pytest.raises(ConnectionError, match="down"):
        unspool.open(Broken())

    class Short:
        size = 1000

        def read_range(self, start: int, end: int) -> bytes:
            return b""

    with pytest.raises(unspool.TruncatedError):
        unspool.open(Short())
    with pytest.raises(TypeError, match="expected a path"):
        unspool.open(12)


def test_errors_of_paths_are_those_of_open(tmp_path: Path) -> None:
    file, closed = tmp_path / "file", tmp_path / "closed"
    file.touch()
    closed.touch(0)
    paths: list[str | Path] = ["missing", "", "with\0zero", tmp_path, tmp_path / "ü" / "x", file / "x"]
    if not os.access(closed, os.R_OK):
        paths.append(closed)
    elif sys.platform == "linux":
        # Not even root may read this one.
        paths.append("/proc/sys/vm/compact_memory")
    if sys.platform != "win32":
        paths += [os.fsdecode(b"not UTF-8: \xff"), "long" * 1000]
    functions: list[Callable[[SourceLike], object]] = [
        unspool.open,
        unspool.inspect,
        unspool.probe,
        unspool.polars.scan_at1,
    ]
    kinds: set[type[Exception]] = set()
    for path in paths:
        with pytest.raises((OSError, ValueError)) as expected:
            open(path, "rb")
        kinds.add(expected.type)
        for function in functions:
            with pytest.raises(expected.type) as found:
                function(path)
            assert found.type is expected.type, path
            if isinstance(expected.value, OSError):
                assert (found.value.errno, found.value.filename) == (expected.value.errno, os.fspath(path))
    assert {FileNotFoundError, PermissionError, ValueError} < kinds
    assert IsADirectoryError in kinds or sys.platform == "win32"


class Odd:
    """A path whose name is bytes."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __fspath__(self) -> bytes:
        return os.fsencode(self.path)


def test_a_path_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "numbers.xz"
    path.write_bytes(lzma.compress(b"1, 2, 3"))

    def refuse(*_: object) -> None:
        raise AssertionError("Python opens the file too")

    monkeypatch.setattr("builtins.open", refuse)
    assert unspool.open(path).read() == unspool.open(str(path)).read() == b"1, 2, 3"
    assert unspool.open(Odd(path)).read() == b"1, 2, 3"
    assert unspool.probe(path) == unspool.inspect(path).format == "xz"


def test_streams_are_files(tmp_path: Path) -> None:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for name in ("one.json", "two.csv"):
            content = b'{"a": 1}' if name.endswith("json") else b"x,y\n1,2\n3,4\n"
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    packed = lzma.compress(archive.getvalue())
    with tarfile.open(fileobj=unspool.open(packed)) as tar:
        assert tar.getnames() == ["one.json", "two.csv"]
        member = tar.extractfile("one.json")
        assert member is not None and json.load(member) == {"a": 1}
    table = pd.read_csv(unspool.open(lzma.compress(b"x,y\n1,2\n3,4\n")))
    assert table.to_dict("list") == {"x": [1, 3], "y": [2, 4]}
    assert json.load(unspool.open(lzma.compress(b"[1, 2]"))) == [1, 2]
    stream = io.BufferedReader(unspool.open(lzma.compress(b"a\nb\n")))
    assert list(stream) == [b"a\n", b"b\n"]
    stream.close()
    closed = unspool.open(lzma.compress(b"a"))
    assert isinstance(closed, unspool.Stream)
    closed.close()
    with pytest.raises(ValueError, match="closed"):
        closed.read()
