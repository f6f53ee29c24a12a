"""`OptimizerHookSuite`: the kit of optimizer hooks. How to write one: docs/how-to/write-an-optimizer-hook.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from renga_core.backend import Device, get_device_of, to_host
from renga_core.graph import Parameter
from renga_core.kinds import OPTIMIZER_HOOK
from renga_core.link import Link
from renga_core.optimizer import GradientMethod, UpdateRule
from renga_core.plugin.state import describe_error
from renga_testing.suites.comparing import compare
from renga_testing.suites.global_state import start_random
from renga_testing.suites.suite import ProviderSuite

__all__ = ["OptimizerHookSuite"]


class _Rule(UpdateRule):
    """An optimizer that changes nothing, so that all changes of an update come from the hook."""

    def update_core(self, param: Parameter) -> None:
        return


class _Still(GradientMethod):
    def create_update_rule(self) -> UpdateRule:
        return _Rule(self.hyperparam)


class OptimizerHookSuite(ProviderSuite):
    """Tests of an optimizer hook. With its `options`, it must change gradients of about 3, or the parameters."""

    kind = OPTIMIZER_HOOK

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Dtypes of parameters."""
        return {**super().parameters(), "dtype": ("float32", "float64")}

    def test_can_be_added(self) -> None:
        """An optimizer accepts the hook without a name or timing argument."""
        optimizer = _optimizer("float32", None)
        try:
            optimizer.add_hook(self.make())
        except Exception as error:
            raise AssertionError(f"add_hook of {self.label} raises {describe_error(error)}") from error

    def test_does_something(self) -> None:
        """It changes some gradient or parameter."""
        optimizer = self._called(_optimizer("float32", None))
        before = _values(_optimizer("float32", None))
        assert any((got != before[name]).any() for name, got in _values(optimizer).items()), (
            f"{self.label} changes neither gradients nor parameters: choose other options"
        )

    def test_types_and_devices(self, device: Device, dtype: str) -> None:
        """Gradients and parameters keep shape, dtype and device, and stay finite."""
        optimizer = self._called(_optimizer(dtype, device))
        right = _values(_optimizer(dtype, None))
        for name, param in optimizer.target.namedparams(include_uninit=False):
            for what, array in (("gradient of ", param.grad), ("", param.array)):
                if array is None:
                    continue
                place, host = f"{what}{name}", to_host(array)
                assert get_device_of(array) == device, f"{place} is no longer on {device}"
                known = right[place]
                assert (host.shape, host.dtype) == (known.shape, known.dtype), (
                    f"{place} has dtype {host.dtype} and shape {host.shape}; before, {known.dtype} and {known.shape}"
                )
                assert np.isfinite(host).all(), f"{place} is not finite"

    def test_parameters_before_the_update(self) -> None:
        """A hook that is called before the update (`timing` is pre) does not change parameters."""
        hook = self.make()
        if getattr(hook, "timing", "pre") == "pre":
            optimizer = self._called(_optimizer("float32", None))
            before = _values(_optimizer("float32", None))
            for name, got in _values(optimizer).items():
                if not name.startswith("gradient"):
                    compare(got, before[name], f"parameter {name}, before the update", exact=True)

    def test_without_gradients(self) -> None:
        """A parameter without a gradient or an array is skipped."""
        optimizer = _optimizer("float32", None)
        optimizer.target.cleargrads()
        self._called(optimizer)
        assert optimizer.target.W.grad is None, f"{self.label} gives a gradient to a parameter that has none"

    def test_seed(self) -> None:
        """The same seed of random numbers gives the same effect."""
        one, other = (_values(self._called(_optimizer("float32", None))) for _ in range(2))
        for name, got in one.items():
            assert (got == other[name]).all(), f"{name} differs between two runs with the same seed"

    def _called(self, optimizer: Any) -> Any:
        """The optimizer, after an update with the hook."""
        optimizer.add_hook(self.make(), name="tested")
        start_random()
        try:
            optimizer.update()
        except Exception as error:
            raise AssertionError(f"{self.label}, in an update, raises {describe_error(error)}") from error
        return optimizer


def _optimizer(dtype: str, device: Device | None) -> Any:
    """An optimizer that does nothing itself, for a link with gradients and a parameter without an array."""
    link = Link()
    with link.init_scope():
        link.W = Parameter(np.linspace(-1, 1, 12).astype(dtype).reshape(3, 4))
        link.b = Parameter(np.linspace(0.5, 1, 4).astype(dtype))
        link.later = Parameter()
    for param in link.params(include_uninit=False):
        param.grad = (3 * np.cos(np.arange(param.array.size)) + 0.1).astype(dtype).reshape(param.shape)
    if device is not None:
        link.to_device(device)
    return _Still().setup(link)


def _values(optimizer: Any) -> dict[str, Any]:
    values = {}
    for name, param in optimizer.target.namedparams(include_uninit=False):
        values[name] = to_host(param.array)
        if param.grad is not None:
            values[f"gradient of {name}"] = to_host(param.grad)
    return values
