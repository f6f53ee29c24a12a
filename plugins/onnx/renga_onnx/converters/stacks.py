"""Lists with one array per element of a named axis: exported as one array, stacked along its first axis.

Sequences of a batch are such lists. `separate` creates them from an array; `renga.links.NStepLSTM` and
`transpose_sequence` reorder them by time; `stack` and `concat` make one array of them again.
"""

from __future__ import annotations

import numpy as np

from renga_core.backend import Array
from renga_core.errors import RengaError
from renga_nn.functions.array.concat import Concat
from renga_nn.functions.array.stack import Separate, Stack
from renga_nn.functions.array.transpose_sequence import Regroup
from renga_onnx.exporting.call import Call
from renga_onnx.exporting.recording import Applied

__all__ = ["is_stack", "regroup", "write"]


def is_stack(call: Call) -> bool:
    """Whether the number of a function's inputs or outputs is the size of a named axis."""
    return any(map(_vary, (call.run.inputs, call.run.outputs), (call.twin.inputs, call.twin.outputs)))


def _vary(first: tuple[Array, ...], second: tuple[Array, ...]) -> bool:
    return len(first) != len(second)


def write(call: Call) -> None:
    """Write a function whose inputs or outputs are a stack.

    Raises:
        RengaError: It uses only some arrays of a stack, or its class is not supported here.
    """
    run, twin, context = call.run, call.twin, call.context
    converter = _CONVERTERS.get(type(run.function))
    arrays = tuple(map(id, run.inputs))
    if converter is None or (_vary(run.inputs, twin.inputs) and arrays not in context.stacks):
        raise RengaError(
            f"{run.function.label} ({run.where}) has {len(run.inputs)} inputs and {len(run.outputs)} outputs in one "
            f"run, {len(twin.inputs)} and {len(twin.outputs)} in another, for other sizes of the named axes.\n"
            "Next: give input_shapes that name fewer axes; or none, and export it once for each size."
        )
    if _vary(run.inputs, twin.inputs):
        call.inputs.append(context.stacks[arrays])
    else:
        call.inputs.extend(call.array(a, b) for a, b in zip(run.inputs, twin.inputs, strict=True))
    if _vary(run.outputs, twin.outputs):
        call.outputs.append(context.fresh("stack"))
        context.add_stack(run.outputs, twin.outputs, call.outputs[0])
    else:
        for y in run.outputs:
            call.outputs.append(context.fresh(f"{type(run.function).__name__}_out"))
            context.set_name(y, call.outputs[-1])
    converter(call)


def _separate(call: Call) -> None:
    _moved(call, call.inputs[0], call.function.axis, 0, call.x.ndim, call.outputs)


def _stack(call: Call) -> None:
    _moved(call, call.inputs[0], 0, call.function.axis, call.x.ndim + 1, call.outputs)


def _concat(call: Call) -> None:
    beside = _moved(call, call.inputs[0], 0, call.function.axis, call.x.ndim + 1)
    call.reshape(beside, call.y.shape, call.twin.outputs[0].shape, call.outputs)


def _moved(call: Call, x: str, axis: int, to: int, ndim: int, outputs: list[str] | None = None) -> str:
    """Write a transposition that moves an axis of an array with `ndim` axes."""
    order = [i for i in range(ndim) if i != axis]
    order.insert(to, axis)
    return call.op("Transpose", [x], outputs, perm=order)


def regroup(call: Call) -> None:
    """Write a permutation of rows. If it differs between both runs, it must reorder sequences of one length by time.

    Raises:
        RengaError: It is another permutation.
    """
    order, lengths = call.function.order, call.function.lengths
    if not is_stack(call) and np.array_equal(order, call.other.order):
        joined = call.op("Concat", call.inputs, axis=0)
        ordered = call.op("Gather", [joined, call.integers(order)], axis=0)
        if len(lengths) == 1:
            call.op("Identity", [ordered], call.outputs)
        else:
            call.op("Split", [ordered, call.integers(lengths)], call.outputs, axis=0)
        return
    stacked = _vary(call.run.inputs, call.twin.inputs), _vary(call.run.outputs, call.twin.outputs)
    (a, b), (c, d) = (_sequences(call, each, *stacked) for each in (call.run, call.twin))
    features = call.x.shape[1:]
    x = call.inputs[0]
    if len(call.inputs) > 1:
        x = call.op("Concat", [call.unsqueeze(each, [0]) for each in call.inputs], axis=0)
    elif not stacked[0]:
        x = call.reshape(x, (a, b, *features), (c, d, *features))
    turned = _moved(call, x, 1, 0, call.x.ndim + 1, call.outputs if stacked[1] else None)
    if len(call.outputs) > 1:
        for i, output in enumerate(call.outputs):
            call.op("Gather", [turned, call.constant(i, np.int64)], [output], axis=0)
    elif not stacked[1]:
        call.reshape(turned, (a * b, *features), (c * d, *features), call.outputs)


def _sequences(call: Call, run: Applied, stack_in: bool, stack_out: bool) -> tuple[int, int]:
    """Return number and length of sequences whose rows come in one after the other.

    Raises:
        RengaError: The output rows are not ordered by time.
    """
    order, lengths, xs = run.function.order, run.function.lengths, run.inputs  # type: ignore[attr-defined]  # a Regroup
    parts = len(xs) if stack_in or len(xs) > 1 else len(order) // len(lengths)
    length = len(order) // max(parts, 1)
    in_time = np.arange(parts * length).reshape(parts, length).T.ravel()
    one_length = len({x.shape[0] for x in xs}) == len(set(lengths)) == 1
    whole = len(lengths) == (length if stack_out or len(lengths) > 1 else 1)
    if not one_length or not whole or not np.array_equal(order, in_time):
        raise RengaError(
            f"{run.function.label} ({run.where}) orders rows in a way that depends on a named axis, other than sorting "
            "sequences of one length by time.\nNext: give input_shapes that name fewer axes."
        )
    return parts, length


_CONVERTERS = {Concat: _concat, Regroup: regroup, Separate: _separate, Stack: _stack}
