"""Every vector decodes to what its manifest or its companion says; no broken one does harm."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
from pathlib import Path

import numpy as np
import pytest
import unspool
from vectors import ROOT, files, folders, hostile, is_again


def test_pco_columns() -> None:
    ran = 0
    for folder in folders("pco"):
        for manifest in folder.rglob("manifest.json"):
            for entry in json.loads(manifest.read_bytes()).get("files", []):
                path = manifest.parent / entry["file"]
                if "sha256" not in entry or not path.exists() or is_again(path):
                    continue
                column = unspool.open(path)
                assert isinstance(column, unspool.Pco)
                assert len(column) == entry["n"], path
                if column.dtype is None:
                    continue
                chunks = column.chunks()
                arrays = [np.asarray(column.read_chunk(chunk["start"])) for chunk in chunks]
                joined = b"".join(array.tobytes() for array in arrays)
                assert hashlib.sha256(joined).hexdigest() == entry["sha256"], path
                ran += 1
                if len({chunk["dtype"] for chunk in chunks}) > 1:
                    with pytest.raises(unspool.MisuseError):
                        column.read()
                    continue
                for threads in (1, 2):
                    numbers = column.numpy(threads=threads)
                    assert hashlib.sha256(numbers.tobytes()).hexdigest() == entry["sha256"], path
                out = np.empty(len(column), column.dtype)
                assert column.numpy(out=out) is out and out.tobytes() == numbers.tobytes()
                assert sum(chunk["len"] for chunk in column.chunks()) == len(column)
                if len(column) > 3:
                    assert np.asarray(column[1:-1]).tobytes() == numbers[1:-1].tobytes()
                    last, plain = column[-1], numbers[-1].item()
                    assert last == plain or (last != last and plain != plain)
    assert ran > 100, ran


def test_onpair_columns() -> None:
    for path in files("onpair", ".onp"):
        rows = unspool.open(path.read_bytes(), text=False)
        assert isinstance(rows, unspool.OnPair)
        values = rows[:].to_list()
        assert len(values) == len(rows)
        if values:
            assert rows[0] == values[0] and rows[-1] == values[-1]
            needle = max(values, key=len)
            assert rows.search(equals=needle).to_list() == [i for i, row in enumerate(values) if row == needle]
            part = needle[1:5]
            assert rows.search(contains=part).to_list() == [i for i, row in enumerate(values) if part in row]
            start = needle[:3]
            found = rows.search(starts_with=start).to_list()
            assert found == [i for i, row in enumerate(values) if row.startswith(start)]
        expected = ROOT / "onpair" / "data" / f"{path.stem.rsplit('_', 1)[0]}.expected.bin"
        assert b"".join(values) == expected.read_bytes(), path


def test_cvc_columns() -> None:
    ran = 0
    for path in files("cvc", ".cvc"):
        companion = path.with_name(f"{path.stem}.f32.bin")
        if not companion.exists():
            continue
        column = unspool.open(path).column()
        expected = np.fromfile(companion, np.float32).reshape(column.shape)
        for threads in (1, 2):
            found = column.numpy(threads=threads)
            assert found.tobytes() == expected.tobytes(), path
        assert np.asarray(column[:]).tobytes() == expected.tobytes(), path
        out = np.empty(column.shape, column.dtype)
        column.numpy(out=out)
        assert out.tobytes() == expected.tobytes(), path
        middle = len(column) // 2
        assert np.asarray(column[middle:]).tobytes() == expected[middle:].tobytes(), path
        ran += 1
    assert ran > 40, ran


def test_at1_files() -> None:
    ran = 0
    for path in files("at1", ".at1"):
        original = path.with_suffix(".orig")
        file = unspool.open(path)
        assert isinstance(file, unspool.At1)
        if file.is_bundle:
            for name in file.file_names:
                assert file[name].decode()
            continue
        if original.exists() and original.stat().st_size < 1 << 22:
            assert file.decode() == original.read_bytes(), path
            ran += 1
        if file.is_table and len(file.columns) > 0 and path.stat().st_size < 1 << 18:
            whole = file.read(decimals="text", misfit="null")
            assert len(whole) == len(file)
            if len(file) > 1:
                queried = file.query(limit=len(file), decimals="text", misfit="null")
                assert queried.to_dict() == whole.to_dict(), path
    assert ran > 100, ran


def test_zstd_files() -> None:
    ran = 0
    for folder in folders("zstd"):
        for entry in json.loads((folder / "manifest.json").read_bytes())["files"]:
            path = folder / entry["file"]
            if is_again(path):
                continue
            dictionary = (folder / entry["dict"]).read_bytes() if entry["dict"] else None
            with unspool.open(path, format=entry["variant"], dictionary=dictionary) as stream:
                content = stream.read()
                assert len(content) == entry["orig_size"], path
                assert hashlib.sha256(content).hexdigest() == entry["sha256"], path
                ran += 1
                if dictionary is None:
                    with unspool.open(path) as detected:
                        assert detected.read() == content, path
                if len(content) > 10:
                    stream.seek(len(content) // 2)
                    assert stream.read(5) == content[len(content) // 2 :][:5], path
    assert ran > 600, ran


def test_xz_files() -> None:
    for path in files("xz", ".xz"):
        expected = lzma.decompress(path.read_bytes())
        stream = unspool.open(path)
        assert isinstance(stream, unspool.Stream)
        assert stream.size == len(expected)
        assert stream.read() == expected
        for position in (0, 1, len(expected) // 3, len(expected) - 1, len(expected), len(expected) + 1):
            stream.seek(position)
            assert stream.read(7) == expected[position : position + 7], (path, position)


def test_lzma_files(tmp_path: Path) -> None:
    (tmp_path / "noise.lzma").write_bytes(lzma.compress(os.urandom(1 << 20) * 2, format=lzma.FORMAT_ALONE))
    for path in (*files("lzma", ".lzma"), tmp_path / "noise.lzma"):
        expected = lzma.decompress(path.read_bytes(), format=lzma.FORMAT_ALONE)
        # Unusual properties are not detected.
        assert unspool.probe(path) == (None if path.name == "properties.lzma" else "lzma")
        assert unspool.inspect(path, format="lzma").error is None
        stream = unspool.open(path, format="lzma")
        assert isinstance(stream, unspool.Stream)
        assert stream.read() == expected
        for position in (0, len(expected) // 2, len(expected)):
            stream.seek(position)
            assert stream.read(7) == expected[position : position + 7], (path, position)


def test_a_gzip_file_may_hold_any_other() -> None:
    with unspool.open(ROOT / "gzip" / "v1_int8.cvc.gz") as stream:
        inside = unspool.open(stream)
        expected = np.fromfile(ROOT / "cvc" / "v1_int8.f32.bin", np.float32)
        assert np.asarray(inside.column()[:]).tobytes() == expected.tobytes()


def use(path: Path) -> None:
    """Reads everything that a file has."""
    opened = unspool.open(path.read_bytes(), limits=unspool.Limits(max_output=1 << 26))
    if isinstance(opened, unspool.Pco):
        opened.read(threads=1)
    elif isinstance(opened, unspool.OnPair):
        opened.read()
    elif isinstance(opened, unspool.Cvc):
        for name in opened.column_names:
            opened.column(name or None)[:]
        opened.sections()
    elif isinstance(opened, unspool.At1):
        if opened.is_bundle:
            for name in opened.file_names:
                opened[name].decode()
        else:
            opened.decode()
    else:
        opened.read()


@pytest.mark.parametrize(("format", "least"), [("pco", 90), ("cvc", 90), ("at1", 160), ("zstd", 500)])
def test_hostile_files_raise_errors_with_a_place(format: str, least: int) -> None:
    refused = 0
    for path in hostile(format):
        try:
            use(path)
        except unspool.Error as error:
            refused += 1
            assert isinstance(error.kind, str) and error.at >= 0 and error.need >= 0
            assert type(error) is not unspool.Error, path
        try:
            inspection = unspool.inspect(path)
            assert repr(inspection) and inspection._repr_html_()
        except unspool.Error:
            pass
    assert refused >= least, f"{refused} of {len(hostile(format))}"


def damaged(whole: bytes, change: str, place: int) -> bytes:
    if change == "cut":
        return whole[:place]
    if change == "drop":
        return whole[:place] + whole[place + 3 :]
    flipped = bytearray(whole)
    flipped[place >> 3] ^= 1 << (place & 7)
    return bytes(flipped)


def verdict(found: unspool.Error | None) -> tuple[str, int]:
    return ("accepted", 0) if found is None else (found.kind, found.at)


def test_errors_are_those_of_the_core() -> None:
    table = (ROOT.parent / "golden" / "verdicts.txt").read_text().splitlines()
    assert len(table) > 800
    for line in table:
        path, change, place, kind, at = line.split(" ")
        broken = damaged((ROOT / path).read_bytes(), change, int(place))
        format = path.partition("/")[0]
        found = None
        try:
            opened = unspool.open(broken, format=format)
            if isinstance(opened, unspool.Cvc):
                opened.column()[:]
            elif isinstance(opened, unspool.At1):
                opened.decode()
            else:
                opened.read()
        except unspool.Error as error:
            found = error
        assert verdict(found) == (kind, int(at)), line
        assert verdict(unspool.inspect(broken, format=format).error) == (kind, int(at)), f"{line}, inspected"


def test_a_file_cut_at_any_byte_is_refused() -> None:
    for path in (
        "pco/k_u32_arange.pco",
        "cvc/v0_spec_example.cvc",
        "xz/unspool.xz",
        "lzma/unspool.lzma",
        "onpair/cpp/one_row_b12.onp",
    ):
        whole = (ROOT / path).read_bytes()
        unspool.open(whole)
        for cut in range(len(whole)):
            with pytest.raises(unspool.Error):
                opened = unspool.open(whole[:cut])
                if isinstance(opened, unspool.Stream):
                    opened.read()
                elif isinstance(opened, unspool.Cvc):
                    opened.read()
                elif isinstance(opened, unspool.Pco):
                    opened.read()


def test_inspections_tile_the_file() -> None:
    for path in (
        "pco/k_u32_arange.pco",
        "cvc/v1_fp16.cvc",
        "xz/unspool.xz",
        "lzma/page.lzma",
        "at1/c8_events.at1",
        "zstd/page.zst",
    ):
        inspection = unspool.inspect(ROOT / path)
        assert inspection.error is None and inspection.left_out == 0
        leaves = sorted((node.start, node.end) for node in inspection.walk() if node.part is not None)
        end = 0
        for start, after in leaves:
            assert start == end, path
            end = after
        assert end == inspection.size * 8, path


def test_errors_have_classes_and_places() -> None:
    whole = bytearray((ROOT / "cvc/v1_fp16.cvc").read_bytes())
    whole[-1] ^= 1
    with pytest.raises(unspool.ChecksumError) as caught:
        unspool.open(bytes(whole)).column()[:]
    assert caught.value.kind == "CvcCrc" or caught.value.kind.startswith("Cvc")
    assert caught.value.at > 0 and caught.value.code >= 500
    with pytest.raises(unspool.UnsupportedError) as unknown:
        unspool.open(b"GIF89a is an image")
    assert (unknown.value.kind, unknown.value.code) == ("UnknownFormat", 2)
    with pytest.raises(unspool.LimitError) as limit:
        unspool.open(ROOT / "pco/k_u32_arange.pco", limits=unspool.Limits(max_output=776 * 4)).read()
    assert limit.value.need > 776 * 4 - 1
    with pytest.raises(unspool.TruncatedError) as short:
        unspool.open(bytes(whole[:100]))
    assert short.value.at == 100 and short.value.need > 100
