"""Common base of `FunctionSuite` and `LinkSuite`: cases, exclusions, and each test on every requested backend."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pytest

from renga_core.backend import Array, Device, get_backend, get_device, to_host
from renga_core.graph import Variable, grad
from renga_core.kinds import ARRAY_BACKEND
from renga_core.plugin import (
    PluginManager,
    ProviderUnavailable,
    RengaPluginError,
    RengaPluginWarning,
    registry,
)
from renga_core.settings import lookup
from renga_testing.memory_layout import strided

__all__ = [
    "EveryBackendSuite",
    "first_difference",
    "is_floating",
    "many",
    "or_zeros",
    "ready_backends",
    "strided",
    "widened",
]

DTYPES = ("float16", "float32", "float64")
_BACKENDS = pytest.StashKey[list[str]]()


class EveryBackendSuite:
    """Base class of the suites. A suite adds properties as methods `test_…`; pytest runs its subclasses, named `Test…`.

    Attributes:
        cases: Settings to test one after the other: for each name, a dict of attributes that are set on `self`.
        bad_inputs: Invalid inputs (for the first case): for each name, the inputs, the expected error, and parts of its
            message.
        excluded: Names of tests (without ``test_``) that cannot pass, each with the reason.
        subjects: Names under which the tested functions or links are registered. The default comes from the class name:
            ``TestMaxPooling2D`` is about ``max_pooling_2d``.
        tolerances: For each dtype, absolute and relative tolerance of results.
        eps: Half the distance between the two points of numerical derivatives; keep inputs further from kinks.
    """

    # A problem in another plugin is reported, but does not fail this plugin's tests.
    pytestmark = pytest.mark.filterwarnings("default::renga_core.plugin.RengaPluginWarning")
    cases: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    bad_inputs: ClassVar[Mapping[str, tuple[Sequence[Any], type[Exception], Sequence[str]]]] = {}
    excluded: ClassVar[Mapping[str, str]] = {}
    tolerances: ClassVar[Mapping[str, float]] = {"float16": 5e-3, "float32": 5e-6, "float64": 1e-11}
    subjects: ClassVar[Sequence[str] | None] = None
    eps: ClassVar[float] = 1e-5
    _suite: ClassVar[Any]

    def make_inputs(self, rng: np.random.Generator, dtype: np.dtype[Any]) -> tuple[np.ndarray[Any, Any], ...]:
        """Return host arrays as inputs, floating-point ones in `dtype`. Others get no gradient."""
        raise NotImplementedError(f"{type(self).__name__} does not define make_inputs(rng, dtype)")

    def empty_inputs(self, dtype: np.dtype[Any]) -> tuple[np.ndarray[Any, Any], ...]:
        """Return inputs of which some have no elements. Define it if that makes sense."""
        raise NotImplementedError

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if EveryBackendSuite in cls.__bases__:
            cls._suite = cls
            return
        for name, reason in cls.excluded.items():
            if not hasattr(cls._suite, f"test_{name}"):
                raise TypeError(f"{cls.__name__}.excluded: there is no property {name!r}")
            if not reason.strip():
                raise TypeError(f"{cls.__name__}.excluded: give the reason why {name!r} cannot pass")
        # pytest does not collect None. Always set, because a base class between may have had nothing to test.
        tested = cls.empty_inputs is not EveryBackendSuite.empty_inputs
        cls.test_empty = cls._suite.test_empty if tested else None  # type: ignore[attr-defined]  # the suite defines it
        cls.test_bad_input = cls._suite.test_bad_input if cls.bad_inputs else None  # type: ignore[attr-defined]  # too

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Generate one test for each backend, case, dtype and bad input."""
        names = metafunc.fixturenames
        if "device" in names:
            stash = metafunc.config.stash
            if _BACKENDS not in stash:  # once for all tests, because it looks at plugins
                stash[_BACKENDS] = ready_backends()
            backends = stash[_BACKENDS]
            metafunc.parametrize("device", backends, indirect=True)
        if self.cases and "case" in names and "bad_input" not in names:
            metafunc.parametrize("case", list(self.cases), indirect=True)
        if "dtype" in names:
            metafunc.parametrize("dtype", DTYPES)
        if "bad_input" in names:
            metafunc.parametrize("bad_input", list(self.bad_inputs))

    @pytest.fixture
    def device(self, request: pytest.FixtureRequest) -> Device:
        """Return the device of the tested backend. Half precision is tested only if the backend declares it."""
        declared = registry(ARRAY_BACKEND).get(request.param).provider.capabilities
        if request.node.callspec.params.get("dtype") == "float16" and "float16" not in declared:
            pytest.skip(f"not declared by {request.param}: float16")
        return get_device(request.param)

    @pytest.fixture(autouse=True)
    def case(self, request: pytest.FixtureRequest) -> None:
        """Set the attributes of a case, and skip excluded tests."""
        reason = self.excluded.get(request.function.__name__.removeprefix("test_"))
        if reason is not None:
            pytest.skip(f"excluded: {reason}")
        self.use_case(getattr(request, "param", None))

    def use_case(self, name: str | None) -> None:
        """Set the attributes of a case; of the first case if `name` is None."""
        if self.cases:
            for attribute, value in self.cases[name or next(iter(self.cases))].items():
                setattr(self, attribute, value)

    def _host_inputs(self, dtype: str) -> tuple[np.ndarray[Any, Any], ...]:
        return self.make_inputs(np.random.default_rng(0), np.dtype(dtype))

    def _inputs(self, device: Device, dtype: str) -> list[Array]:
        return self._send(device, self._host_inputs(dtype))

    def _send(self, device: Device, arrays: Sequence[np.ndarray[Any, Any]]) -> list[Array]:
        return [device.send(x) for x in arrays]

    def _incoming(self, device: Device, ys: Sequence[Variable], dtype: str) -> list[Array]:
        """Return a random gradient for each floating-point output."""
        rng = np.random.default_rng(1)
        return [device.send(rng.uniform(-1, 1, y.shape).astype(dtype)) for y in ys if is_floating(y)]

    def _back(
        self, variables: Sequence[Variable], ys: Sequence[Variable], gys: Sequence[Array | None], differentiable: bool
    ) -> list[Array | None]:
        chosen = [(y, Variable(gy)) for y, gy in zip(ys, gys, strict=True) if gy is not None]
        gxs = grad(
            [y for y, _ in chosen],
            variables,
            grad_outputs=[gy for _, gy in chosen],
            enable_double_backprop=differentiable,
        )
        return [None if gx is None else gx.array for gx in gxs]

    def _assert_refused(self, device: Device, bad_input: str, call: Callable[..., Any]) -> None:
        inputs, error, parts = self.bad_inputs[bad_input]
        xs = [device.send(x) if isinstance(x, np.ndarray) else x for x in inputs]
        with pytest.raises(error) as raised:
            call(*[Variable(x) if isinstance(x, device.backend.array_types) else x for x in xs])
        text = "\n".join([str(raised.value), *getattr(raised.value, "__notes__", ())])
        missing = [part for part in parts if part not in text]
        assert not missing, f"the message lacks {missing}: {text}"

    def _assert_outputs_close(self, ys: Sequence[Any], right: Sequence[Any], dtype: str) -> None:
        assert len(ys) == len(right), f"{len(ys)} outputs, but the reference has {len(right)}"
        for i, (y, expected) in enumerate(zip(ys, right, strict=True)):
            assert y.shape == np.shape(expected), f"output {i} has shape {y.shape}, the reference {np.shape(expected)}"
            self._assert_close(y, expected, dtype, f"output {i}")

    def _assert_gradients_close(
        self, xs: Sequence[Array], gxs: Sequence[Array | None], right: Sequence[Array | None], dtype: str
    ) -> None:
        for i, (x, gx, expected) in enumerate(zip(xs, gxs, right, strict=True)):
            self._assert_close(or_zeros(gx, x), or_zeros(expected, x), dtype, f"gradient {i}")

    def _assert_close(self, x: Any, right: Any, dtype: str, what: str) -> None:
        tolerance = self.tolerances[dtype]
        x, right = (to_host(a).astype(np.float64) for a in (x, right))
        assert x.shape == right.shape, f"{what}: shape {x.shape} instead of {right.shape}"
        wrong = ~np.isclose(x, right, tolerance, tolerance, equal_nan=True)
        assert not wrong.any(), f"{what}: {first_difference(x, right, wrong)}"


def ready_backends() -> list[str]:
    """Return the array backends to test on: those of the setting ``check.backends``, by default NumPy.

    ``all`` means all backends that are available on this machine, including third parties'. A broken one among these is
    skipped with a warning, because it is not under test.

    Raises:
        RengaPluginError: A backend that is requested by name is not available.
    """
    with warnings.catch_warnings():
        # A warning, not an error: a problem in another plugin must not prevent collection of the tests.
        warnings.simplefilter("default", RengaPluginWarning)
        _, asked, origin = lookup("check.backends")
        if "all" not in asked:
            for name in asked:
                get_backend(name, origin=origin)
            return list(asked)
        backends = registry(ARRAY_BACKEND)
        return [name for name in backends.names() if _works(name, backends.manager)]


def _works(name: str, manager: PluginManager) -> bool:
    try:
        get_backend(name, origin="check.backends")
    except ProviderUnavailable:
        return False
    except RengaPluginError as error:
        manager.notice(f"not tested on array_backend '{name}': {error.reason}")
        return False
    return True


def widened(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Convert floating-point arrays to float64; return others unchanged."""
    return x.astype(np.float64) if x.dtype.kind == "f" else x


def is_floating(x: Any) -> bool:
    """Whether an array or Variable can have a gradient."""
    return bool(np.dtype(str(x.dtype)).kind == "f")


def first_difference(got: Any, right: Any, wrong: Any) -> str:
    """Describe the first wrong element of a host array, and count the wrong ones."""
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{got[place]!s} instead of {right[place]!s} at {place} ({int(wrong.sum())} of {wrong.size} elements)"


def many(value: Any) -> Sequence[Any]:
    """Return one value or several as a tuple."""
    return value if isinstance(value, (tuple, list)) else (value,)


def or_zeros(gradient: Array | None, like: Array) -> Array:
    """Return a gradient of None, which means zero, as an array."""
    return get_backend(like).xp.zeros_like(like) if gradient is None else gradient
