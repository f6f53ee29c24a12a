"""Steps without an engine: the functions themselves compute them, with the available kernels."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

import numpy as np

from renga_core.errors import RengaError
from renga_inference.program import Host, Step, with_arrays

__all__ = ["Block", "by_kernels"]

Block = Callable[[dict[int, Host]], None]
"""Computes, given all arrays by number, and adds its results."""


def by_kernels(
    step: Step, shapes: Sequence[tuple[int, ...]], places: Sequence[Host | None], memory: Host, last: Sequence[int]
) -> Block:
    """Implementation of a step.

    Args:
        step: The step, for one size of the batch.
        shapes: Shapes of its results.
        places: Place of each result in memory; None: no place.
        memory: Memory with the places of all arrays.
        last: Arrays that are not needed after this step.
    """

    def run(values: dict[int, Host]) -> None:
        function = with_arrays(step.function, values) if step.held else copy.copy(step.function)
        results = function.forward(tuple([values[number] for number in step.inputs]))
        for function, other in step.then:
            results = copy.copy(function).forward((results[0], *(() if other is None else (values[other],))))
        for number, result, shape, place in zip(step.outputs, results, shapes, places, strict=True):
            if result.shape != shape:
                raise RengaError(
                    f"{step.name} returns an array of shape {result.shape}, not {shape} as expected for this size of "
                    "the batch.\nNext: freeze the model anew with an example of this size."
                )
            if place is None:
                # Its memory is reused as soon as no later step reads the array.
                values[number] = result.copy() if np.may_share_memory(result, memory) else result
            else:
                np.copyto(place, result)
        for number in last:
            del values[number]

    return run
