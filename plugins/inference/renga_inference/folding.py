"""Batch normalization becomes part of the convolution or linear layer before it; what does nothing goes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from renga_core.graph.operators.shape import Cast
from renga_inference.program import Host, Program, Spec, Step
from renga_nn.functions.array.copy import Identity
from renga_nn.functions.composed import Begin
from renga_nn.functions.connection.convolution import Convolution
from renga_nn.functions.connection.linear import Linear
from renga_nn.functions.normalization.batch_normalization import FixedBatchNormalization

__all__ = ["folded", "pruned", "readers"]


def folded(program: Program) -> Program:
    """The same with fewer steps. Numbers of arrays stay."""
    program = _without_identities(program)
    read = readers(program)
    constants, specs = dict(program.constants), dict(program.specs)
    steps: list[Step] = []
    made = {number: place for place, step in enumerate(program.steps) for number in step.outputs}
    position: dict[int, int] = {}
    for step in program.steps:
        source = program.steps[made[step.inputs[0]]] if step.inputs and step.inputs[0] in made else None
        if source is not None and read[step.inputs[0]] == 1 and _fits(step, source, program):
            W, b = _weights(step, source, constants)
            numbers = [max(specs) + 1, max(specs) + 2]
            for number, array in zip(numbers, (W, b), strict=True):
                constants[number], specs[number] = array, Spec(array.shape, array.dtype)
            at = position[source.outputs[0]]
            steps[at] = replace(source, inputs=(source.inputs[0], *numbers), outputs=step.outputs)
            position[step.outputs[0]] = at
            continue
        for number in step.outputs:
            position[number] = len(steps)
        steps.append(step)
    return pruned(replace(program, steps=tuple(steps), constants=constants, specs=specs))


def pruned(program: Program) -> Program:
    """Without steps and constants that nothing depends on."""
    wanted, steps = set(program.outputs), []
    for step in reversed(program.steps):
        if wanted.intersection(step.outputs):
            steps.append(step)
            wanted.update(step.reads)
    constants = {number: array for number, array in program.constants.items() if number in wanted}
    kept = wanted.union(program.inputs, *[step.outputs for step in steps])
    specs = {number: spec for number, spec in program.specs.items() if number in kept}
    return replace(program, steps=tuple(reversed(steps)), constants=constants, specs=specs)


def readers(program: Program) -> Counter[int]:
    """How often each array is read; results of the model count as read."""
    return Counter([number for step in program.steps for number in step.reads] + list(program.outputs))


def _without_identities(program: Program) -> Program:
    names: dict[int, int] = {}
    held = {*program.outputs, *[number for step in program.steps for number in step.held]}
    steps = []
    for step in program.steps:
        step = replace(step, inputs=tuple([names.get(number, number) for number in step.inputs]))
        kept = held.isdisjoint(step.outputs)
        if kept and _does_nothing(step, program):
            names.update(zip(step.outputs, step.inputs, strict=True))
        else:
            steps.append(step)
    return replace(program, steps=tuple(steps))


def _does_nothing(step: Step, program: Program) -> bool:
    if type(step.function) is Cast:
        return program.specs[step.inputs[0]].dtype == program.specs[step.outputs[0]].dtype
    return type(step.function) in (Identity, Begin)


def _fits(step: Step, source: Step, program: Program) -> bool:
    """Whether `step` normalizes the channels of what a layer with constant weights makes."""
    if type(step.function) is not FixedBatchNormalization or type(source.function) not in (Convolution, Linear):
        return False
    axes: Any = step.function.axes
    ndim = len(program.specs[step.inputs[0]].shape)
    return tuple(axes) == (0, *range(2, ndim)) and all(
        number in program.constants and program.constants[number].dtype == np.float32
        for number in (*step.inputs[1:], *source.inputs[1:])
    )


def _weights(step: Step, source: Step, constants: dict[int, Host]) -> tuple[Host, Host]:
    """``gamma (W x + b - mean) / sqrt(var + eps) + beta`` as weights and biases; computed in float64."""
    gamma, beta, mean, var = [constants[number].astype(np.float64) for number in step.inputs[1:]]
    W, *b = [constants[number].astype(np.float64) for number in source.inputs[1:]]
    function: Any = step.function
    scale = gamma / np.sqrt(var + function.eps)
    shift = beta + ((b[0] if b else 0.0) - mean) * scale
    return (W * scale.reshape(-1, *[1] * (W.ndim - 1))).astype(np.float32), shift.astype(np.float32)
