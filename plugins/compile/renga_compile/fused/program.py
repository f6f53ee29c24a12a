"""A recorded program that calls compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
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
    lines: list[tuple[str, tuple[str, ...] | None]] = []
    namespace: dict[str, Any] = {"empty": np.empty}
    for part in parts:
        if isinstance(part, Call):
            lines.append((part.text, part.blocks))
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


def _in_blocks(lines: Sequence[tuple[str, tuple[str, ...] | None]]) -> Iterator[str]:
    """The lines in their ``with`` blocks; lines for which it does not matter stay in the block before them."""
    inside: tuple[str, ...] = ()
    for text, blocks in lines:
        if blocks is not None:
            common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(inside, blocks, strict=False)))
            for depth in range(common, len(blocks)):
                yield "    " * depth + blocks[depth]
            inside = blocks
        yield "    " * len(inside) + text
