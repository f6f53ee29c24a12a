"""``chainer.testing.backend``: runs one test on several devices, with Chainer's marks."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from renga_chainer.modules.chainer.backends.intel64 import WHY
from renga_chainer.modules.chainer.testing import attr
from renga_core.backend import Device
from renga_core.configuration import config, using_config
from renga_core.errors import RengaError
from renga_testing.cases import BackendConfig as RengaConfig
from renga_testing.cases.backend_config import skipped_without_device
from renga_testing.cases.parameters import Generated, classes_of

__all__ = ["BackendConfig", "inject_backend_tests"]

_ENTRIES = ("use_cudnn", "cudnn_deterministic", "autotune", "use_ideep", "cudnn_fast_batch_normalization")


class BackendConfig(RengaConfig):
    """Device and configuration of a test: `params` as in Chainer. ``with config:`` applies the entries."""

    def __init__(self, params: Mapping[str, Any]) -> None:
        super().__init__(params)
        if self.use_cuda and self.cuda_device is None:
            self.cuda_device = 0
        self._stacks: list[ExitStack] = []

    @property
    def device(self) -> Device:
        """The device. Raises `RengaError` if it is not available."""
        if self.use_ideep != "never" and not self.use_cuda:
            raise RengaError(WHY)
        return super().device

    def get_pytest_marks(self) -> list[Callable[[Any], Any]]:
        """Return the marks of tests that use it."""
        marks: list[Callable[[Any], Any]] = []
        if self.use_chainerx:
            marks.append(attr.chainerx)
        elif self.use_cuda:
            marks.append(attr.multi_gpu((self.cuda_device or 0) + 1))
            if self.use_cudnn != "never":
                marks.append(attr.cudnn)
        elif self.use_ideep != "never":
            marks.append(attr.ideep)
        return marks

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for name in _ENTRIES:
                if hasattr(config, name):
                    stack.enter_context(using_config(name, getattr(self, name)))
            super().__enter__()
            self._stacks.append(stack.pop_all())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, traceback)
        self._stacks.pop().close()


def inject_backend_tests(
    method_names: Sequence[str] | None, params: Sequence[Mapping[str, Any]]
) -> Callable[[Any], Any]:
    """Decorate a class: each test method runs once per entry of `params`, with a `BackendConfig` as first argument.

    Args:
        method_names: Names of the methods; None means all methods named ``test_…``.
        params: List of dicts of arguments for `BackendConfig`.

    Raises:
        TypeError: An argument has another type.
    """
    if not (method_names is None or isinstance(method_names, list)):
        raise TypeError("method_names must be either None or a list.")
    if not isinstance(params, list) or not all(isinstance(each, dict) for each in params):
        raise TypeError("params must be a list of dicts.")
    configs = [BackendConfig(each) for each in params]

    def decorate(case: type[Any] | Generated) -> Any:
        for cls in classes_of(case):
            for name in (
                [name for name in dir(cls) if name.startswith("test_")] if method_names is None else method_names
            ):
                test = getattr(cls, name)
                if test is None:  # a decorator below has replaced it by others
                    continue
                setattr(cls, name, None)
                for number, each in enumerate(configs):
                    new = f"{name}_{number}_{each.get_func_str()}"
                    made = skipped_without_device(_with(test, each), each, new)
                    for mark in each.get_pytest_marks():
                        made = mark(made)
                    setattr(cls, new, made)
        return case

    return decorate


def _with(test: Callable[..., Any], config: BackendConfig) -> Callable[..., Any]:
    """Bind the first argument of a test."""

    @functools.wraps(test)
    def run(self: Any) -> Any:
        return test(self, config)

    return run
