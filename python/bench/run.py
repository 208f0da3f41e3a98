"""Compares the wheel with what its users have today, in turns. Prints a table of medians."""

from __future__ import annotations

import lzma
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import decompressed
import numpy as np
import pcodec.standalone
import polars as pl
import unspool
import unspool.polars
import zstandard

ROUNDS = 7
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python/tests"))
from tables import at1_table  # noqa: E402


def compare(name: str, peer: str, ours: Callable[[], Any], theirs: Callable[[], Any]) -> None:
    """Runs both in turns, and prints medians: time with its ratio, and processor time of all threads."""
    ours(), theirs()
    took: tuple[list[float], list[float]] = ([], [])
    used: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for function, times, works in zip((ours, theirs), took, used):
            start, work = time.perf_counter(), time.process_time()
            function()
            times.append(time.perf_counter() - start)
            works.append(time.process_time() - work)
    mine, other, *work = (statistics.median(times) * 1000 for times in (*took, *used))
    row = f"{mine:.1f} | {other:.1f} | {other / mine:.2f} | {work[0]:.1f} | {work[1]:.1f}"
    print(f"| {name} | {peer} | {row} |", flush=True)


def megabytes(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.1f} MB"


def vectors(folder: Path) -> None:
    random = np.random.default_rng(1)
    for compression in ("fp16", "int8"):
        path = folder / f"{compression}.cvc"
        values = random.standard_normal((130_000 if compression == "fp16" else 260_000, 400), np.float32)
        decompressed.pack_cvc(values, str(path), compression=compression, chunk_size=8192)
        column = unspool.open(path).column()
        for threads in (1, 2):
            compare(
                f"CVC {compression}, {megabytes(path)}, to numpy, threads={threads}",
                "decompressed",
                lambda threads=threads, column=column: column.numpy(threads=threads),
                lambda path=path: decompressed.load_cvc(str(path), framework="numpy", backend="python"),
            )


def numbers() -> None:
    random = np.random.default_rng(2)
    for name, column in {
        "i64 steps": np.cumsum(random.integers(-3, 1000, 5_000_000)),
        "f64 prices": np.round(random.gamma(3, 20, 5_000_000), 2),
        "f32 noise": random.standard_normal(5_000_000, np.float32),
    }.items():
        packed = pcodec.standalone.simple_compress(column, pcodec.ChunkConfig())
        assert unspool.open(packed).numpy().tobytes() == column.tobytes()
        for threads in (1, 2):
            compare(
                f"Pco {name}, 5 million, threads={threads}",
                "pcodec",
                lambda threads=threads, packed=packed: unspool.open(packed).numpy(threads=threads),
                lambda packed=packed: pcodec.standalone.simple_decompress(packed),
            )


def tables(folder: Path) -> None:
    source = Path(os.environ.get("UNSPOOL_VECTORS", "")) / "at1" / "big_c7_trades.at1"
    if not source.exists():
        print(f"(no {source.name}: name the folder of the large vectors in UNSPOOL_VECTORS)")
        source = ROOT / "tests/vectors/at1/c8_events.at1"
    file = unspool.open(source)
    frame = pl.DataFrame(file.read(decimals="float"))
    path = folder / "table.csv"
    frame.write_csv(path)
    # The same table with other blocks, and the same CSV compressed in the same way.
    values = file.read(decimals="text").to_dict()
    texts = [(name, kind, list(map(str, values[name]))) for name, kind in file.columns.items()]
    packs: dict[str, Callable[[bytes], bytes]] = {"zstd": zstandard.compress, "xz": lzma.compress}
    cases: list[tuple[str, Path, str, Path]] = []
    for tag, (name, pack) in zip((1, 0), packs.items()):
        table, packed = folder / f"{name}.at1", folder / f"table.csv.{name}"
        table.write_bytes(at1_table(texts, file.rows_per_group, lambda text, pack=pack, tag=tag: (tag, pack(text))))
        packed.write_bytes(pack(path.read_bytes()))
        cases += [(f"{name} blocks", table, "CSV", path), (f"{name} blocks", table, f"CSV in {name}", packed)]
    cases.append(("the smaller blocks", source, "CSV", path))
    for blocks, table, peer, csv in cases:
        for threads in (1, None):
            compare(
                f"AT-1, {len(file):,} rows, {blocks}, {megabytes(table)}, threads={threads}",
                f"polars, {peer}, {megabytes(csv)}",
                lambda table=table, threads=threads: pl.DataFrame(
                    unspool.open(table).read(decimals="float", threads=threads)
                ),
                lambda csv=csv: pl.read_csv(lzma.decompress(csv.read_bytes()) if csv.suffix == ".xz" else csv),
            )
    compare(
        "the same, zstd blocks, decimals exact, threads=None",
        "polars, CSV",
        lambda: pl.DataFrame(unspool.open(folder / "zstd.at1").read()),
        lambda: pl.read_csv(path),
    )
    column = frame.columns[0]
    middle = frame[column][len(frame) // 2]
    compare(
        f"the same, the smaller blocks, one value of {column}",
        "polars.scan_csv",
        lambda: unspool.polars.scan_at1(source, decimals="float").filter(pl.col(column) == middle).collect(),
        lambda: pl.scan_csv(path).filter(pl.col(column) == middle).collect(),
    )


if __name__ == "__main__":
    print("| case | peer | unspool, ms | peer, ms | ratio | processor, unspool | processor, peer |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        numbers()
        tables(Path(name))
        vectors(Path(name))
