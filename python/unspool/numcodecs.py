"""Decode-only codecs for zarr, versions 2 and 3.

``register()`` makes arrays that numcodecs wrote as ``pcodec`` decode with this package. A broken
chunk raises ``unspool.Error`` instead of exhausting memory.
"""

from __future__ import annotations

from typing import Any

import numcodecs
from numcodecs.abc import Codec
from numcodecs.compat import ensure_bytes, ensure_contiguous_ndarray

from ._unspool import Limits, Source
from ._unspool import Pco as _Pco

__all__ = ["Pco", "register"]


class Pco(Codec):
    """Decodes what ``numcodecs.pcodec.PCodec`` encoded. Its configuration is not needed."""

    codec_id = "pcodec"

    def __init__(self, limits: Limits | None = None, threads: int = 1, **config: Any) -> None:
        self._limits = limits
        self._threads = threads
        self._config = config

    def encode(self, buf: Any) -> Any:
        raise NotImplementedError("unspool decodes; write with numcodecs.pcodec.PCodec")

    def decode(self, buf: Any, out: Any = None) -> Any:
        column = _Pco(Source.memory(ensure_bytes(buf)), self._limits)
        if out is not None:
            # `out` may have another shape than one dimension, and the order of Fortran. It is
            # filled in the order of its memory, as numcodecs does.
            column.numpy(out=ensure_contiguous_ndarray(out).reshape(-1), threads=self._threads)
            return out
        return column.numpy(threads=self._threads)

    def get_config(self) -> dict[str, Any]:
        return {"id": self.codec_id, **self._config}


def register() -> None:
    """Registers the codec as ``pcodec`` of zarr version 2 and ``numcodecs.pcodec`` of version 3.

    zarr finds the codecs of version 3 through numcodecs, so that one registration serves both.
    """
    numcodecs.register_codec(Pco)
