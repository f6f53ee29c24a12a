"""Replaces calls of functions that a file defines by the functions' nodes."""

from __future__ import annotations

from typing import Any

from renga_onnx.load.tensors import Unsound

__all__ = ["DEEPEST", "inlined"]

DEEPEST = 16
"""Largest nesting depth of function calls, and of graphs."""

_MOST_NODES = 1_000_000
_MOST_BYTES = 1 << 29

Key = tuple[str, str, str]


def inlined(model: Any) -> Any:
    """Return the model without functions of its own: each call is replaced by the function's nodes."""
    import onnx.inliner

    _check_size(model)
    try:
        return onnx.inliner.inline_local_functions(model)
    except Exception as error:  # the library's C++ errors have no common type
        raise Unsound(f"its functions cannot be inlined: {error}") from error


def _check_size(model: Any) -> None:
    """Check that functions do not call each other in a circle, and that inlining does not create too much.

    A small file can describe more nodes than fit into memory: each function calls the next one twice. The same holds
    for a large constant in a function that is called often.
    """
    functions = {(f.domain, f.name, f.overload): f.node for f in model.functions}
    sizes: dict[Key, tuple[int, int]] = {}

    def size_of_all(nodes: Any, within: tuple[Key, ...]) -> tuple[int, int]:
        """Number of nodes and bytes."""
        count = size = 0
        for node in nodes:
            key = (node.domain, node.op_type, node.overload)
            of = [size_of(key, within) if key in functions else (1, node.ByteSize())]
            of += [size_of_all(attribute.g.node, within) for attribute in node.attribute]
            count, size = count + sum(c for c, _ in of), size + sum(s for _, s in of)
        return count, size

    def size_of(key: Key, within: tuple[Key, ...]) -> tuple[int, int]:
        if key in within or len(within) > DEEPEST:
            raise Unsound(f"function {key[1]!r} calls itself, or functions call each other more than {DEEPEST} deep")
        if key not in sizes:
            sizes[key] = size_of_all(functions[key], (*within, key))
        return sizes[key]

    count, size = size_of_all(model.graph.node, ())
    if count > _MOST_NODES:
        raise Unsound(f"its functions, inlined, have {count:,} nodes; at most {_MOST_NODES:,} are allowed")
    if size > _MOST_BYTES and size > 2 * model.ByteSize():
        raise Unsound(f"its functions, inlined, need {size:,} bytes")
