"""Runs one test on many devices."""

from __future__ import annotations

import functools
import re
import unittest
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self

from renga_core.backend import Device, get_device, using_device
from renga_core.errors import RengaError
from renga_testing.cases.parameters import Generated, classes_of

__all__ = ["BackendConfig", "inject_backend_tests"]

_DEFAULTS: dict[str, Any] = {
    "use_cuda": False,
    "use_chainerx": False,
    "cuda_device": None,
    "chainerx_device": None,
    "use_cudnn": "never",
    "cudnn_deterministic": False,
    "autotune": False,
    "use_ideep": "never",
    "cudnn_fast_batch_normalization": False,
    "device": None,
}


class BackendConfig:
    """Backend and device of a test. ``with config:`` creates parameters on that device.

    Args:
        params: Names and values of attributes that differ from the defaults.

    Attributes:
        use_cuda: Whether to use a GPU, by CuPy. cuda_device: Number of the GPU.
        device_name: Name of any device of Renga, such as ``"torch"``; its key in `params` is ``device``.
        use_cudnn, cudnn_deterministic, autotune, use_ideep, cudnn_fast_batch_normalization: Options of Chainer. They
            have no effect, because the setting ``[kernels]`` chooses Renga's kernels. use_chainerx, chainerx_device:
            Options of Chainer. Renga has no ChainerX, so tests that need it are skipped.

    Raises:
        TypeError: `params` is not a dict.
        ValueError: An attribute is unknown.

    >>> config = BackendConfig({})
    >>> config.device
    <Device numpy>
    """

    use_cuda: bool
    use_chainerx: bool
    cuda_device: int | None
    chainerx_device: str | None
    use_cudnn: str
    cudnn_deterministic: bool
    autotune: bool
    use_ideep: str
    cudnn_fast_batch_normalization: bool

    def __init__(self, params: Mapping[str, Any]) -> None:
        if not isinstance(params, Mapping):
            raise TypeError(f"BackendConfig: params must be a dict, not {type(params).__name__}")
        unknown = sorted(set(params) - set(_DEFAULTS))
        if unknown:
            raise ValueError(f"BackendConfig: unknown parameter {unknown[0]!r}; there are: {', '.join(_DEFAULTS)}")
        self._given = dict(params)
        for name, value in {**_DEFAULTS, **params}.items():
            setattr(self, "device_name" if name == "device" else name, value)
        self.device_name: str | None
        self._contexts: list[AbstractContextManager[Device]] = []

    @property
    def device(self) -> Device:
        """Return the device.

        Raises:
            RengaError: It is not available on this machine.
        """
        if self.use_chainerx:
            raise RengaError("BackendConfig: use_chainerx=True, but Renga has no ChainerX")
        name = f"cupy:{self.cuda_device or 0}" if self.use_cuda else "numpy"
        return get_device(self.device_name or name)

    @property
    def xp(self) -> Any:
        """The array module of the device."""
        return self.device.xp

    def get_array(self, array: Any) -> Any:
        """Send an array, or a list or tuple of arrays, to the device; None stays None."""
        if array is None:
            return None
        if isinstance(array, (list, tuple)):
            return type(array)(self.get_array(a) for a in array)
        return self.device.send(array)

    def get_func_str(self) -> str:
        """Return the values that differ from the defaults, for the name of a test."""
        said = "__".join(f"{name}_{str(value).lower()}" for name, value in self._given.items())
        return re.sub(r"\W", "_", said) or "numpy"

    def __enter__(self) -> Self:
        context = using_device(self.device)
        context.__enter__()
        self._contexts.append(context)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._contexts.pop().__exit__(kind, error, traceback)

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={value!r}" for name, value in self._given.items())
        return f"<BackendConfig {said or 'numpy'}>"


def inject_backend_tests(
    method_names: Sequence[str] | None, params: Sequence[Mapping[str, Any]]
) -> Callable[[Any], Any]:
    """Repeat each test method for each entry of `params`, with the argument ``backend_config``.

    A test for an unavailable device is skipped.

    Args:
        method_names: Names of the methods; None: all methods named ``test_…``.
        params: Arguments of `BackendConfig`, one dict per device.

    Raises:
        TypeError: `params` is not a list of dicts.
        RuntimeError: Two entries of `params` are equal.
    """
    if not isinstance(params, list) or not all(isinstance(p, Mapping) for p in params):
        raise TypeError(f"inject_backend_tests: params must be a list of dicts, not {params!r}")
    configs = [BackendConfig(p) for p in params]

    def decorate(case: type[Any] | Generated) -> Any:
        for cls in classes_of(case):
            chosen = [name for name in dir(cls) if name.startswith("test_")] if method_names is None else method_names
            for name in chosen:
                test = getattr(cls, name)
                if test is None:
                    continue
                setattr(cls, name, None)  # hides an inherited method, too; test runners skip it
                for config in configs:
                    new = f"{name}_{config.get_func_str()}"
                    if hasattr(cls, new):
                        raise RuntimeError(f"inject_backend_tests: {cls.__name__} has a {new} already")
                    setattr(cls, new, skipped_without_device(_with(test, config), config, new))
        return case

    return decorate


def _with(test: Callable[..., Any], config: BackendConfig) -> Callable[..., None]:
    @functools.wraps(test)
    def run(self: Any) -> None:
        test(self, backend_config=config)

    return run


def skipped_without_device(test: Callable[..., Any], config: BackendConfig, name: str) -> Callable[..., None]:
    """Return a test method under another name, without arguments; it is skipped if the device is unavailable."""

    @functools.wraps(test)
    def run(self: Any) -> None:
        try:
            _ = config.device
        except RengaError as error:
            raise unittest.SkipTest(str(error)) from error
        test(self)

    run.__name__ = name
    del run.__wrapped__  # otherwise pytest would use the wrapped method's arguments
    return run
