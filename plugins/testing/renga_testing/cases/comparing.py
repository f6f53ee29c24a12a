"""Common base of the test cases for functions and links."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import Array
from renga_core.graph import Variable
from renga_core.graph.errors import describe_arrays
from renga_testing.cases.backend_config import BackendConfig
from renga_testing.gradient_check import NondifferentiableError, assert_allclose
from renga_testing.memory_layout import strided

__all__ = ["FunctionTestError", "LinkTestError"]

ATTEMPTS = 100


class FunctionTestError(AssertionError):
    """The function under test is wrong."""


class LinkTestError(AssertionError):
    """The link under test is wrong."""


class Case:
    """Base class of the test cases.

    Attributes:
        backend_config: Device of the current test. test_name: Its name, without the device.
    """

    contiguous: ClassVar[str | None] = None
    error: ClassVar[type[AssertionError]]
    backend_config: BackendConfig
    test_name: str

    # Imported under its own name, it must not be collected as a test; subclasses must be.
    __test__: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__test__ = vars(cls).get("__test__", True)

    def before_test(self, test_name: str) -> None:
        """Called before each test; raise `unittest.SkipTest` to skip it."""

    def begin(self, test_name: str, backend_config: BackendConfig | None) -> BackendConfig:
        """Set the device of the test; the default is NumPy."""
        self.backend_config = backend_config or BackendConfig({})
        self.test_name = test_name
        self.before_test(test_name)
        return self.backend_config

    def send(self, arrays: Any) -> tuple[Any, ...]:
        """Send arrays to the device, with gaps in memory unless `contiguous` is ``"C"``."""
        if self.contiguous not in (None, "C"):
            raise ValueError(f"{type(self).__name__}.contiguous is {self.contiguous!r}; choose from None, 'C'")
        device = self.backend_config.device
        sent = [None if a is None else device.send(a) for a in arrays]
        return tuple(a if a is None or self.contiguous else strided(device, a) for a in sent)

    def checked_outputs(self, outputs: Any) -> tuple[Variable, ...]:
        """Return the result of `forward`; check that it is a tuple of Variables on the device."""
        if not isinstance(outputs, tuple) or not all(isinstance(y, Variable) for y in outputs):
            raise self.error(f"forward() must return a tuple of Variables, not {outputs!r}")
        types = self.backend_config.device.backend.array_types
        if not all(isinstance(y.array, types) for y in outputs):
            raise self.error(f"forward() must return Variables on {self.backend_config.device}")
        return outputs

    def compare(self, outputs: Sequence[Array], right: Sequence[Array], options: dict[str, Any]) -> None:
        """Compare number, shapes, dtypes and values of outputs."""
        said = f"expected {describe_arrays(right)}; got {describe_arrays(outputs)}"
        if len(outputs) != len(right):
            raise self.error(f"the number of outputs is wrong: {said}")
        if any(y.shape != e.shape or y.dtype != e.dtype for y, e in zip(outputs, right, strict=True)):
            raise self.error(f"shapes or dtypes are wrong: {said}")
        for i, (y, e) in enumerate(zip(outputs, right, strict=True)):
            try:
                assert_allclose(y, e, **options)
            except AssertionError as error:
                raise self.error(f"output {i} is wrong: {said}\n{error}") from error

    @contextmanager
    def reported(self, what: str) -> Iterator[None]:
        """Context manager: a failed check raises this case's error, with `what` in the message."""
        try:
            yield
        except AssertionError as error:
            if isinstance(error, self.error):
                raise
            raise self.error(f"{what} is wrong: {error}") from error


def host_arrays(arrays: Any, method: str) -> tuple[np.ndarray[Any, Any], ...]:
    """Return the result of a test's method; check that it is a tuple of arrays.

    Raises:
        TypeError: It is not.
    """
    if not isinstance(arrays, tuple) or not all(isinstance(a, (np.ndarray, np.generic)) for a in arrays):
        raise TypeError(f"{method}() must return a tuple of NumPy's arrays, not {arrays!r}")
    return arrays


def drawn_like(templates: Sequence[Any], seed: int) -> tuple[np.ndarray[Any, Any], ...]:
    """Return random numbers from -1 to 1 with the shapes and dtypes of other arrays."""
    rng = np.random.default_rng(seed)
    return tuple(np.asarray(rng.uniform(-1, 1, a.shape)).astype(a.dtype) for a in templates)


def at_a_smooth_point(check: Callable[[], None], wanted: bool) -> None:
    """Run a check; if `wanted`, repeat it with other inputs while it meets points without a derivative.

    Raises:
        NondifferentiableError: Many attempts all met such points.
    """
    for attempt in range(ATTEMPTS):
        try:
            return check()
        except NondifferentiableError:
            if not wanted or attempt == ATTEMPTS - 1:
                raise
    return None
