"""Writes REFERENCE.md from the types and the docstrings of the package.

``python reference.py --check`` fails if the file is out of date.
"""

from __future__ import annotations

import ast
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "unspool"
PAGE = HERE / "REFERENCE.md"
MODULES = ["__init__.py", "_unspool.pyi", "_at1.py", "_stream.py", "_inspect.py", "_source.py", "_types.py", "_errors.py"]
HEAD = """# Reference

Generated from the types of the package by `reference.py`.
"""


def signature(function: ast.FunctionDef) -> str:
    """Returns a function as it is called."""
    arguments = ast.unparse(function.args)
    for own in ("self, ", "self", "/, "):
        arguments = arguments.removeprefix(own)
    returns = f" -> {ast.unparse(function.returns)}" if function.returns is not None else ""
    call = f"{function.name}({arguments.removesuffix(', /')}){returns}"
    return textwrap.fill(call, 96, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def text_of(node: ast.ClassDef | ast.FunctionDef) -> str:
    """Returns a docstring as Markdown."""
    lines: list[str] = []
    for line in (ast.get_docstring(node) or "").replace("``", "`").splitlines():
        if line in ("Attributes:", "Args:", "Returns:"):
            lines.extend([f"*{line.removesuffix(':')}*", ""])
        elif line.startswith("    ") and ": " in line and not line.startswith("     "):
            name, words = line.strip().split(": ", 1)
            lines.append(f"- `{name}`: {words}")
        else:
            lines.append(line[2:] if line.startswith("        ") else line.strip())
    return "\n".join(lines)


def describe(node: ast.ClassDef | ast.FunctionDef) -> str:
    """Returns the section of a class or a function."""
    if isinstance(node, ast.FunctionDef):
        return f"## `{node.name}`\n\n```python\n{signature(node)}\n```\n\n{text_of(node)}\n"
    section = f"## `{node.name}`\n\n{text_of(node)}\n"
    fields = [f"{ast.unparse(item)}" for item in node.body if isinstance(item, ast.AnnAssign)]
    if fields:
        section += "\n```python\n" + "\n".join(fields) + "\n```\n"
    for item in node.body:
        if not isinstance(item, ast.FunctionDef) or not ast.get_docstring(item) or item.name.startswith("_"):
            continue
        is_property = any(ast.unparse(decorator) == "property" for decorator in item.decorator_list)
        returns = ast.unparse(item.returns) if item.returns is not None else ""
        call = f"{item.name}: {returns}" if is_property else signature(item)
        section += f"\n```python\n{call}\n```\n\n{text_of(item)}\n"
    return section


def page() -> str:
    """Returns the page."""
    found: dict[str, ast.ClassDef | ast.FunctionDef] = {}
    names: list[str] = []
    for module in MODULES:
        for node in ast.parse((PACKAGE / module).read_text()).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                found.setdefault(node.name, node)
            elif module == "__init__.py" and isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                names = ast.literal_eval(node.value)
    # The class of the extension module, which another one wraps, comes from the wrapper.
    at1 = ast.parse((PACKAGE / "_at1.py").read_text()).body
    found["At1"] = next(node for node in at1 if isinstance(node, ast.ClassDef))
    functions = sorted(name for name in names if isinstance(found.get(name), ast.FunctionDef))
    classes = [name for name in names if isinstance(found.get(name), ast.ClassDef)]
    sections = [describe(found[name]) for name in functions + classes]
    for module in ("polars", "numcodecs"):
        tree = ast.parse((PACKAGE / f"{module}.py").read_text())
        public = next(ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign))
        for node in tree.body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name in public:
                sections.append(describe(node).replace(f"## `{node.name}`", f"## `{module}.{node.name}`", 1))
    return "\n".join([HEAD, *sections])


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(PAGE.read_text() != page() and "REFERENCE.md is out of date: run python reference.py")
    PAGE.write_text(page())
