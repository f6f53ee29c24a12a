"""Combines several runs of one model into one program, if they were equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from renga_core.graph import FunctionNode
from renga_inference.constants import Constants
from renga_inference.program import Host, Program, Spec, Step
from renga_inference.recording import Applied, Run
from renga_inference.sizes import Differs, agree, same

__all__ = ["compared"]


def compared(runs: Sequence[Run], arguments: int) -> Program:
    """Return the program that all runs followed.

    Arrays that depend on constants only, and were the same in all runs, become constants.

    Args:
        runs: At least two, with different values in the arguments, and different batch sizes if these may vary.
        arguments: Number of arguments of the model: the first arrays of each run.

    Raises:
        Differs: The runs were not equal; the message says where.
    """
    first, batches = runs[0], [run.batch for run in runs]
    inputs = range(arguments)
    computed = {number for each in first.applied for number in each.outputs}
    constants: dict[int, Host] = {}
    steps = []
    for place, each in enumerate(first.applied):
        others = [_nth(run, place, each) for run in runs]
        if {(one.inputs, one.outputs, type(one.function)) for one in others} != {
            (each.inputs, each.outputs, type(each.function))
        }:
            raise Differs(f"{_name(each)} in one run and {_name(_other(others, each))} in another")
        for number in each.inputs:
            if number not in computed and number not in inputs and number not in constants:
                constants[number] = _constant(runs, number, each)
        attributes = _attributes(others, batches)
        step = Step(_function(type(each.function), attributes), each.inputs, each.outputs, (), each.where)
        if all(number in constants for number in step.reads) and _all_same(runs, each.outputs):
            constants.update((number, first.arrays[number]) for number in each.outputs)
        else:
            steps.append(step)
    if any(len(run.applied) != len(first.applied) for run in runs):
        raise Differs("one run applies more functions than another")
    try:
        result = agree([run.result for run in runs], batches)
    except Differs:
        raise Differs("the results have another structure") from None
    specs = _specs(runs, batches)
    program = Program(tuple(inputs), Constants(constants, foreign=True), tuple(steps), specs, result, first.batch)
    missing = [number for number in program.outputs if number not in computed and number not in inputs]
    for number in missing:
        if not _all_same(runs, [number]):
            raise Differs("a result was computed outside of functions")
        constants[number] = first.arrays[number]
    return replace(program, constants=Constants(constants, foreign=True))


def _nth(run: Run, place: int, expected: Applied) -> Applied:
    if place >= len(run.applied):
        raise Differs(f"{_name(expected)} in one run, but no further step in another")
    return run.applied[place]


def _other(others: Sequence[Applied], each: Applied) -> Applied:
    differing = [one for one in others if type(one.function) is not type(each.function)]
    return differing[0] if differing else others[-1]


def _name(each: Applied) -> str:
    return f"{each.function.label} ({each.where})"


def _constant(runs: Sequence[Run], number: int, each: Applied) -> Host:
    """An array that is the same in all runs; or its one element, if all elements are the same in all runs."""
    found = [run.arrays[number] for run in runs]
    if _all_same(runs, [number]):
        return found[0]
    elements = {array.ravel()[0].tobytes() for array in found if array.size and (array == array.ravel()[0]).all()}
    if len(elements) != 1 or not all(array.size for array in found):
        raise Differs(f"{_name(each)} gets an array that was computed outside of functions")
    return np.array(found[0].ravel()[0])


def _all_same(runs: Sequence[Run], numbers: Sequence[int]) -> bool:
    return all(same(runs[0].arrays[n], run.arrays[n]) for n in numbers for run in runs[1:])


def _attributes(others: Sequence[Applied], batches: Sequence[int]) -> dict[str, Any]:
    try:
        found: dict[str, Any] = agree([one.attributes for one in others], batches)
    except Differs:
        raise Differs(f"{_name(others[0])} has other arguments in one run than in another") from None
    return found


def _function(kind: type[FunctionNode], attributes: dict[str, Any]) -> FunctionNode:
    function = kind.__new__(kind)
    vars(function).update(attributes)
    return function


def _specs(runs: Sequence[Run], batches: Sequence[int]) -> dict[int, Spec]:
    specs = {}
    for number, arrays in enumerate(zip(*[run.arrays for run in runs], strict=True)):
        try:
            shape = agree([array.shape for array in arrays], batches)
            specs[number] = Spec(shape, agree([array.dtype for array in arrays], batches))
        except Differs:
            shapes = " and ".join(str(array.shape) for array in arrays)
            raise Differs(f"an array has the shapes {shapes}") from None
    return specs
