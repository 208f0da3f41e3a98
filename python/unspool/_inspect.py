"""The structure of a file, as a tree that prints itself."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ._errors import Error

__all__ = ["Inspection", "Node"]

# Siblings of one name that are printed.
_SHOWN = 8
# Lines that are printed.
_LINES = 200


@dataclass(frozen=True)
class Node:
    """A group or a field of a file."""

    id: str
    """The identifier of the field, which never changes."""
    name: str
    """The name of the field, for people."""
    start: int
    """The first bit."""
    end: int
    """The bit after the last one."""
    value: str = ""
    """The value as text; empty if the bits have none."""
    part: str | None = None
    """The purpose of the bits; ``None`` for a group."""
    children: list[Node] = field(default_factory=lambda: [])
    """The nodes within a group."""

    @property
    def bytes(self) -> tuple[int, int]:
        """The bytes that hold the bits: the first, and the one after the last."""
        return self.start // 8, -(-self.end // 8)

    def walk(self) -> Iterator[Node]:
        """Walks over this node and all nodes within it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def __str__(self) -> str:
        return f"{self.name} {self.value}".rstrip()


@dataclass(frozen=True)
class Inspection:
    """What a file consists of: every bit of a valid one belongs to exactly one leaf."""

    format: str
    """The name of the format."""
    size: int
    """The length of the file in bytes."""
    nodes: list[Node]
    """The outermost groups and fields."""
    left_out: int
    """The number of nodes that were not kept."""
    error: Error | None
    """The error that ended the walk."""

    def walk(self) -> Iterator[Node]:
        """Walks over all nodes, each before the nodes within it."""
        for node in self.nodes:
            yield from node.walk()

    def find(self, id: str) -> list[Node]:
        """Returns all nodes with this identifier."""
        return [node for node in self.walk() if node.id == id]

    def __repr__(self) -> str:
        lines = [f"{self.format}, {self.size} bytes"]
        for text, node, depth in _shown(self.nodes, 0):
            if len(lines) > _LINES:
                lines.append("…")
                break
            place = "" if node is None else _place(node)
            lines.append(f"{place:>24}  {'  ' * depth}{text}")
        if self.error is not None:
            lines.append(f"error: {self.error}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = f"<b>{html.escape(self.format)}</b>, {self.size:,} bytes"
        error = "" if self.error is None else f"<p style='color:#b00020'>{html.escape(str(self.error))}</p>"
        return f"<div style='font-family:monospace'>{head}{error}{_html(self.nodes, True)}</div>"


def _place(node: Node) -> str:
    start, end = node.bytes
    return f"{start}..{end}"


def _shown(nodes: list[Node], depth: int) -> Iterator[tuple[str, Node | None, int]]:
    count: dict[str, int] = {}
    for node in nodes:
        count[node.name] = count.get(node.name, 0) + 1
        if count[node.name] > _SHOWN:
            continue
        yield str(node), node, depth
        yield from _shown(node.children, depth + 1)
    for name, total in count.items():
        if total > _SHOWN:
            yield f"… {total - _SHOWN} more of {name}", None, depth


def _html(nodes: list[Node], is_open: bool) -> str:
    items: list[str] = []
    for node in nodes[:_LINES]:
        text = f"<span style='opacity:.6'>{_place(node)}</span> {html.escape(str(node))}"
        if node.children:
            state = " open" if is_open and len(nodes) == 1 else ""
            items.append(f"<details{state}><summary>{text}</summary>{_html(node.children, False)}</details>")
        else:
            items.append(f"<div>{text}</div>")
    if len(nodes) > _LINES:
        items.append(f"<div>… {len(nodes) - _LINES} more</div>")
    return f"<div style='margin-left:1.5em'>{''.join(items)}</div>"


def _node(json_node: dict[str, Any]) -> Node:
    children = [_node(child) for child in json_node.get("children", [])]
    return Node(
        json_node["id"],
        json_node["name"],
        json_node["start"],
        json_node["end"],
        json_node.get("value", ""),
        json_node.get("part"),
        children,
    )


def nodes_of(text: str) -> list[Node]:
    """Returns the nodes of the JSON that the inspector writes."""
    return [_node(node) for node in json.loads(text)]
