"""The examples of the README and the notebook run, and the reference is up to date."""

from __future__ import annotations

import io
import lzma
import re
import shutil
import sys
import tarfile
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from vectors import ROOT

HERE = Path(__file__).resolve().parents[1]
PAGES = (HERE / "README.md", HERE.parent / "README.md")
EXAMPLES = [example for page in PAGES for example in re.findall(r"```python\n(.*?)```", page.read_text(), re.S)]


def test_the_readme_has_examples() -> None:
    assert len(EXAMPLES) >= 8


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_of_the_readme_run(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for vector, name in {
        "cvc/v1_fp16.cvc": "vectors.cvc",
        "pco/k_u32_arange.pco": "column.pco",
        "pco/bad/delta_order_4.pco": "broken.pco",
        "at1/c8_events.at1": "events.at1",
        "onpair/cpp/urls_b12.onp": "urls.onp",
    }.items():
        shutil.copy(ROOT / vector, tmp_path / name)
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("empty"))
    (tmp_path / "archive.tar.xz").write_bytes(lzma.compress(archive.getvalue()))
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "README.md", "exec"), {})
    assert ("print" not in example) or capsys.readouterr().out.strip()


def test_the_notebook_runs() -> None:
    notebook = nbformat.read(HERE / "examples" / "tour.ipynb", as_version=4)
    client = NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(HERE / "examples")}})
    client.execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("text/html" in output.get("data", {}) for output in shown), "the inspector shows HTML"
    assert not any(output["output_type"] == "error" for output in shown)


def test_the_reference_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(HERE), *sys.path])
    import reference

    assert reference.PAGE.read_text() == reference.page(), "run python reference.py"
