"""Folds batch normalization into the previous convolution or linear layer, and removes steps without effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from renga_core.graph.operators.shape import Cast
from renga_inference.constants import Constants
from renga_inference.memory import unused
from renga_inference.program import Host, Program, Spec, Step
from renga_nn.functions.array.copy import Identity
from renga_nn.functions.composed import Begin
from renga_nn.functions.connection.convolution import Convolution
from renga_nn.functions.connection.linear import Linear
from renga_nn.functions.normalization.batch_normalization import FixedBatchNormalization

__all__ = ["folded", "pruned", "readers"]


def folded(program: Program) -> Program:
    """Fold into fewer steps. Numbers of arrays stay the same."""
    program = _without_identities(program)
    read = readers(program)
    constants, specs = program.constants.copy(), dict(program.specs)
    steps: list[Step] = []
    made = {number: place for place, step in enumerate(program.steps) for number in step.outputs}
    position: dict[int, int] = {}
    for step in program.steps:
        source = program.steps[made[step.inputs[0]]] if step.inputs and step.inputs[0] in made else None
        if source is not None and read[step.inputs[0]] == 1 and _fits(step, source, program):
            numbers = [max(specs) + 1, max(specs) + 2]
            make_weights, make_biases = _weights(step, source, constants)
            shapes = constants.shown(source.inputs[1]).shape, constants.shown(step.inputs[1]).shape
            for number, shape, make in zip(numbers, shapes, (make_weights, make_biases), strict=True):
                constants.add(number, shape, make)
                specs[number] = Spec(shape, np.dtype(np.float32))
            at = position[source.outputs[0]]
            steps[at] = replace(source, inputs=(source.inputs[0], *numbers), outputs=step.outputs)
            position[step.outputs[0]] = at
            continue
        for number in step.outputs:
            position[number] = len(steps)
        steps.append(step)
    return pruned(replace(program, steps=tuple(steps), constants=constants, specs=specs))


def pruned(program: Program) -> Program:
    """Remove steps and constants that no result depends on."""
    wanted, steps = set(program.outputs), []
    for step in reversed(program.steps):
        if wanted.intersection(step.outputs):
            steps.append(step)
            wanted.update(step.reads)
    constants = program.constants.only(wanted)
    kept = wanted.union(program.inputs, *[step.outputs for step in steps])
    specs = {number: spec for number, spec in program.specs.items() if number in kept}
    return replace(program, steps=tuple(reversed(steps)), constants=constants, specs=specs)


def readers(program: Program) -> Counter[int]:
    """Number of reads of each array; results of the model count as read."""
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
    """Whether `step` normalizes the channels of the output of a layer with constant weights."""
    if type(step.function) is not FixedBatchNormalization or type(source.function) not in (Convolution, Linear):
        return False
    axes: Any = step.function.axes
    ndim = len(program.specs[step.inputs[0]].shape)
    return tuple(axes) == (0, *range(2, ndim)) and all(
        number in program.constants and program.specs[number].dtype == np.float32
        for number in (*step.inputs[1:], *source.inputs[1:])
    )


def _weights(step: Step, source: Step, constants: Constants) -> tuple[Callable[[], Host], Callable[[], Host]]:
    """Return the weights and biases of ``gamma (W x + b - mean) / sqrt(var + eps) + beta``, in float64."""
    function: Any = step.function
    weights, *biases = source.inputs[1:]

    def parts() -> tuple[Host, Host, Host]:
        gamma, beta, mean, var = [constants[number].astype(np.float64) for number in step.inputs[1:]]
        return gamma / np.sqrt(var + function.eps), beta, mean

    def make_weights() -> Host:
        W = constants[weights]
        scale = parts()[0].reshape(-1, *[1] * (W.ndim - 1))
        # In float64, but without a second array of this dtype.
        return np.multiply(W, scale, out=unused(W.shape, np.float32), casting="same_kind")

    def make_biases() -> Host:
        scale, beta, mean = parts()
        b = constants[biases[0]].astype(np.float64) if biases else 0.0
        return np.asarray(beta + (b - mean) * scale, np.float32)

    return make_weights, make_biases
