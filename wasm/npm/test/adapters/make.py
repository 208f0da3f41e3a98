"""Writes the stores and files that the adapters' tests read.

    pip install zarr==3.1.6 'numcodecs[pcodec]==0.16.6' pyarrow==26.0.1
    python make.py
"""

import base64
import io
import json
import lzma
import pathlib

import numcodecs
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import zarr
import zarr.codecs
import zarr.codecs.numcodecs as v3
import zarr.storage

HERE = pathlib.Path(__file__).parent
TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]
# Several chunks, of which those at the end are partial.
SHAPE, CHUNKS = (13, 21), (5, 8)
PCO = [t for t in TYPES if t not in ("int8", "uint8")]

# `.lzma` files, and raw streams: the filters of Python's `lzma`, by their numbers.
RAW = {"format": lzma.FORMAT_RAW}
LZMA = {
    "alone": {"format": lzma.FORMAT_ALONE},
    "raw LZMA1": {**RAW, "filters": [{"id": lzma.FILTER_LZMA1, "preset": 1}]},
    "raw LZMA2": {**RAW, "filters": [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]},
    "raw delta": {**RAW, "filters": [{"id": lzma.FILTER_DELTA, "dist": 4}, {"id": lzma.FILTER_LZMA2, "lc": 0, "lp": 2, "pb": 2}]},
    "raw x86, delta": {**RAW, "filters": [{"id": lzma.FILTER_X86, "start_offset": 16}, {"id": lzma.FILTER_DELTA}, {"id": lzma.FILTER_LZMA1, "lc": 4, "pb": 4}]},
    "raw ARM": {**RAW, "filters": [{"id": lzma.FILTER_ARM}, {"id": lzma.FILTER_LZMA2}]},
}


def values(dtype):
    numbers = np.random.default_rng(7).integers(0, 100, SHAPE).cumsum(axis=1) % 120
    return numbers.astype(dtype)


def plain(bytes):
    return base64.b64encode(bytes).decode()


def stores():
    """Returns each store as its files, with the expected values."""
    found = {}

    def add(name, dtype, **options):
        memory = {}
        store = zarr.storage.MemoryStore(store_dict=memory)
        array = zarr.create_array(store, shape=SHAPE, dtype=dtype, **options)
        array[:] = values(dtype)
        files = {key: plain(buffer.to_bytes()) for key, buffer in memory.items()}
        found[name] = {"dtype": dtype, "shape": SHAPE, "files": files, "expected": plain(np.ascontiguousarray(array[:]).tobytes())}

    for dtype in TYPES:
        if dtype in PCO:
            add(f"v2 pcodec {dtype}", dtype, zarr_format=2, chunks=CHUNKS, compressors=numcodecs.PCodec())
            add(f"v3 pcodec {dtype}", dtype, zarr_format=3, chunks=CHUNKS, serializer=v3.PCodec(), compressors=None)
        add(f"v2 zstd {dtype}", dtype, zarr_format=2, chunks=CHUNKS, compressors=numcodecs.Zstd())
        add(f"v3 zstd {dtype}", dtype, zarr_format=3, chunks=CHUNKS, compressors=zarr.codecs.ZstdCodec())
    for name, compressor in {"gzip": numcodecs.GZip(), "lzma": numcodecs.LZMA()}.items():
        add(f"v2 {name}", "int32", zarr_format=2, chunks=CHUNKS, compressors=compressor)
    add("v3 gzip", "int32", zarr_format=3, chunks=CHUNKS, compressors=zarr.codecs.GzipCodec())
    add("v3 lzma", "int32", zarr_format=3, chunks=CHUNKS, compressors=v3.LZMA())
    for name, chain in LZMA.items():
        add(f"v2 lzma {name}", "int32", zarr_format=2, chunks=CHUNKS, compressors=numcodecs.LZMA(**chain))
        add(f"v3 lzma {name}", "int32", zarr_format=3, chunks=CHUNKS, compressors=v3.LZMA(**chain))
    add("v2 pcodec F", "int64", zarr_format=2, chunks=CHUNKS, order="F", compressors=numcodecs.PCodec())
    add("v3 sharded pcodec", "float32", zarr_format=3, shards=(10, 16), chunks=CHUNKS, serializer=v3.PCodec(), compressors=None)
    add("v3 sharded zstd", "float64", zarr_format=3, shards=(10, 16), chunks=CHUNKS, compressors=zarr.codecs.ZstdCodec())
    return found


def tables():
    """Returns Parquet and IPC files, with the expected columns."""
    count = 1000
    table = pa.table({
        "number": pa.array(np.arange(count, dtype=np.int64) * 7919 % 1000),
        "float": pa.array(np.sin(np.arange(count)).astype(np.float64)),
        "text": pa.array([f"row {at % 97}" for at in range(count)]),
    })
    found = {}
    for codec in ("zstd", "gzip"):
        file = io.BytesIO()
        pa.parquet.write_table(table, file, compression=codec, row_group_size=400)
        found[f"{codec}.parquet"] = plain(file.getvalue())
    for name, write in {"stream": pa.ipc.new_stream, "file": pa.ipc.new_file}.items():
        file = io.BytesIO()
        with write(file, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
            writer.write_table(table, max_chunksize=400)
        found[f"zstd.{name}"] = plain(file.getvalue())
    expected = {name: [str(value) if name == "number" else value for value in column.to_pylist()] for name, column in zip(table.column_names, table.columns)}
    return {"files": found, "expected": expected}


(HERE / "stores.json").write_text(json.dumps(stores()) + "\n")
(HERE / "tables.json").write_text(json.dumps(tables()) + "\n")
