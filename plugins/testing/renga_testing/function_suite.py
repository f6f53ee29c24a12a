"""A test base class for differentiable functions.

Subclass `FunctionSuite` and describe the function in three methods. pytest then checks each required property in a test
of its own, on every available array backend::

    class TestTanh(FunctionSuite):
        def make_inputs(self, rng, dtype):
            return (rng.standard_normal((3, 4)).astype(dtype),)

        def call(self, x):
            return tanh(x)

        def reference(self, x):
            return np.tanh(x)

`cases` are several settings of a function; `bad_inputs` lists inputs that it must refuse. A property that cannot hold
is `excluded`, with the reason, and counts as skipped.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from renga_core.backend import Array, Device, array_types, get_backend, to_host
from renga_core.graph import FunctionNode, Variable, grad
from renga_core.graph.function_node import functions_behind
from renga_testing.every_backend import (
    EveryBackendSuite,
    is_floating,
    many,
    or_zeros,
    ready_backends,
    strided,
    widened,
)
from renga_testing.gradient_check import check_backward, check_double_backward

__all__ = ["FunctionSuite", "ready_backends", "without_gradient"]

GRADIENTS = (
    "gradient",
    "gradient_paths",
    "gradient_of_each_input",
    "gradient_of_each_output",
    "gradient_dtype",
    "gradient_precision",
    "double_gradient",
    "fresh_gradients",
)


def without_gradient(reason: str) -> dict[str, str]:
    """Exclusions for a function without gradients, with the reason."""
    return dict.fromkeys(GRADIENTS, reason)


class FunctionSuite(EveryBackendSuite):
    """Tests of one differentiable function. A subclass is named `Test…`; it defines `make_inputs` and the following.

    Attributes: see `EveryBackendSuite`.
    """

    # --- what a subclass defines -----------------------------------------------------------------------------------

    def call(self, *variables: Variable) -> Variable | Sequence[Variable]:
        """Call the function under test with Variables in the order of `make_inputs`."""
        raise NotImplementedError(f"{type(self).__name__} does not define call(*variables)")

    def reference(self, *arrays: np.ndarray[Any, Any]) -> Any:
        """Compute the correct outputs independently: an array, or a tuple of arrays, from host arrays in float64."""
        raise NotImplementedError(f"{type(self).__name__} does not define reference(*arrays)")

    # --- the properties --------------------------------------------------------------------------------------------

    def test_forward(self, device: Device, dtype: str) -> None:
        """The outputs equal the reference's."""
        arrays = self._host_inputs(dtype)
        expected = many(self.reference(*[widened(x) for x in arrays]))
        self._assert_outputs_close(self._outputs(self._send(device, arrays)), expected, dtype)

    def test_forward_dtype(self, device: Device, dtype: str) -> None:
        """Floating outputs have the dtype of the floating inputs."""
        for i, y in enumerate(self._outputs(self._inputs(device, dtype))):
            assert not is_floating(y) or y.dtype == dtype, f"output {i} is {y.dtype} for inputs of {dtype}"

    def test_gradient(self, device: Device) -> None:
        """The gradients equal numerical derivatives along a random direction, in float64."""
        xs, gys = self._problem(device, "float64")
        check_backward(self._floating_outputs, xs, gys, eps=self.eps, atol=1e-6, rtol=1e-6)

    def test_gradient_paths(self, device: Device) -> None:
        """`backward_arrays` and `backward` give the same gradients."""
        xs, gys = self._problem(device, "float64")
        fast, slow = (self._gradients(xs, gys, differentiable=d) for d in (False, True))
        self._assert_gradients_close(xs, fast, slow, "float64")

    def test_gradient_of_each_input(self, device: Device) -> None:
        """The gradient of an input does not depend on which other inputs require one, in both methods."""
        xs, gys = self._problem(device, "float64")
        together = self._gradients(xs, gys, differentiable=False)
        for differentiable in (False, True):
            alone = [self._gradients(xs, gys, differentiable, only=i)[i] for i in range(len(xs))]
            self._assert_gradients_close(xs, alone, together, "float64")

    def test_gradient_of_each_output(self, device: Device) -> None:
        """The gradients for single outputs add up to the gradient for all outputs, in both methods."""
        xs, gys = self._problem(device, "float64")
        together = self._gradients(xs, gys, differentiable=False)
        for differentiable in (False, True):
            total: list[Array | None] = [None] * len(xs)
            for k in range(len(gys)):
                gxs = self._gradients(xs, [gy if i == k else None for i, gy in enumerate(gys)], differentiable)
                total = [
                    or_zeros(t, x) + or_zeros(gx, x) if is_floating(x) else gx
                    for t, gx, x in zip(total, gxs, xs, strict=True)
                ]
            self._assert_gradients_close(xs, total, together, "float64")

    def test_gradient_dtype(self, device: Device, dtype: str) -> None:
        """Each function's gradients have the dtype of its inputs without a cast by the engine, in both methods."""
        xs, gys = self._problem(device, dtype)

        def check(function: FunctionNode, gxs: Sequence[Any]) -> None:
            for i, gx in zip(function._targets, gxs, strict=True):
                node = function.inputs[i]
                assert gx is None or gx.dtype == node.dtype or not is_floating(node), (
                    f"{function.label}: the gradient of input {i} is {gx.dtype}, the input {node.dtype}"
                )

        for differentiable in (False, True):
            with self._watching(differentiable, check) as watch:
                gxs = self._gradients(xs, gys, differentiable, watch=watch)
            for x, gx in zip(xs, gxs, strict=True):
                assert gx is None or gx.shape == x.shape, f"a gradient of shape {gx.shape} for an input of {x.shape}"

    def test_gradient_precision(self, device: Device, dtype: str) -> None:
        """Gradients in each dtype equal those in float64 up to rounding, in both methods."""
        xs, gys = self._problem(device, dtype)
        wide = [x.astype("float64") if is_floating(x) else x for x in xs]
        right = self._gradients(wide, [gy.astype("float64") for gy in gys], differentiable=False)
        for differentiable in (False, True):
            self._assert_gradients_close(xs, self._gradients(xs, gys, differentiable), right, dtype)

    def test_double_gradient(self, device: Device) -> None:
        """Second derivatives equal numerical derivatives along a random direction, in float64."""
        xs, gys = self._problem(device, "float64")
        rng = np.random.default_rng(2)
        ggxs = [device.send(rng.standard_normal(x.shape)) for x in xs if is_floating(x)]
        check_double_backward(self._floating_outputs, xs, gys, ggxs, eps=self.eps, atol=1e-6, rtol=1e-6)

    def test_noncontiguous(self, device: Device) -> None:
        """Arrays with gaps and in another memory order, as inputs and gradients, give the same results."""
        xs, gys = self._problem(device, "float64")
        with_gaps = [strided(device, x) for x in xs]
        self._assert_outputs_close(self._outputs(with_gaps), self._outputs(xs), "float64")
        for differentiable in (False, True):
            right = self._gradients(xs, gys, differentiable)
            gxs = self._gradients(with_gaps, [strided(device, gy) for gy in gys], differentiable)
            self._assert_gradients_close(xs, gxs, right, "float64")

    def test_empty(self, device: Device, dtype: str) -> None:
        """Inputs without elements give outputs and gradients of the correct shapes."""
        arrays = self.empty_inputs(np.dtype(dtype))
        expected = many(self.reference(*[widened(x) for x in arrays]))
        xs = self._send(device, arrays)
        ys = self._outputs(xs)
        self._assert_outputs_close(ys, expected, dtype)
        gys = [device.xp.ones_like(y.array) for y in ys if is_floating(y)]
        for differentiable in (False, True):
            for x, gx in zip(xs, self._gradients(xs, gys, differentiable), strict=True):
                assert gx is None or gx.shape == x.shape, f"a gradient of shape {gx.shape} for an input of {x.shape}"

    def test_inputs_unmodified(self, device: Device) -> None:
        """Neither forward nor a backward pass changes the inputs, the outputs or the incoming gradients."""
        xs, gys = self._problem(device, "float64")
        for differentiable in (False, True):
            variables = self._leaves(xs)
            ys = self._floating_outputs(*variables)
            held = [*xs, *gys, *[y.array for y in ys]]
            before = [np.array(to_host(x)) for x in held]
            self._back(variables, ys, gys, differentiable)
            for i, (x, then) in enumerate(zip(held, before, strict=True)):
                assert np.array_equal(to_host(x), then, equal_nan=True), (
                    f"array {i} of inputs, incoming gradients and outputs has been changed"
                )
        for i, (x, right) in enumerate(zip(xs, self._inputs(device, "float64"), strict=True)):
            assert np.array_equal(to_host(x), to_host(right), equal_nan=True), f"forward has changed input {i}"

    def test_fresh_gradients(self, device: Device) -> None:
        """Gradients of a function with `fresh_gradients` are new memory, because the engine adds to them in place."""
        xs, gys = self._problem(device, "float64")

        def check(function: FunctionNode, gxs: Sequence[Any]) -> None:
            if not function.fresh_gradients:
                return
            returned = [gx for gx in gxs if type(gx) in array_types and gx.size]
            kept = [a for a in vars(function).values() if type(a) in array_types]
            others = [a for a in (*xs, *gys, *kept, *function.saved_inputs, *function.saved_outputs) if a.size]
            for i, gx in enumerate(returned):
                rest = others + returned[:i] + returned[i + 1 :]
                before = [np.array(to_host(a)) for a in rest]
                own = np.array(to_host(gx))
                try:
                    gx += 1  # arrays that share its memory change; this works on every backend
                except ValueError as error:
                    raise AssertionError(f"{function.label}: gradient {i} is a view, and cannot be added to") from error
                shared = [not np.array_equal(to_host(a), b, equal_nan=True) for a, b in zip(rest, before, strict=True)]
                gx[...] = get_backend(gx).asarray(own)
                assert not any(shared), f"{function.label}: gradient {i} shares memory, but fresh_gradients is True"

        with self._watching(False, check) as watch:
            self._gradients(xs, gys, differentiable=False, watch=watch)

    def test_no_reference_cycles(self, device: Device) -> None:
        """Dropping the outputs frees every function of the graph at once, without the garbage collector."""
        xs, gys = self._problem(device, "float64")
        for differentiable in (False, True):
            gc.disable()
            try:
                left = [ref() for ref in self._run_once(xs, gys, differentiable)]
            finally:
                gc.enable()
            alive = {function.label for function in left if function is not None}
            assert not alive, f"still alive, held by a reference cycle: {', '.join(sorted(alive))}"

    def test_bad_input(self, device: Device, bad_input: str) -> None:
        """Invalid inputs raise an error that names the problem."""
        self._assert_refused(device, bad_input, self.call)

    # --- how they are run ------------------------------------------------------------------------------------------

    def _problem(self, device: Device, dtype: str) -> tuple[list[Array], list[Array]]:
        """Return inputs, and a random gradient for each floating-point output."""
        xs = self._inputs(device, dtype)
        return xs, self._incoming(device, self._outputs(xs), dtype)

    def _leaves(self, xs: Sequence[Array], only: int | None = None) -> list[Variable]:
        """Return Variables; integer ones also require gradients, which is the default for users."""
        return [Variable(x, requires_grad=only is None or i == only) for i, x in enumerate(xs)]

    def _outputs(self, xs: Sequence[Array]) -> list[Variable]:
        return list(many(self.call(*self._leaves(xs))))

    def _floating_outputs(self, *variables: Variable) -> tuple[Variable, ...]:
        return tuple(y for y in many(self.call(*variables)) if is_floating(y))

    def _gradients(
        self,
        xs: Sequence[Array],
        gys: Sequence[Array | None],
        differentiable: bool,
        only: int | None = None,
        watch: Callable[[Sequence[Variable]], None] | None = None,
    ) -> list[Array | None]:
        variables = self._leaves(xs, only)
        ys = self._floating_outputs(*variables)
        if watch is not None:
            watch(ys)
        return self._back(variables, ys, gys, differentiable)

    @contextmanager
    def _watching(
        self, differentiable: bool, check: Callable[[FunctionNode, Sequence[Any]], None]
    ) -> Iterator[Callable[[Sequence[Variable]], None]]:
        """Context manager: `check` receives what each function returns in backward."""
        method = "backward" if differentiable else "backward_arrays"
        watched: list[FunctionNode] = []

        def watch(ys: Sequence[Variable]) -> None:
            for function in functions_behind([y.creator_node for y in ys if y.creator_node is not None]):
                watched.append(function)
                setattr(function, method, _checked(function, method, check))

        yield watch
        for function in watched:
            delattr(function, method)

    def _run_once(
        self, xs: Sequence[Array], gys: Sequence[Array], differentiable: bool
    ) -> list[weakref.ref[FunctionNode]]:
        """Run forward and backward; return weak references to the functions, which nothing else refers to."""
        variables = self._leaves(xs)
        ys = self._floating_outputs(*variables)
        gxs = grad(ys, variables, grad_outputs=[Variable(gy) for gy in gys], enable_double_backprop=differentiable)
        made = [v for v in (*ys, *gxs) if v is not None and v.creator_node is not None]
        return [weakref.ref(f) for f in functions_behind([v.creator_node for v in made])]  # type: ignore[misc]  # not None


def _checked(
    function: FunctionNode, method: str, check: Callable[[FunctionNode, Sequence[Any]], None]
) -> Callable[..., Any]:
    original = getattr(function, method)

    def call(targets: tuple[int, ...], gys: tuple[Any, ...]) -> Any:
        gxs = original(targets, gys)
        check(function, gxs)
        return gxs

    return call
