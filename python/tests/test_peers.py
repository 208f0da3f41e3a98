"""What other libraries write decodes here to what they read."""

from __future__ import annotations

import io
import lzma
from pathlib import Path

import decompressed
import numcodecs
import numcodecs.pcodec
import numpy as np
import pcodec.standalone
import pytest
import unspool
import unspool.numcodecs
import zarr
import zstandard

RANDOM = np.random.default_rng(32)

COLUMNS = {
    "noise": RANDOM.standard_normal(70_001),
    "floats": RANDOM.standard_normal(5_000).astype(np.float32),
    "halves": RANDOM.standard_normal(3_000).astype(np.float16),
    "steps": np.cumsum(RANDOM.integers(-3, 100, 300_000)),
    "small": RANDOM.integers(0, 7, 1_000).astype(np.uint16),
    "bytes": RANDOM.integers(0, 255, 1_000).astype(np.uint8),
    "signed": RANDOM.integers(-5, 5, 1_000).astype(np.int32),
    "special": np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 5e-324]),
    "one": np.array([7], np.int64),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("level", [1, 8])
def test_pcodec(name: str, level: int) -> None:
    column = COLUMNS[name]
    packed = pcodec.standalone.simple_compress(column, pcodec.ChunkConfig(compression_level=level, enable_8_bit=True))
    expected = pcodec.standalone.simple_decompress(packed)
    opened = unspool.open(packed)
    for threads in (1, 2):
        found = opened.numpy(threads=threads)
        assert found.dtype == expected.dtype and found.tobytes() == expected.tobytes() == column.tobytes()
    for cut in RANDOM.integers(0, len(packed), 20):
        with pytest.raises(unspool.Error):
            unspool.open(packed[:cut]).read()


@pytest.mark.parametrize("compression", ["fp16", "int8", "lossless"])
@pytest.mark.parametrize("rows", [1, 100, 1000])
def test_decompressed(compression: str, rows: int, tmp_path: Path) -> None:
    vectors = RANDOM.standard_normal((rows, 24)).astype(np.float32)
    path = tmp_path / "vectors.cvc"
    decompressed.pack_cvc(vectors, str(path), compression=compression, chunk_size=300)
    expected = np.asarray(decompressed.load_cvc(str(path), framework="numpy", backend="python"))
    column = unspool.open(path).column()
    assert column.numpy().tobytes() == expected.astype(np.float32).tobytes()
    middle = rows // 2
    assert np.asarray(column[middle : middle + 2]).tobytes() == expected[middle : middle + 2].tobytes()


def test_decompressed_with_several_columns(tmp_path: Path) -> None:
    data = {
        "text": RANDOM.standard_normal((500, 8)).astype(np.float32),
        "image": RANDOM.standard_normal((500, 3)).astype(np.float32),
    }
    path = tmp_path / "columns.cvc"
    decompressed.pack_cvc_columns(data, str(path), chunk_size=200)
    expected = decompressed.load_cvc_columns(str(path), framework="numpy")
    collection = unspool.open(path)
    assert collection.column_names == list(data)
    for name in data:
        assert np.array_equal(np.asarray(collection.column(name)[:]), np.asarray(expected[name]))
    assert len(collection.read(["image"], (10, 20))) == 10


@pytest.mark.parametrize("version", [2, 3])
def test_zarr_arrays(version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grid = RANDOM.standard_normal((100, 90)).astype(np.float32).cumsum(axis=0)
    path = str(tmp_path / "grid.zarr")
    if version == 2:
        codec = {"compressors": numcodecs.pcodec.PCodec()}
    else:
        from zarr.codecs.numcodecs import PCodec

        codec = {"serializer": PCodec(), "compressors": None}
    written = zarr.create_array(path, shape=grid.shape, chunks=(40, 32), dtype="f4", zarr_format=version, **codec)
    written[:] = grid
    expected = np.asarray(zarr.open_array(path, mode="r")[:])
    unspool.numcodecs.register()
    used: list[int] = []
    decode = unspool.numcodecs.Pco.decode
    monkeypatch.setattr(
        unspool.numcodecs.Pco, "decode", lambda self, buf, out=None: used.append(1) or decode(self, buf, out)
    )
    assert np.array_equal(np.asarray(zarr.open_array(path, mode="r")[:]), expected)
    assert np.array_equal(expected, grid)
    assert len(used) == 9, "chunks that this package decoded"


def test_numcodecs_codecs_decode_to_an_array_of_the_caller() -> None:
    codec = unspool.numcodecs.Pco()
    column = COLUMNS["steps"][:6000].reshape(60, 100)
    packed = numcodecs.pcodec.PCodec().encode(column)
    assert np.array_equal(codec.decode(packed), column.reshape(-1))
    out = np.empty_like(column)
    codec.decode(packed, out)
    assert np.array_equal(out, column)
    # In the order of Fortran, as the reference does it.
    ours, theirs = (np.zeros(column.shape, column.dtype, order="F") for _ in range(2))
    codec.decode(packed, ours)
    numcodecs.pcodec.PCodec().decode(packed, theirs)
    assert np.array_equal(ours, theirs) and ours.any()
    with pytest.raises(NotImplementedError):
        codec.encode(column)


def test_zstandard_and_lzma() -> None:
    content = RANDOM.integers(0, 30, 3_000_000).astype(np.uint8).tobytes()
    for packed in (
        zstandard.compress(content, 3),
        zstandard.ZstdCompressor(write_checksum=True).compress(content) + zstandard.compress(b"more"),
        lzma.compress(content, preset=1),
        lzma.compress(content[:1000]) + lzma.compress(content[1000:]),
    ):
        with unspool.open(packed) as stream:
            expected = content + (b"more" if packed.endswith(zstandard.compress(b"more")) else b"")
            assert stream.read() == expected
            for position in RANDOM.integers(0, len(content), 5):
                assert stream.seek(int(position)) == position
                assert stream.read(100) == expected[position : position + 100]
            assert stream.seek(-3, io.SEEK_END) == len(expected) - 3 and stream.read() == expected[-3:]
