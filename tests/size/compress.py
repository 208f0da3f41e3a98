"""Compresses a file for the programs of this folder: compress.py FILE FOLDER."""

import lzma
import pathlib
import subprocess
import sys
import zlib

import heatshrink2
import tamp

source, folder = map(pathlib.Path, sys.argv[1:])
plain = source.read_bytes()


def xz(check, **options):
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 16, **options}]
    return lzma.compress(plain, lzma.FORMAT_XZ, check, filters=filters)


deflate = zlib.compressobj(9, zlib.DEFLATED, -15)


def zstd(*options):
    return subprocess.run(["zstd", "-19", *options, "-c", source], check=True, capture_output=True).stdout


files = {
    "zst": zstd(),
    "xz": xz(lzma.CHECK_CRC32),
    "deflate": deflate.compress(plain) + deflate.flush(),
    "tamp": bytes(tamp.compress(plain, window=10)),
    "heatshrink": bytes(heatshrink2.compress(plain, window_sz2=10, lookahead_sz2=4)),
}
for ending, data in files.items():
    (folder / f"text.{ending}").write_bytes(data)
(folder / "text-w12.zst").write_bytes(zstd("--zstd=wlog=12"))
(folder / "text-lc0.xz").write_bytes(xz(lzma.CHECK_CRC32, lc=0, lp=0))
