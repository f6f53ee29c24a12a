"""A program for one batch size: memory of arrays, and the implementation of each step."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from renga_backend_numpy.lifetimes import Needed, packed
from renga_core.graph.operators.shape import BroadcastTo, GetItem, Reshape, Transpose
from renga_inference.engine import Call, Constant, Engine, Operator, Prepared
from renga_inference.kernel_steps import Block, by_kernels
from renga_inference.lowering import operation_of, operator_of, weights_of
from renga_inference.memory import laid, unused, unused_images, unused_like
from renga_inference.program import Host, Program, Step
from renga_nn.functions.connection.convolution import Convolution
from renga_nn.functions.pooling.max_pooling import MaxPooling
from renga_nn.functions.pooling.window_sum import WindowSum

__all__ = ["Plan"]

_VIEWS = (BroadcastTo, GetItem, Reshape, Transpose)
_OF_IMAGES = (Convolution, MaxPooling, WindowSum)


class Plan:
    """Computes a program for one batch size. For one thread at a time.

    An array has a place in the plan's memory if the engine writes or reads it. Others are allocated in each call.

    Args:
        program: The program.
        batch: The size of the batch.
        engine: Prepares steps.

    Attributes:
        bytes: Size of the plan's memory.
    """

    def __init__(self, program: Program, batch: int, engine: Engine) -> None:
        self._steps = [step.at(batch) for step in program.steps]
        self._program = program
        self._shapes = {number: spec.at(batch) for number, spec in program.specs.items()}
        weights = weights_of(program)
        self._constants = {number: self._constant(number, number in weights) for number in program.constants}
        # Arrays for shapes and strides.
        self._looks: dict[int, Host] = dict(self._constants)
        self._images = {step.inputs[0] for step in self._steps if isinstance(step.function, _OF_IMAGES)}
        for number in program.inputs:
            make = unused_images if number in self._images else unused
            self._looks[number] = make(self._shapes[number], program.specs[number].dtype)
        self._roots: dict[int, int] = {}
        self._over: dict[int, int] = {}
        self._last = dict(self._uses())
        self._engine = engine
        self._binders = [made and made.bind for made in self._prepared(engine, weights)]
        self._settle()

    def twin(self) -> Plan:
        """Return a copy with its own memory, for another thread."""
        other = copy.copy(self)
        other._settle()
        return other

    def _settle(self) -> None:
        """Allocate memory, and bind steps to it."""
        self._values, self.bytes = self._placed(self._binders)
        places = {number: self._values[number] for number in self._program.inputs if number in self._values}
        self._copiers = {
            number: copier for number, place in places.items() if (copier := self._engine.copier(place)) is not None
        }
        self._blocks = list(self._bound(len(self._steps)))

    def __call__(self, arguments: Sequence[Host], see: Callable[[Step, list[Host]], None] | None = None) -> list[Host]:
        """Compute the program.

        Args:
            arguments: The arguments, of the right shapes and dtypes.
            see: Called after each step, with its results.

        Returns:
            The arrays that the program returns; they belong to the caller.
        """
        values = self._values.copy()
        for number, argument in zip(self._program.inputs, arguments, strict=True):
            copier = self._copiers.get(number)
            if number not in values:
                values[number] = argument
            elif copier and argument.flags.c_contiguous and argument.flags.aligned:
                copier(argument)
            else:
                values[number][...] = argument
        for run, step in self._blocks if see is None else self._bound(1):
            run(values)
            if see is not None:
                see(step, [values[number] for number in step.outputs])
        return [np.array(values[number], order="K") for number in self._program.outputs]

    def describe(self) -> list[str]:
        """Describe each step in a line: its implementation, the step, the shapes of its results."""
        lines = []
        for place, step in enumerate(self._steps):
            shapes = ", ".join(str(self._shapes[number]) for number in step.outputs)
            lines.append(f"{self._who(place):8}{step.name} -> {shapes}")
        return lines

    # --- preparing ----------------------------------------------------------------------------------------------------

    def _constant(self, number: int, is_weights: bool) -> Host:
        if is_weights:
            return self._program.constants.shown(number)
        array = self._program.constants.own(number)
        return array if array.shape == self._shapes[number] else np.full(self._shapes[number], array)

    def _prepared(self, engine: Engine, weights: set[int]) -> list[Prepared | None]:
        """The prepared calls of the engine. The engine has the only copy of weights that no other step reads."""
        found: list[Prepared | None] = []
        for step in self._steps:
            self._look_at(step)
            if step.outputs[0] in self._roots:
                found.append(None)
                continue
            made, over = None, self._replaced(step, len(found))
            if over is not None:
                made = self._prepare(engine, step, over)
            if made is None:
                made, over = self._prepare(engine, step), None
            if over is not None:
                self._over[step.outputs[0]] = over
                self._looks[step.outputs[0]] = self._looks[over]
            found.append(made)
            if made and made.weights and step.inputs[1] in weights:
                self._program.constants.give(step.inputs[1], made.weights)
        for step, made in zip(self._steps, found, strict=True):
            if not (made and made.weights):
                for number in weights.intersection(step.inputs):
                    self._constants[number] = self._looks[number] = self._program.constants.own(number)
        return found

    def _prepare(self, engine: Engine, step: Step, over: int | None = None) -> Prepared | None:
        call = self._call(step, over)
        return engine.prepare(call) if call else None

    def _replaced(self, step: Step, place: int) -> int | None:
        """Return the added array if no later step reads it, so that the result can reuse its memory; else None."""
        if not step.then or operator_of(step.then[0][0]) != ("add", ()):
            return None
        number, result = step.then[0][1], step.outputs[0]
        assert number is not None, "addition has two operands"
        root = self._root(number)
        same = [other for other in self._looks if self._root(other) == root]
        read_once = [self._root(each) for each in step.reads].count(root) == 1
        free = read_once and root not in self._constants and number not in self._roots
        if not free or any(self._last[other] > place for other in same):
            return None
        return number if self._looks[number].strides == self._looks[result].strides else None

    def _root(self, number: int) -> int:
        """Return the array in whose memory an array is stored."""
        while number in self._roots or number in self._over:
            number = self._roots.get(number, self._over.get(number, number))
        return number

    def _look_at(self, step: Step) -> None:
        """Determine the memory layout of a step's results."""
        if isinstance(step.function, _VIEWS) and not (step.then or step.held or _picks(step.function)):
            (source,), (number,) = step.inputs, step.outputs
            (look,) = copy.copy(step.function).forward((self._looks[source],))
            if look.size and np.shares_memory(look, self._looks[source]):
                self._looks[number] = look
                self._roots[number] = self._roots.get(source, source)
                return
        for number in step.outputs:
            shape, dtype = self._shapes[number], self._program.specs[number].dtype
            like = [x for x in map(self._looks.__getitem__, step.reads) if x.shape == shape and x.dtype == dtype]
            if isinstance(step.function, _OF_IMAGES) or number in self._images:
                self._looks[number] = unused_images(shape, dtype)
            else:
                self._looks[number] = unused_like(like[0]) if like else unused(shape, dtype)

    def _call(self, step: Step, over: int | None) -> Call | None:
        known, arrays = operation_of(step.function), [self._looks[number] for number in step.inputs]
        if known is None:
            known = operator_of(step.function)
        then = []
        for function, other in step.then:
            operator = operator_of(function)
            assert operator is not None, "only elementwise functions are fused"
            if other is not None and other == over:
                then.append(Operator("accumulate", (), None))
            else:
                then.append(Operator(*operator, None if other is None else self._looks[other]))
        if known is None or len(step.outputs) != 1 or step.held:
            return None
        constants = tuple([self._constant_of(number) for number in step.inputs])
        return Call(known[0], tuple(arrays), constants, known[1], tuple(then), self._looks[step.outputs[0]])

    def _constant_of(self, number: int) -> Constant | None:
        if number not in self._constants:
            return None
        return Constant(number, partial(self._program.constants.__getitem__, number))

    # --- memory -------------------------------------------------------------------------------------------------------

    def _placed(self, binders: Sequence[object]) -> tuple[dict[int, Host], int]:
        """Return all arrays with a place, including constants, and the number of bytes without constants."""
        constants = self._constants
        roots: dict[int, None] = {}
        for step, binder in zip(self._steps, binders, strict=True):
            if binder is not None:
                roots.update((self._root(number), None) for number in (*step.reads, *step.outputs))
        needed = [number for number in roots if number not in constants]
        times = {number: [len(self._steps), -1] for number in needed}
        for number, at in self._uses():
            root = self._root(number)
            if root in times:
                first, last = times[root]
                times[root] = [min(first, at), max(last, at)]
        pieces = [Needed(self._looks[number].nbytes, *times[number]) for number in needed]
        begins, size = packed(pieces)
        self._memory = memory = np.empty(size + 64 if size else 0, np.uint8)
        start = -memory.ctypes.data % 64
        found: dict[int, Host] = dict(constants)
        for number, begin in zip(needed, begins, strict=True):
            found[number] = laid(memory, start + begin, self._looks[number])
        for number in (*self._roots, *self._over):
            root = self._root(number)
            if root in found:
                shift = self._looks[number].ctypes.data - self._looks[root].ctypes.data
                if root in constants:
                    found[number] = self._looks[number]
                else:
                    begin = start + begins[needed.index(root)]
                    found[number] = laid(memory, begin + shift, self._looks[number])
        return found, size

    def _uses(self) -> Iterator[tuple[int, int]]:
        """Yield each array with the steps that write or read it."""
        yield from [(number, -1) for number in self._program.inputs]
        for place, step in enumerate(self._steps):
            yield from [(number, place) for number in (*step.reads, *step.outputs)]
        yield from [(number, len(self._steps)) for number in self._program.outputs]

    # --- running ------------------------------------------------------------------------------------------------------

    def _bound(self, most: int) -> Iterator[tuple[Block, Step]]:
        """Yield implementations of one or several steps, each with its last step; the engine's join up to `most`."""
        together: list[Any] = []
        last = None
        for place, (step, binder) in enumerate(zip(self._steps, self._binders, strict=True)):
            who = self._who(place)
            if last and (who == "kernels" or len(together) == most):
                yield self._by_engine(together), last
                together, last = [], None
            if binder is not None:
                over = self._over.get(step.outputs[0])
                numbers = [*[number for number in step.reads if number != over], *step.outputs]
                together.append(binder([self._values[number] for number in numbers]))
                last = step
            elif who == "kernels":
                yield self._by_kernels(place, step), step
        if last:
            yield self._by_engine(together), last

    def _who(self, place: int) -> str:
        """Return the implementation of a step: ``engine`` or ``kernels``; ``view`` if it computes nothing."""
        number = self._steps[place].outputs[0]
        if number in self._roots and number in self._values:
            return "view"
        return "kernels" if self._binders[place] is None else "engine"

    def _by_engine(self, together: Sequence[Any]) -> Block:
        compute = self._engine.sequence(together)
        return lambda values: compute()

    def _by_kernels(self, place: int, step: Step) -> Block:
        last = [number for number in {*step.reads} if self._ends(number, place)]
        places = [self._values.get(number) for number in step.outputs]
        return by_kernels(step, [self._shapes[number] for number in step.outputs], places, self._memory, last)

    def _ends(self, number: int, place: int) -> bool:
        """Whether an array without a place is not needed after this step."""
        if number in self._values or number in self._program.outputs:
            return False
        return not any(number in step.reads for step in self._steps[place + 1 :])


def _picks(function: Any) -> bool:
    """Whether it selects elements by integer arrays or lists."""
    slices = getattr(function, "slices", ())
    parts = slices if isinstance(slices, tuple) else (slices,)
    return any(isinstance(part, (np.ndarray, list)) for part in parts)
