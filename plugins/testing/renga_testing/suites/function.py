"""`FunctionSuite`: the kit of functions. How to write one: docs/how-to/write-a-function.md."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import Device, to_host
from renga_core.graph import no_backprop_mode
from renga_core.kinds import FUNCTION
from renga_testing import function_suite
from renga_testing.every_backend import EveryBackendSuite, many
from renga_testing.suites.called import CalledSuite
from renga_testing.suites.comparing import compare
from renga_testing.suites.global_state import start_random
from renga_testing.suites.suite import needs

__all__ = ["FunctionSuite"]


class FunctionSuite(CalledSuite):
    """Tests of a function of Variables. Its `options` are passed to it as keyword arguments.

    Random numbers are seeded before each call, so that a function that draws them always gives the same results.

    Attributes: see `CalledSuite`.
    """

    kind = FUNCTION
    base: ClassVar[type[EveryBackendSuite]] = function_suite.FunctionSuite

    def call(self, *variables: Any) -> Any:
        """Call it on Variables in the order of `make_inputs`: it returns a Variable, or a tuple of them."""
        start_random()
        given = self.arguments(variables)
        return self._outputs_of(self.target(*given.by_place, **{**given.by_name, **self.options}))

    def reference(self, *arrays: np.ndarray[Any, Any]) -> Any:
        """Correct outputs for host arrays in float64. Default: the provider's own outputs for them."""
        return tuple(to_host(y) for y in many(self.call(*self._variables(arrays))))

    def guessable(self) -> tuple[Callable[..., Any], Callable[..., Any], Mapping[str, Any]]:
        """The kit's inputs, as the last arguments of `guess`."""
        return partial(self.target, **self.options), self.target, self.options

    # --- outputs -----------------------------------------------------------------------------------------------------

    def test_forward(self, device: Device, dtype: str) -> None:
        """Outputs equal the reference's in double precision up to rounding; half precision does not overflow."""
        self._check("forward", device, dtype)

    def test_forward_dtype(self, device: Device, dtype: str) -> None:
        """Floating outputs have the dtype of the floating inputs."""
        self._check("forward_dtype", device, dtype)

    def test_arrays(self, device: Device) -> None:
        """Plain arrays are accepted instead of Variables."""
        for i, (y, right) in enumerate(zip(many(self.call(*self._inputs(device))), self._outputs(device), strict=True)):
            compare(y.array, to_host(right), f"output {i} for arrays instead of Variables", exact=True)

    def test_called_again(self, device: Device) -> None:
        """The same inputs give bitwise the same outputs again, after a call with other inputs."""
        right = [np.array(to_host(y)) for y in self._outputs(device)]
        self.call(*self._variables(self._inputs(device, seed=1)))
        for i, (y, first) in enumerate(zip(self._outputs(device), right, strict=True)):
            compare(y.array, first, f"output {i}, in another call with the same inputs,", exact=True)

    def test_noncontiguous(self, device: Device) -> None:
        """Inputs and gradients with gaps and in another memory order give the same results."""
        self._check("noncontiguous", device)

    @needs("empty")
    def test_empty(self, device: Device, dtype: str) -> None:
        """Inputs without rows give outputs and gradients of the correct shapes."""
        self._check("empty", device, dtype)

    # --- gradients ---------------------------------------------------------------------------------------------------

    def test_gradient(self, device: Device) -> None:
        """Gradients equal numerical derivatives along a random direction."""
        self._check("gradient", device)

    def test_gradient_paths(self, device: Device) -> None:
        """`backward_arrays`, if it defines that, and `backward` give the same gradients."""
        self._check("gradient_paths", device)

    def test_gradient_of_each_input(self, device: Device) -> None:
        """The gradient of an input does not depend on which other inputs require one."""
        self._check("gradient_of_each_input", device)

    def test_gradient_of_each_output(self, device: Device) -> None:
        """The gradients for single outputs add up to the gradient for all outputs."""
        self._check("gradient_of_each_output", device)

    def test_gradient_dtype(self, device: Device, dtype: str) -> None:
        """Gradients have the dtype and shape of their inputs."""
        self._check("gradient_dtype", device, dtype)

    def test_gradient_precision(self, device: Device, dtype: str) -> None:
        """Gradients in each dtype equal those in double precision up to rounding."""
        self._check("gradient_precision", device, dtype)

    def test_double_gradient(self, device: Device) -> None:
        """Second derivatives equal numerical derivatives along a random direction."""
        self._check("double_gradient", device)

    def test_fresh_gradients(self, device: Device) -> None:
        """If it declares `fresh_gradients`, the gradients that it returns share no memory."""
        self._check("fresh_gradients", device)

    # --- what it must not change
    # ----------------------------------------------------------------------------------------

    def test_inputs_unmodified(self, device: Device) -> None:
        """Neither forward nor backward changes the inputs, the outputs or the incoming gradients."""
        self._check("inputs_unmodified", device)

    def test_no_backprop_mode(self, device: Device) -> None:
        """If no gradient is required (by mode or by inputs), outputs are the same, and no graph is built."""
        right = self._outputs(device)
        with no_backprop_mode():
            by_mode = self._outputs(device)
        by_inputs = self._outputs(device, requires_grad=False)
        for where, ys in (("in no_backprop_mode", by_mode), ("of inputs with requires_grad=False", by_inputs)):
            for i, (y, expected) in enumerate(zip(ys, right, strict=True)):
                compare(y.array, to_host(expected), f"output {i} {where}", exact=True)
                assert y.creator_node is None, f"output {i} {where} remembers the function that made it"

    def test_frees_its_inputs(self) -> None:
        """Inputs are freed when the outputs are deleted."""
        left = [ref() for ref in self._run_once()]
        kept = [i for i, x in enumerate(left) if x is not None]
        assert not kept, f"input {kept[0]} is still in memory after the outputs are deleted"

    def test_no_reference_cycles(self, device: Device) -> None:
        """Dropping the outputs frees the graph at once, without the garbage collector."""
        self._check("no_reference_cycles", device)

    # --- helpers -----------------------------------------------------------------------------------------------------

    def _outputs(self, device: Device, requires_grad: bool = True) -> Sequence[Any]:
        return many(self.call(*self._variables(self._inputs(device), requires_grad)))

    def _run_once(self) -> list[weakref.ref[Any]]:
        """Run forward; return weak references to the inputs, which nothing else refers to."""
        xs = self._inputs()
        many(self.call(*self._variables(xs)))
        return [weakref.ref(x) for x in xs]
