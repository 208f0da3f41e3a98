"""Leaks, threads, forks and signals."""

from __future__ import annotations

import gc
import gzip
import lzma
import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pcodec.standalone
import pytest
import unspool
import zstandard
from tables import at1_table
from vectors import ROOT

PCO = (ROOT / "pco" / "k_u32_arange.pco").read_bytes()
CVC = (ROOT / "cvc" / "v1_fp16.cvc").read_bytes()
ONPAIR = (ROOT / "onpair" / "cpp" / "urls_b12.onp").read_bytes()
XZ = (ROOT / "xz" / "blocks.xz").read_bytes()
BROKEN = (ROOT / "pco" / "bad" / "delta_order_4.pco").read_bytes()
TABLE = at1_table(
    [("id", "integer", [str(row) for row in range(40)]), ("text", "text", [f"row number {row}" for row in range(40)])],
    20,
    lambda text: (1, zstandard.compress(text)),
)
# Its last block ends too soon.
BROKEN_TABLE = at1_table(
    [("id", "integer", [str(row) for row in range(40)])], 20, lambda text: (1, zstandard.compress(text)[:-1])
)


def resident() -> int:
    """Returns the bytes of memory that this process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def once() -> None:
    pco = unspool.open(PCO)
    assert isinstance(pco, unspool.Pco)
    assert np.asarray(pco.read(threads=1))[-1] == 776
    array = pco[5:9]
    array.__arrow_c_array__()
    cvc = unspool.open(CVC)
    assert isinstance(cvc, unspool.Cvc)
    cvc.read(rows=(1, 2)).__arrow_c_stream__()
    onpair = unspool.open(ONPAIR)
    assert isinstance(onpair, unspool.OnPair)
    onpair[:2].__arrow_c_array__()
    with unspool.open(XZ, threads=1) as stream:
        stream.seek(5)
        stream.read(5)
    for broken in (BROKEN, BROKEN_TABLE):
        try:
            unspool.open(broken).read()
        except unspool.Error:
            pass


def table_once() -> None:
    table = unspool.open(TABLE)
    assert isinstance(table, unspool.At1)
    table.read(threads=1).__arrow_c_stream__()
    table.query([("id", "<=", 3)])
    unspool.inspect(CVC, max_nodes=20)
    out = np.empty(777, np.uint32)
    unspool.open(PCO).numpy(out=out, threads=2)


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads the memory of a process as Linux shows it")
def test_many_calls_leak_nothing() -> None:
    # Each round is several calls: 100,000 and more together. Those on tables and on threads take
    # longer, so there are fewer.
    for repeated, rounds in ((once, 6_000), (table_once, 1_000)):
        for _ in range(rounds // 4):
            repeated()
        grown: list[int] = []
        for _ in range(3):
            gc.collect()
            before = resident()
            for _ in range(rounds):
                repeated()
            gc.collect()
            grown.append(resident() - before)
        # A leak grows each time, what an allocator keeps does not. 32 bytes for each of at least
        # nine calls would be 1.7 MB in the first loop.
        assert min(grown) < 1 << 20, f"{grown} bytes more after {repeated.__name__}"


LIMITED = """
import resource, sys, unspool
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
error = unspool.inspect(sys.argv[1]).error
assert error is None, error
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
def test_inspecting_keeps_no_content(tmp_path: Path) -> None:
    # 868 bytes of AT-1 that decode to 8.6 GB, and streams of 2.3 GB.
    paths = [ROOT / "at1" / "bad" / "bomb_vcf_samples.at1", tmp_path / "zeros.zst", tmp_path / "zeros.xz"]
    zeros = bytes(64 << 20)
    paths[1].write_bytes(zstandard.compress(zeros) * 34)
    paths[2].write_bytes(lzma.compress(zeros, preset=0) * 34)
    for path in paths:
        subprocess.run([sys.executable, "-c", LIMITED, str(path)], check=True, timeout=120)


def test_inspecting_allows_a_later_frame_that_is_its_own_window() -> None:
    parameters = zstandard.ZstdCompressionParameters.from_level(1, window_log=28)
    long = zstandard.ZstdCompressor(compression_params=parameters).compress(bytes(130 << 20))
    assert unspool.inspect(zstandard.compress(b"a") + long).error is None


def test_threads_share_objects() -> None:
    path = ROOT / "cvc" / "med_fp16.cvc"
    column = unspool.open(path).column()
    stream = unspool.open(ROOT / "xz" / "blocks.xz", threads=2)
    assert isinstance(stream, unspool.Stream)
    expected = column.numpy().tobytes()
    content = stream.read()
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for _ in range(20):
                assert column.numpy(threads=1 + number % 2).tobytes() == expected
                own = unspool.open(ROOT / "xz" / "blocks.xz", threads=1)
                assert isinstance(own, unspool.Stream)
                own.seek(number * 7)
                assert own.read(50) == content[number * 7 :][:50]
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_others_run_while_a_file_decodes() -> None:
    packed = lzma.compress(os.urandom(1 << 20) * 24, preset=1)
    counted = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    time.sleep(0.05)
    before, start = counted, time.monotonic()
    stream = unspool.open(packed)
    assert isinstance(stream, unspool.Stream)
    # One call that decodes everything.
    assert stream.size == 24 << 20
    stream.seek((24 << 20) - 1)
    assert stream.read(1)
    during, took = counted - before, time.monotonic() - start
    stop.set()
    counter.join()
    assert during > took * 100, f"{during} counts in {took} seconds"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_objects_work_after_a_fork() -> None:
    column = unspool.open(ROOT / "cvc" / "med_fp16.cvc").column()
    stream = unspool.open(ROOT / "xz" / "blocks.xz")
    assert isinstance(stream, unspool.Stream)
    expected, content = column.numpy(threads=2).tobytes(), stream.read()
    child = os.fork()
    if child == 0:
        stream.seek(3)
        same = column.numpy(threads=2).tobytes() == expected and stream.read() == content[3:]
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def rows_are_right(column: unspool.CvcColumn, expected: list[bytes], first: int) -> int:
    for turn in range(400):
        row = (first + 7 * turn) % len(expected)
        if np.asarray(column[row]).tobytes() != expected[row]:
            return 1
    return 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_processes_read_at_the_same_time_after_a_fork() -> None:
    column = unspool.open(ROOT / "cvc" / "med_fp16.cvc").column()
    expected = [np.asarray(column[row]).tobytes() for row in range(len(column))]
    children = []
    for first in range(3):
        child = os.fork()
        if child == 0:
            status = 2
            try:
                status = rows_are_right(column, expected, first)
            finally:
                os._exit(status)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0, 0]


class Flaky:
    """Refuses one read."""

    def __init__(self, content: bytes, refused: int) -> None:
        self.content, self.refused, self.reads = content, refused, 0
        self.size = len(content)

    def read_range(self, start: int, end: int) -> bytes:
        if end > self.refused:
            self.reads += 1
            if self.reads == 1:
                raise OSError("reset")
        return self.content[start:end]


def test_a_read_that_failed_can_be_repeated() -> None:
    content = os.urandom(4 << 20)
    packed = gzip.compress(content, 0)
    stream = unspool.open(Flaky(packed, 3 << 20))
    assert isinstance(stream, unspool.Stream)
    stream.seek(10)
    with pytest.raises(OSError, match="reset"):
        stream.read()
    assert stream.tell() == 10
    assert stream.read() == content[10:]


def test_a_broken_block_spoils_no_other() -> None:
    content = os.urandom(3000)
    blocks = lzma.compress(content[:1000]) + lzma.compress(content[1000:2000]) + lzma.compress(content[2000:])
    broken = bytearray(blocks)
    broken[len(blocks) // 2] ^= 1
    for threads in (1, 2, 4):
        stream = unspool.open(bytes(broken), threads=threads)
        assert isinstance(stream, unspool.Stream) and len(stream.starts) == 3
        assert stream.read(1000) == content[:1000]
        with pytest.raises(unspool.Error):
            stream.read(1000)
        with pytest.raises(unspool.Error):
            stream.read()
        stream.seek(2000)
        assert stream.read() == content[2000:]


def test_threads_share_a_stream() -> None:
    content = os.urandom(1 << 20)
    stream = unspool.open(gzip.compress(content, 0))
    assert isinstance(stream, unspool.Stream)
    pieces: list[bytes] = []

    def take() -> None:
        while piece := stream.read(1000):
            pieces.append(piece)

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(pieces) == sorted(content[at : at + 1000] for at in range(0, len(content), 1000))


def test_a_closed_stream_closes_its_file(tmp_path: Path) -> None:
    path = tmp_path / "content.gz"
    path.write_bytes(gzip.compress(b"content"))
    with unspool.open(path) as stream:
        assert stream.read() == b"content"
        assert holds(path) or not os.path.isdir("/proc/self/fd")
    assert not holds(path)
    with pytest.raises(ValueError, match="closed"):
        stream.tell()


def holds(path: Path) -> bool:
    """Returns whether this process has the file open, on Linux."""
    folder = "/proc/self/fd"
    links = [f"{folder}/{name}" for name in os.listdir(folder)] if os.path.isdir(folder) else []
    return any(os.path.islink(link) and os.readlink(link) == str(path) for link in links)


@pytest.mark.parametrize("content", [PCO, ONPAIR, CVC, TABLE], ids=["pco", "onpair", "cvc", "at1"])
def test_a_closed_file_is_not_read(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with unspool.open(path) as file:
        assert len(file.read()) > 0
        is_open = holds(path)
    assert not holds(path)
    # These two are read as a whole when they are opened.
    assert is_open is (os.path.isdir("/proc/self/fd") and content not in (PCO, ONPAIR))
    for _ in range(2):
        with pytest.raises(ValueError, match="closed"):
            file.read()
        file.close()
    assert repr(file)


def test_limits_are_pickled() -> None:
    limits = unspool.Limits(max_output=5, max_depth=7)
    again = pickle.loads(pickle.dumps(limits))
    assert repr(again) == repr(limits)


INTERRUPTED = """
import signal, sys, unspool
source = sys.argv[1]
stream = unspool.open(source)
print("ready", flush=True)
try:
    stream.seek(0, 2)
    print("finished")
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_long_decode_is_interrupted(tmp_path: object) -> None:
    # 15 GiB of zeros take many seconds, and no index leads to their end.
    path = f"{tmp_path}/zeros.gz"
    with open(path, "wb") as file:
        file.write(gzip.compress(bytes(1 << 26), 1) * 240)
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED, path], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    start = time.monotonic()
    child.send_signal(signal.SIGINT)
    answer = child.stdout.read()
    assert answer == "interrupted\n", answer
    assert time.monotonic() - start < 2
    assert child.wait() == 0


INTERRUPTED_ARRAY = """
import signal, sys, threading, time
import numpy as np, unspool
column, out, threads = unspool.open(sys.argv[1]), np.full(40 << 20, 7.0), int(sys.argv[2])
def interrupt():
    time.sleep(0.02)
    signal.raise_signal(signal.SIGINT)
for decode in (lambda: column.numpy(out=out, threads=threads), lambda: column.read(threads=threads)):
    thread = threading.Thread(target=interrupt)
    try:
        thread.start()
        decode()
        print("finished")
    except KeyboardInterrupt:
        print("interrupted")
    thread.join()
print(out[0], out[-1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("threads", [1, 2])
def test_numbers_on_threads_are_interrupted(threads: int, tmp_path: object) -> None:
    values = np.round(np.random.default_rng(1).gamma(3, 20, 1 << 18), 2)
    packed = pcodec.standalone.simple_compress(values, pcodec.ChunkConfig())
    # The same chunk 160 times, and the count of all numbers.
    pco = unspool.open(packed)
    assert isinstance(pco, unspool.Pco)
    chunk = pco.chunks()[0]
    path = f"{tmp_path}/prices.pco"
    with open(path, "wb") as file:
        assert int.from_bytes(packed[6:10], "little") == 1 << 18 << 6 | 18
        file.write(packed[:6] + (40 << 20 << 6 | 25).to_bytes(4, "little") + packed[10 : chunk["start"]])
        file.writelines([packed[chunk["start"] : chunk["end"]]] * 160 + [packed[chunk["end"] :]])
    child = subprocess.run([sys.executable, "-c", INTERRUPTED_ARRAY, path, str(threads)], capture_output=True, text=True)
    assert child.stdout == f"interrupted\ninterrupted\n{values[0]} 7.0\n", child.stderr
