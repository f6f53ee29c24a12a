"""One applied function, for its converter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from renga_core.backend import Array, to_host
from renga_core.errors import RengaError
from renga_onnx.exporting.sizes import Axis, data_axes, size_of
from renga_onnx.exporting.writer import Host, Writer

__all__ = ["Call"]


@dataclass(frozen=True)
class Call(Writer):
    """A function to write in ONNX: the argument of converters and of ``to_onnx``.

    It has the attributes of `Writer`.
    """

    @property
    def value_axes(self) -> list[Axis]:
        """Axes of the outputs whose sizes depend on values."""
        return [
            Axis(
                self.fresh(name),
                self.outputs[output],
                axis,
                *[each.outputs[output].shape[axis] for each in (self.run, self.twin)],
            )
            for name, ((output, axis), *_) in data_axes(self.function).items()
        ]

    def number(self, value: float, twin: float, dtype: Any) -> str:
        """Return the name of a number that may depend on named axes: a size, half of a size, or 1 / size.

        Raises:
            RengaError: It depends on them in another way.
        """
        if value == twin:
            return self.constant(value, dtype)
        if value == int(value) and twin == int(twin):
            return self.cast(self.squeeze(self.shape([int(value)], [int(twin)]), [0]), dtype)
        if all(each * 2 == int(each * 2) for each in (value, twin)):  # half of a size
            return self.op("Mul", [self.number(value * 2, twin * 2, dtype), self.constant(0.5, dtype)])
        whole = [round(1 / each, 6) if each else 0.5 for each in (value, twin)]
        if any(each != int(each) for each in whole):
            raise RengaError(
                f"{self.function.label} ({self.run.where}) computes with the number {value:g}, which is {twin:g} for "
                "other sizes; it is neither a size nor 1 / size.\n"
                "Next: compute it by functions from sizes or inputs, or give input_shapes that name fewer axes."
            )
        return self.op("Reciprocal", [self.number(whole[0], whole[1], dtype)])

    def numbers(self, count: int, twin: int) -> str:
        """Return the name of 0, 1, 2 …, with the given lengths in this run and in the other."""
        if count == twin:
            return self.integers(np.arange(count))
        size = self.squeeze(self.shape([count], [twin]), [0])
        return self.op("Range", [self.constant(0, np.int64), size, self.constant(1, np.int64)])

    def reshape(
        self,
        x: str,
        shape: Sequence[int],
        twin: Sequence[int] | None = None,
        outputs: Sequence[str] | None = None,
        of: tuple[Sequence[int], Sequence[int]] = ((), ()),
    ) -> str:
        """Write a reshape.

        Args:
            x: Name of the array.
            shape, twin: New shape in this run and in the other.
            outputs: Names; None for an output that is not used elsewhere.
            of: Old shape in both runs, if known: unchanged sizes then need not follow from named axes.

        Returns:
            The name of the output.
        """
        pairs = list(zip(shape, shape if twin is None else twin, strict=True))
        varying = [i for i, (a, b) in enumerate(pairs) if a != b]
        kept = [i for i in varying if i < len(of[0]) and pairs[i] == (of[0][i], of[1][i])]
        open_sizes = [i for i in varying if i not in kept]
        if len(open_sizes) <= 1 and not any(0 in pair for pair in pairs):
            # In ONNX, 0 keeps the size of the axis, and -1 takes the rest.
            sizes = [0 if i in kept else -1 if i in open_sizes else size for i, (size, _) in enumerate(pairs)]
            return self.op("Reshape", [x, self.integers(sizes)], outputs)
        # A size may also be 0; 0 must not mean that the old size is kept.
        allow = 1 if self.opset >= 14 and varying else None
        return self.op("Reshape", [x, self.shape(shape, twin)], outputs, allowzero=allow)

    def shape(self, shape: Sequence[int], twin: Sequence[int] | None = None) -> str:
        """Return the name of integers (sizes or indices), given their values in this run and in the other.

        Raises:
            RengaError: A value depends on a named axis in a way that cannot be exported.
        """
        twin = shape if twin is None else twin
        if list(shape) == list(twin):
            return self.integers(shape)
        return self._once("Concat", [self._size(a, b) for a, b in zip(shape, twin, strict=True)], axis=0)

    def _once(self, op_type: str, inputs: list[str], **attributes: Any) -> str:
        """Write a node that computes with sizes, or reuse an equal one: many functions need the same size."""
        key = op_type, *inputs, *attributes.items()
        if key not in self.context.sizes:
            self.context.sizes[key] = self.op(op_type, inputs, **attributes)
        return self.context.sizes[key]

    def _size(self, first: int, second: int) -> str:
        size = size_of(first, second, (*self.axes, *self.context.value_axes))
        if size is None or size.factor != 1 or size.offset or len(size.axes) != 1:
            # Take sizes from arrays if possible, because they include the rounding: half of 5 pixels may be 2 or 3.
            measured = self._measured(first, second, 0 if size else 1)
            if measured:
                return measured
        if size is None:
            names = ", ".join(repr(axis.name) for axis in (*self.axes, *self.context.value_axes))
            raise RengaError(
                f"{self.function.label} ({self.run.where}) has a size that is {first} in one run and {second} in "
                f"another. Renga found no formula for it from the axes ({names}).\n"
                "Next: give input_shapes that name fewer axes."
            )
        if not size.axes:
            return self.integers([size.offset])
        parts = [self._axis(axis) for axis in size.axes]
        name = parts[0]
        for part in parts[1:]:
            name = self._once("Mul", [name, part])
        if size.factor.numerator != 1:
            name = self._once("Mul", [name, self.integers([size.factor.numerator])])
        if size.factor.denominator != 1:
            name = self._once("Div", [name, self.integers([size.factor.denominator])])
        return name if size.offset == 0 else self._once("Add", [name, self.integers([size.offset])])

    def _axis(self, axis: Axis) -> str:
        return self._size_of(axis.value, axis.position)

    def _size_of(self, x: str, axis: int) -> str:
        return self._once("Gather", [self._once("Shape", [x]), self.integers([axis])], axis=0)

    def _measured(self, first: int, second: int, most: int) -> str | None:
        """Return the name of a size of an earlier array, or of a size that differs from it by a constant.

        Args:
            first, second: The size in this run and in the other.
            most: Largest difference. The smallest difference is used; for equal ones, an input, or else the latest
                array.
        """
        if first == second:
            return None
        found: tuple[str, int, int] | None = None
        for name, here, there in self._arrays_before():
            for axis, pair in enumerate(zip(here, there, strict=True)):
                if first - pair[0] == second - pair[1] and abs(first - pair[0]) <= most:
                    found, most = (name, axis, first - pair[0]), abs(first - pair[0]) - 1
        if found is None:
            return None
        size = self._size_of(*found[:2])
        return size if found[2] == 0 else self._once("Add", [size, self.integers([found[2]])])

    def _arrays_before(self) -> Iterator[tuple[str, Sequence[int], Sequence[int]]]:
        """Yield names and shapes, in both runs, of the computed arrays: inputs first, then from the latest
        backwards."""
        sides = [(self.inputs, self.run.inputs, self.twin.inputs)]
        calls = [call for call in reversed(self.context.calls.values()) if call.function is not self.function]
        sides += [(call.outputs, call.run.outputs, call.twin.outputs) for call in calls]
        for names, xs, ys in sides:
            if len(xs) == len(ys):  # otherwise it is a stack
                for name, x, y in zip(names, xs, ys, strict=False):
                    yield name, x.shape, y.shape

    def array(self, value: Array, twin: Array | None = None) -> str:
        """Return the name of an array that a function holds: computed, a parameter, or a constant.

        A constant whose shape depends on named axes must have equal elements, or be 0, 1, 2 ….

        Raises:
            RengaError: It is another constant.
        """
        twin = value if twin is None else twin
        element = self.context.element(value, twin)
        if element:
            return element
        if not self.context.is_known(value) and self._depends_on_values(value):
            self.context.frozen.setdefault(f"{type(self.function).__name__} ({self.run.where})")
        if self.context.is_known(value) or twin is value:
            return self.context.get_name(value)
        first, second = to_host(value), to_host(twin)
        if first.shape == second.shape:
            return self._number_of_sizes(value, first, second)
        steps = [_step(each) for each in (first, second)]
        if None not in steps:
            numbers = self.cast(self.numbers(first.size, second.size), first.dtype)
            if steps != [1, 1]:
                numbers = self.op("Mul", [numbers, self.number(steps[0] or 0, steps[1] or 0, first.dtype)])
            return numbers if first.ndim == 1 else self.reshape(numbers, first.shape, second.shape)
        if not first.size or not second.size or (first != first.flat[0]).any() or (second != first.flat[0]).any():
            raise RengaError(
                f"{self.function.label} ({self.run.where}) computes with an array {tuple(value.shape)} that was made "
                f"outside of functions, for the current sizes; for other sizes of the named axes it is "
                f"{tuple(twin.shape)}.\nNext: compute it with functions, or give input_shapes that name fewer axes."
            )
        element = self.constant(first.flat[0], value.dtype)
        return self.op("Expand", [element, self.shape(value.shape, twin.shape)])

    def _number_of_sizes(self, value: Array, first: Host, second: Host) -> str:
        """Return the name of a constant with the same shape in both runs; it may be a size, or depend on one."""
        if np.array_equal(first, second, equal_nan=first.dtype.kind == "f"):
            return self.context.get_name(value)
        if first.size == 1 and first.dtype.kind in "fiu":
            number = self.number(first.item(), second.item(), first.dtype)
            return self.op("Reshape", [number, self.integers(first.shape)]) if first.ndim else number
        raise RengaError(
            f"{self.function.label} ({self.run.where}) computes with an array {first.shape} that was made outside of "
            "functions, and that differs for other sizes of the named axes.\n"
            "Next: compute it with functions, or give input_shapes that name fewer axes."
        )

    def has_other_numbers(self) -> bool:
        """Whether the function holds a number, such as a factor or an index, that depends on values."""
        if self.probe is None or not hasattr(self.function, "__dict__"):
            return False
        others = vars(self.probe.function)
        pairs = [(value, others.get(name, value)) for name, value in vars(self.function).items()]
        return any(repr(a) != repr(b) for a, b in pairs if _is_of_numbers(a) and _is_of_numbers(b))

    def _depends_on_values(self, value: Array) -> bool:
        """Whether an array that was created outside of functions depends on the values of the inputs."""
        if self.probe is None:
            return False
        pairs: list[tuple[Any, Any]] = list(zip(self.run.inputs, self.probe.inputs, strict=True))
        others = vars(self.probe.function)
        for name, held in vars(self.function).items():
            pairs += zip(held, others[name], strict=False) if isinstance(held, tuple) else [(held, others[name])]
        other = next((b for a, b in pairs if a is value), value)
        return other is not value and not np.array_equal(to_host(value), to_host(other))


def _step(values: Host) -> float | None:
    """Return the step of numbers that start at 0: 5 for 0, 5, 10; None for other numbers."""
    if values.size < 2 or values.dtype.kind not in "fiu":
        return None
    flat = values.reshape(-1)
    step: float = flat[1].item()
    return step if step and np.array_equal(flat, step * np.arange(flat.size)) else None


def _is_of_numbers(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(_is_of_numbers, value))
    if isinstance(value, slice):
        return all(map(_is_of_numbers, (value.start, value.stop, value.step)))
    return value is None or value is Ellipsis or isinstance(value, (int, float, np.number))
