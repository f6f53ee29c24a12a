"""Fuses activations and additions into the previous convolution or linear layer."""

from __future__ import annotations

from dataclasses import replace

from renga_inference.folding import readers
from renga_inference.lowering import FUSED_INTO, is_operator
from renga_inference.program import Program, Step

__all__ = ["fused"]


def fused(program: Program) -> Program:
    """Fuse steps into fewer ones. Numbers of arrays stay the same, except arrays that are no longer computed."""
    read = readers(program)
    steps: list[Step] = []
    position: dict[int, int] = {}
    for step in program.steps:
        at = _place(step, steps, position, read, program)
        if at is None:
            at = len(steps)
            steps.append(step)
        else:
            source = steps[at]
            others = [number for number in step.inputs if number != source.outputs[0]]
            then = (*source.then, (step.function, others[0] if others else None))
            steps[at] = replace(source, then=then, outputs=step.outputs)
        for number in step.outputs:
            position[number] = at
    return replace(program, steps=tuple(steps))


def _place(
    step: Step, steps: list[Step], position: dict[int, int], read: dict[int, int], program: Program
) -> int | None:
    """Return the position of the step that can absorb this one; None if there is none."""
    if not is_operator(step.function) or len(set(step.inputs)) != len(step.inputs):
        return None
    for number in sorted(step.inputs, key=lambda n: position.get(n, -1), reverse=True):
        at = position.get(number)
        if at is None or read[number] != 1 or type(steps[at].function) not in FUSED_INTO:
            continue
        specs = [program.specs[each] for each in (*step.inputs, *step.outputs)]
        # The second operand must exist before the layer is computed.
        early = all(position.get(other, -1) < at for other in step.inputs if other != number)
        if early and all(spec == specs[0] for spec in specs):
            return at
    return None
