"""A recorded program that calls compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from renga_compile.fused.groups import Group, grouped
from renga_compile.fused.statements import Call, Spec
from renga_compile.replay.program import Program

__all__ = ["fuse"]


def fuse(
    program: Program, compiled: Callable[[Group, Mapping[str, Spec]], Callable[..., None]]
) -> tuple[list[str], dict[str, Any]]:
    """The lines of a program, with calls of compiled functions in place of arithmetic.

    Args:
        program: A recorded step.
        compiled: Creates a function that takes the inputs of a group, then its outputs.

    Returns:
        The lines, and their additional names: ``fused_0`` … are the functions.
    """
    parts, specs = grouped(program)
    lines: list[tuple[str, bool | None]] = []
    namespace: dict[str, Any] = {"empty": np.empty}
    for part in parts:
        if isinstance(part, Call):
            lines.append((part.text, part.without_graph))
        else:
            outputs = [each.result for each in part.outputs]
            arguments = [*part.inputs, *outputs]
            name = f"fused_{sum(each.startswith('fused_') for each in namespace)}"
            namespace[name] = compiled(part, specs)
            for each in outputs:
                dtype = specs[each].dtype
                namespace[dtype.name] = dtype
                lines.append((f"{each} = empty({specs[each].shape}, {dtype.name})", None))
            lines.append((f"{name}({', '.join(arguments)})", None))
            lines += [(view.text, None) for view in part.views]
    return list(_in_blocks(lines)), namespace


def _in_blocks(lines: Sequence[tuple[str, bool | None]]) -> Iterator[str]:
    """The lines, those that must not build a graph in blocks, with lines between them for which it does not matter."""
    either: list[str] = []
    inside = False
    for text, without_graph in lines:
        if without_graph is None and inside:
            either.append(text)
            continue
        if without_graph and not inside:
            yield "with using_config('enable_backprop', False):"
        inside = bool(without_graph)
        for each in either:
            yield f"    {each}" if inside else each
        either.clear()
        yield f"    {text}" if inside else text
    yield from either
