"""`FunctionHookSuite`: the kit of function hooks. How to write one: docs/how-to/write-a-function-hook.md."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
import pytest

from renga_core.backend import Device, get_device, to_host
from renga_core.configuration import config
from renga_core.graph import FunctionHook, FunctionNode, Variable, get_function_hooks, no_backprop_mode
from renga_core.kinds import FUNCTION_HOOK
from renga_core.link import get_link_hooks
from renga_core.plugin.state import describe_error
from renga_testing.suites.comparing import compare
from renga_testing.suites.suite import ProviderSuite

__all__ = ["FunctionHookSuite"]


class FunctionHookSuite(ProviderSuite):
    """Tests of a function hook: it only observes, and changes nothing.

    Attributes:
        seconds: Time limit for the two threads of a test to reach the same point.
    """

    kind = FUNCTION_HOOK
    seconds: ClassVar[float] = 60.0

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Generate tests for devices, dtypes, and the place of an error."""
        return {
            **super().parameters(),
            "dtype": ("float16", "float32", "float64"),
            "where": ("forward", "backward"),
        }

    @pytest.fixture(autouse=True)
    def _look_at_link_hooks(self) -> None:
        self._of_links = set(get_link_hooks())

    def test_what_it_is(self) -> None:
        """It is a `FunctionHook` with a name."""
        hook = self.make()
        assert isinstance(hook, FunctionHook), f"{self.label} makes a {type(hook).__name__}, not a FunctionHook"
        named = isinstance(hook.name, str) and hook.name.strip()
        assert named, f"the name of {self.label} is {hook.name!r}; expected a text, under which it is registered"

    def test_with(self) -> None:
        """As a context manager it is registered under its name, returns itself, and is removed at the end."""
        hook = self.make()
        with self._watching("entering it"), hook as entered:
            assert entered is hook, f"`with {self.label} as hook` gives {entered!r} instead of the hook"
            found = get_function_hooks().get(hook.name)
            assert found is hook, f"within `with`, {found!r} has the name {hook.name!r}: call super().__enter__()"
        self._check_gone("after `with`")

    # --- what it must not change
    # ----------------------------------------------------------------------------------------

    def test_results(self, device: Device, dtype: str) -> None:
        """Outputs, gradients and second-order gradients are bitwise equal to those without the hook."""
        right = _results(device, dtype)
        with self._watching("in a `with` block"), self.make():
            found = _results(device, dtype)
        self._compare(found, right)

    def test_arrays_are_unchanged(self, device: Device) -> None:
        """Inputs, outputs and incoming gradients do not change."""
        x, gy = _array(device, "float32"), _array(device, "float32")
        held = [to_host(array).copy() for array in (x, gy)]
        with self._watching("in a `with` block"), self.make():
            variable = Variable(x)
            (y,) = _Square().apply((variable,))
            first = to_host(y.array).copy()
            y.grad = gy
            y.backward(retain_grad=True)
        names = ("an input", "the gradient of an output", "an output")
        for name, array, before in zip(names, (x, gy, y.array), (*held, first), strict=True):
            compare(to_host(array), before, f"{name}, after the hook observed it", exact=True)

    def test_any_arrays(self, device: Device) -> None:
        """It handles integer arrays, empty arrays, arrays without axes, and outputs without gradients."""
        for shape, dtype in (((3,), "int32"), ((0, 2), "float32"), ((), "float64"), ((2,), "bool")):
            with self._watching(f"observing arrays of {dtype} and shape {shape}"), self.make():
                x = Variable(device.send(np.ones(shape, dtype)))
                outputs = _Pair().apply((x,))
                if dtype.startswith("float"):  # only one of two outputs has a gradient
                    outputs[1].grad = outputs[1].array
                    outputs[1].backward()
                with no_backprop_mode():
                    _Pair().apply((x,))

    def test_memory(self) -> None:
        """The hook keeps no array or graph in memory: they are freed at once."""
        gc.collect()
        with self._watching("in a `with` block"), self.make():
            held = _once()
            kept = sorted({name for name, ref in held if ref() is not None})
        assert not kept, (
            f"{self.label} keeps {', '.join(kept)} in memory: store the values that you need, not the objects"
        )

    # --- how it is used ----------------------------------------------------------------------------------------------

    def test_error(self, where: str) -> None:
        """An error in a function reaches the caller, and the hook still works afterwards."""
        device, right = get_device("numpy"), _results(get_device("numpy"), "float32")
        with self.make():
            try:
                _apply_failing(where)
            except _Failed:
                pass
            except Exception as error:
                raise AssertionError(
                    f"a function's {where} fails, but with {self.label} the error is {describe_error(error)} instead"
                ) from error
            else:
                raise AssertionError(f"a function's {where} fails, but {self.label} hides the error")
            with self._watching(f"after an error in {where}"):
                found = _results(device, "float32")
        self._compare(found, right)
        self._check_gone("after `with`")

    def test_error_in_the_block(self) -> None:
        """An error in the `with` block leaves the block, and the hook is removed."""
        try:
            with self.make():
                raise _Failed
        except _Failed:
            self._check_gone("after an error in the `with` block")
        else:
            raise AssertionError(f"{self.label} hides an error that is raised in its `with` block")

    def test_again(self) -> None:
        """A hook can be used again."""
        hook = self.make()
        for _ in range(2):
            with self._watching("entered for the second time"), hook:
                found = _results(get_device("numpy"), "float32")
            self._check_gone("after `with`")
            self._compare(found, _results(get_device("numpy"), "float32"))

    def test_name_taken(self) -> None:
        """A second hook with the name of an active one raises KeyError; the first one stays active until its end."""
        first, second = self.make(), self.make()
        second.name = first.name
        with self._watching("in a `with` block"), first:
            try:
                with second:
                    pass
            except KeyError:
                pass
            else:
                raise AssertionError(f"two hooks of {self.label} are active under one name, and no KeyError is raised")
            assert get_function_hooks().get(first.name) is first, (
                "after the KeyError, the first hook is no longer active"
            )
            _results(get_device("numpy"), "float32")
        self._check_gone("after `with`")

    def test_with_others(self) -> None:
        """Another hook, outside or inside its `with` block, gets every call before and after a function."""
        for outside in (True, False):
            mine, other = self.make(), _Counting()
            outer, inner = (other, mine) if outside else (mine, other)
            with self._watching("with another hook"), outer, inner:
                _results(get_device("numpy"), "float32")
            begun, ended = other.begun, other.ended
            assert begun == ended and begun == _counted(), (  # noqa: PT018
                f"with {self.label}, another hook gets {begun} calls before and {ended} calls after a function, "
                f"instead of {_counted()}"
            )

    def test_of_one_function(self) -> None:
        """Added to one function by `add_hook`, it observes this function, until `delete_hook` removes it."""
        right = _of_one(None)
        hook = self.make()
        with self._watching("added to one function"):
            found = _of_one(hook)
        self._compare(found, right)
        self._check_gone("after it was added to one function")

    def test_threads(self) -> None:
        """Two hooks in two threads work at the same time."""
        barrier, raised = threading.Barrier(2, timeout=self.seconds), list[BaseException]()

        def work() -> None:
            try:
                with self.make():
                    for _ in range(3):
                        (y,) = _Meeting(barrier).apply((Variable(np.ones(2)),))
                        y.grad = np.ones(2)
                        y.backward()
            except BaseException as error:
                raised.append(error)
                barrier.abort()

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        told = [error for error in raised if not isinstance(error, threading.BrokenBarrierError)] or raised
        assert not told, f"two of {self.label} in two threads: one raises {describe_error(told[0])}"

    # --- helpers -----------------------------------------------------------------------------------------------------

    @contextmanager
    def _watching(self, when: str) -> Iterator[None]:
        """An error in this block is an error of the hook."""
        try:
            yield
        except AssertionError:
            raise
        except Exception as error:
            raise AssertionError(f"{self.label}, {when}, raises {describe_error(error)}") from error

    def _check_gone(self, when: str) -> None:
        of_links = [name for name in get_link_hooks() if name not in self._of_links]
        left = [*vars(config).get("function_hooks", ()), *of_links, *map(repr, vars(config).get("tracers", ()))]
        assert not left, f"{when}, still registered: {', '.join(left)}"

    def _compare(self, found: Sequence[Any], right: Sequence[Any]) -> None:
        names = ("the output", "the gradient", "the gradient's gradient")
        for name, (array, expected) in zip(names, zip(found, right, strict=True), strict=False):
            compare(array, expected, f"{name}, observed by {self.label}", exact=True)


class _Failed(Exception):
    """The error that functions of this kit raise."""


class _Square(FunctionNode):
    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        self.retain_inputs((0,))
        return (inputs[0] * inputs[0],)

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        (x,) = self.get_retained_inputs()
        return (2 * x * grad_outputs[0],)


class _Pair(FunctionNode):
    """Two outputs; nothing is retained."""

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        return (inputs[0].copy(), inputs[0].copy())

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        return (next(gy for gy in grad_outputs if gy is not None),)


class _Failing(FunctionNode):
    def __init__(self, where: str) -> None:
        self._where = where

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        if self._where == "forward":
            raise _Failed
        return (inputs[0].copy(),)

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        raise _Failed


class _Meeting(FunctionNode):
    """Two threads are in its forward, and in its backward, at the same time."""

    def __init__(self, barrier: threading.Barrier) -> None:
        self._barrier = barrier

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        self._barrier.wait()
        return (inputs[0].copy(),)

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        self._barrier.wait()
        return grad_outputs


class _Counting(FunctionHook):
    name = "counting"

    def __init__(self) -> None:
        self.begun = self.ended = 0

    def forward_preprocess(self, function: FunctionNode, in_data: Any) -> None:
        self.begun += 1

    def forward_postprocess(self, function: FunctionNode, in_data: Any) -> None:
        self.ended += 1

    def backward_preprocess(self, function: FunctionNode, in_data: Any, out_grad: Any) -> None:
        self.begun += 1

    def backward_postprocess(self, function: FunctionNode, in_data: Any, out_grad: Any) -> None:
        self.ended += 1


def _counted() -> int:
    """Number of calls before a function that a hook gets in `_results`."""
    alone = _Counting()
    with alone:
        _results(get_device("numpy"), "float32")
    return alone.begun


def _array(device: Device, dtype: str) -> Any:
    return device.send(np.array([[-1.5, 0.25, 2.0], [0.1, 1.0, -0.3]], dtype))


def _results(device: Device, dtype: str) -> list[Any]:
    """The output of some functions, its gradient, and the second-order gradient."""
    x = Variable(_array(device, dtype))
    (square,) = _Square().apply((x,))
    y = square * x + square
    y.grad = _array(device, dtype)
    y.backward(enable_double_backprop=True)
    gradient = x.grad_var
    assert gradient is not None
    x.cleargrad()
    gradient.grad = _array(device, dtype)
    gradient.backward()
    return [to_host(array) for array in (y.array, gradient.array, x.grad)]


def _of_one(hook: FunctionHook | None) -> list[Any]:
    """An output and a gradient of one function, observed by a hook."""
    x, function = Variable(_array(get_device("numpy"), "float32")), _Square()
    if hook is not None:
        function.add_hook(hook)
    (y,) = function.apply((x,))
    y.grad = x.array
    y.backward()
    if hook is not None:
        function.delete_hook(hook.name)
    return [y.array, x.grad]


def _apply_failing(where: str) -> None:
    (y,) = _Failing(where).apply((Variable(np.ones(2)),))
    y.grad = np.ones(2)
    y.backward()


def _once() -> list[tuple[str, weakref.ref[Any]]]:
    """Run forward and backward of one function; return weak references to objects that nothing else refers to."""
    x, gy, function = Variable(np.ones(2)), np.ones(2), _Square()
    (y,) = function.apply((x,))
    y.grad = gy
    y.backward()
    held = {"an input": x.array, "an output": y.array, "a gradient": gy, "a function": function}
    return [(name, weakref.ref(value)) for name, value in held.items()]
