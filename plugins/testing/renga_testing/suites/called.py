"""`CalledSuite`: common base of the kits of functions and links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from renga_core import random
from renga_core.backend import Device, get_device, get_device_of
from renga_core.graph import Variable, as_array
from renga_testing.every_backend import DTYPES, EveryBackendSuite, many
from renga_testing.suites.inputs import Arguments, Guess, guess, stated, without_elements
from renga_testing.suites.suite import ProviderSuite

__all__ = ["CalledSuite"]

Host = np.ndarray[Any, Any]


class CalledSuite(ProviderSuite):
    """A kit for objects that are called with Variables. Most of its tests come from the bases for Renga's own tests.

    Attributes:
        base: The test base.
        described: Attributes of this kit that are passed to the base.
        tolerances: For each dtype, absolute and relative tolerance against results in double precision.
        eps: Half the distance between the two points of numerical derivatives; keep inputs further from kinks.
    """

    extras: ClassVar[Mapping[str, str]] = {"empty": "accepts inputs without rows"}
    base: ClassVar[type[EveryBackendSuite]]
    described: ClassVar[Iterable[str]] = ("make_inputs", "empty_inputs", "call", "reference", "tolerances", "eps")
    tolerances: ClassVar[Mapping[str, float]] = EveryBackendSuite.tolerances
    eps: ClassVar[float] = EveryBackendSuite.eps
    _guessed: ClassVar[Guess | None] = None

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Devices, and the dtypes of inputs."""
        return {**super().parameters(), "dtype": DTYPES}

    @property
    def note(self) -> str:
        """Whether the inputs are a guess."""
        return f"inputs were guessed: {self._guessed}" if self._guessed else ""

    def make_inputs(self, rng: np.random.Generator, dtype: np.dtype[Any]) -> tuple[Host, ...]:
        """Host arrays as inputs, floating-point ones in `dtype`. Default: those of the description, or a guess."""
        if self._states():
            return stated(self.offer, rng, dtype).arrays
        cls = type(self)
        if cls._guessed is None:
            cls._guessed = guess(self.label, *self.guessable())
        return cls._guessed.arrays(rng, dtype)

    def arguments(self, variables: Sequence[Any]) -> Arguments:
        """Call it with Variables for the arrays of `make_inputs`."""
        return self._stated.filled(variables) if self._calls_as_stated() else Arguments(tuple(variables), {})

    def empty_inputs(self, dtype: np.dtype[Any]) -> tuple[Host, ...]:
        """Inputs without rows. Default: `make_inputs` with 0 rows in all arrays that have as many rows as the first."""
        return without_elements(self.make_inputs(np.random.default_rng(0), dtype))

    def guessable(self) -> tuple[Callable[..., Any], Callable[..., Any], Mapping[str, Any]]:
        """The kit's inputs, as the last arguments of `guess`."""
        raise NotImplementedError

    def _states(self) -> bool:
        """Whether the description has arguments for a call."""
        return bool(self.offer.provider.inputs)

    def _calls_as_stated(self) -> bool:
        return self._states() and type(self).make_inputs is CalledSuite.make_inputs

    @cached_property
    def _stated(self) -> Arguments:
        return stated(self.offer, np.random.default_rng(0), np.dtype(np.float32))

    # --- helpers -----------------------------------------------------------------------------------------------------

    def _checked(self, ys: Any, inputs: Sequence[Any]) -> Any:
        """The result of a call, checked: a Variable or several, on the device of the inputs."""
        device = get_device_of(as_array(inputs[0]))
        for i, y in enumerate(many(ys)):
            sort = type(y).__name__
            assert isinstance(y, Variable), f"{self.label} returns a {sort}; expected a Variable, or several"
            place = get_device_of(y.array)
            assert place == device, f"output {i} is on {place}, inputs are on {device}"
        return ys

    @cached_property
    def _checks(self) -> Any:
        """Return the test base for this provider."""
        return type(type(self).__name__, (self.base,), {name: getattr(self, name) for name in self.described})()

    def _check(self, test: str, *arguments: Any) -> None:
        """Run a test of the base."""
        held = random.get_state()
        try:
            getattr(self._checks, f"test_{test}")(*arguments)
        finally:
            random.set_state(held)  # the base sets a seed; only the provider must not do this

    def _inputs(self, device: Device | None = None, dtype: str = "float32", seed: int = 0) -> list[Any]:
        """Inputs as arrays of a device. `seed` decides their values."""
        arrays = self.make_inputs(np.random.default_rng(seed), np.dtype(dtype))
        return [(device or get_device("numpy")).send(np.array(x)) for x in arrays]

    def _outputs_of(self, ys: Any) -> Any:
        """The result of a call, checked: a Variable or several; nested lists are flattened."""
        if isinstance(ys, (list, tuple)):  # some links for sequences return a state and a list
            ys = tuple(part for y in ys for part in (y if isinstance(y, list) else [y]))
        for y in many(ys):
            assert isinstance(y, Variable), (
                f"{self.label} returns a {type(y).__name__}; expected a Variable, or several"
            )
        return ys

    def _variables(self, xs: Iterable[Any], requires_grad: bool = True) -> list[Variable]:
        return [Variable(x, requires_grad=requires_grad) for x in xs]
