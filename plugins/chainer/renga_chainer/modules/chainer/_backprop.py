"""``chainer.backward``."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import renga_core.graph
from renga_core.graph import Variable

__all__ = ["backward"]


def backward(
    outputs: Sequence[Variable],
    grad_outputs: Sequence[Variable | None] | None = None,
    *,
    enable_double_backprop: bool = False,
) -> None:
    """Like `renga.backward`, but without a default gradient of 1: outputs without a gradient are skipped.

    Warns:
        RuntimeWarning: An output has no gradient, or is given twice and counts once.
    """
    given: list[tuple[Variable, Any]] = []
    if grad_outputs is None and isinstance(outputs, (tuple, list)):
        seen: set[int] = set()
        for y in outputs:
            if isinstance(y, Variable) and (y.grad is None or id(y) in seen):
                warnings.warn(
                    "outputs contains a Variable without grad, or duplicate outputs. "
                    "Note that chainer.backward does not set default grad.",
                    RuntimeWarning,
                    stacklevel=2,
                )
                continue
            seen.add(id(y))
            given.append((y, None))
    elif isinstance(grad_outputs, (tuple, list)) and len(grad_outputs) == len(outputs):
        given = [(y, gy) for y, gy in zip(outputs, grad_outputs, strict=True) if gy is not None]
    else:
        renga_core.graph.backward(outputs, grad_outputs)  # raises the error
    renga_core.graph.backward(
        [y for y, _ in given],
        None if grad_outputs is None else [gy for _, gy in given],
        enable_double_backprop=enable_double_backprop,
    )
