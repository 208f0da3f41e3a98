"""Fixtures of all tests."""

from __future__ import annotations

import numcodecs.registry
import pytest


@pytest.fixture(autouse=True)
def own_codecs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps the codecs that a test registers from the next one."""
    monkeypatch.setattr(numcodecs.registry, "codec_registry", dict(numcodecs.registry.codec_registry))
