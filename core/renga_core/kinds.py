"""The kinds of providers that core knows, one row each. Plugins add kinds with the hook `renga_kinds`.

A row names the protocol of its providers as text: only `renga_core.plugin` is imported here, so that listing plugins
needs no NumPy. The imports below are for type checkers, so that they know what `registry(ROW).load` returns. They name
most of core, so no other part of core imports this file; it looks up a kind by name: ``registry("kernel")``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from renga_core.plugin.kind import Kind
from renga_core.plugin.provider import AUTO, Kernel, Namespace

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from renga_core.backend import Backend
    from renga_core.communicator import CommunicatorBase
    from renga_core.communicator.launcher import Launcher
    from renga_core.dataset import Iterator
    from renga_core.graph import FunctionHook
    from renga_core.link import Link
    from renga_core.optimizer import Optimizer
    from renga_core.serializers import FileFormat
    from renga_core.training import Extension, TriggerLike

__all__ = [
    "ARRAY_BACKEND",
    "COMMAND",
    "COMMUNICATOR",
    "CORE_KINDS",
    "DATASET",
    "DOCTOR_CHECK",
    "EXTENSION",
    "FILE_FORMAT",
    "FUNCTION",
    "FUNCTION_HOOK",
    "ITERATOR",
    "KERNEL",
    "LAUNCHER",
    "LINK",
    "MODEL",
    "NAMESPACE",
    "OPTIMIZER",
    "OPTIMIZER_HOOK",
    "TRIGGER",
]


def _backend_of(device: str) -> str:
    """Return ``cupy`` of ``cupy:0`` or ``@cupy:0``: device 0 of backend ``cupy``."""
    backend, colon, index = device.removeprefix("@").rpartition(":")
    return backend if colon and index.isdigit() else device.removeprefix("@")


ARRAY_BACKEND: Kind[Callable[[], Backend]] = Kind(
    "array_backend",
    config_key="run.backend",
    default=AUTO,
    config_name=_backend_of,
    protocol="renga_core.backend:Backend",
    suite="renga_testing.suites:ArrayBackendSuite",
    summary="a callable without arguments that returns a Backend",
)
KERNEL: Kind[Any] = Kind(
    "kernel",
    suite="renga_testing.suites:KernelSuite",
    spec=Kernel,
    unique=False,
    summary="an implementation of one operation for one backend, as `Kernel` says",
)
FUNCTION: Kind[Callable[..., Any]] = Kind(
    "function",
    suite="renga_testing.suites:FunctionSuite",
    namespace="renga.functions",
    summary="a differentiable function of Variables",
)
FUNCTION_HOOK: Kind[Callable[..., FunctionHook]] = Kind(
    "function_hook",
    protocol="renga_core.graph:FunctionHook",
    suite="renga_testing.suites:FunctionHookSuite",
    namespace="renga.function_hooks",
    summary="a FunctionHook class, called around functions in forward and backward",
)
LINK: Kind[Callable[..., Link]] = Kind(
    "link",
    protocol="renga_core.link:Link",
    suite="renga_testing.suites:LinkSuite",
    namespace="renga.links",
    summary="a Link class, or a callable that returns a Link",
)
COMMUNICATOR: Kind[Callable[..., CommunicatorBase]] = Kind(
    "communicator",
    config_key="run.communicator",
    default="single",
    protocol="renga_core.communicator:CommunicatorBase",
    suite="renga_testing.suites:CommunicatorSuite",
    summary="a callable that returns a communicator",
)
LAUNCHER: Kind[Launcher] = Kind(
    "launcher",
    default="mpi",
    protocol="renga_core.communicator.launcher:Launcher",
    suite="renga_testing.suites:LauncherSuite",
    summary="a callable that runs a command in several processes and returns the exit status",
)
OPTIMIZER: Kind[Callable[..., Optimizer]] = Kind(
    "optimizer",
    config_key="optimizer.use",
    protocol="renga_core.optimizer:Optimizer",
    suite="renga_testing.suites:OptimizerSuite",
    namespace="renga.optimizers",
    summary="an Optimizer class whose keyword arguments are hyperparameters",
)
OPTIMIZER_HOOK: Kind[Callable[..., Any]] = Kind(
    "optimizer_hook",
    suite="renga_testing.suites:OptimizerHookSuite",
    namespace="renga.optimizer_hooks",
    summary="a callable that returns a hook for `Optimizer.add_hook`",
)
EXTENSION: Kind[Callable[..., Extension]] = Kind(
    "extension",
    protocol="renga_core.training:Extension",
    suite="renga_testing.suites:ExtensionSuite",
    namespace="renga.training.extensions",
    summary="a callable that returns a trainer extension",
)
TRIGGER: Kind[Callable[..., TriggerLike]] = Kind(
    "trigger",
    suite="renga_testing.suites:TriggerSuite",
    namespace="renga.training.triggers",
    summary="a callable that returns a trigger",
)
ITERATOR: Kind[Callable[..., Iterator]] = Kind(
    "iterator",
    protocol="renga_core.dataset:Iterator",
    suite="renga_testing.suites:IteratorSuite",
    namespace="renga.iterators",
    summary="an Iterator class over a data set",
)
MODEL: Kind[Callable[..., Link]] = Kind(
    "model",
    config_key="model.use",
    protocol="renga_core.link:Link",
    suite="renga_testing.suites:ModelSuite",
    summary="a callable that returns a Link, which maps a batch to the output of its task (class scores)",
)
DATASET: Kind[Callable[..., Any]] = Kind(
    "dataset",
    config_key="data.use",
    suite="renga_testing.suites:DatasetSuite",
    namespace="renga.datasets",
    summary="a callable that returns the pair (train, test) of data sets",
)
FILE_FORMAT: Kind[Callable[[], FileFormat]] = Kind(
    "file_format",
    protocol="renga_core.serializers:FileFormat",
    suite="renga_testing.suites:FileFormatSuite",
    summary="a callable without arguments that returns a FileFormat, which saves objects to files and loads them",
)
NAMESPACE: Kind[Any] = Kind(
    "namespace",
    spec=Namespace,
    unique=False,
    summary="names in a public module that are not providers (see `Namespace`)",
)
DOCTOR_CHECK: Kind[Callable[[float, str | None], Iterable[tuple[str, str, str]]]] = Kind(
    "doctor_check",
    suite="renga_testing.suites:DoctorCheckSuite",
    summary="a callable that takes seconds and hosts (None: this one), runs tests for "
    "`renga doctor`, and returns rows: what was tested, its state, and details",
)
COMMAND: Kind[Callable[[Sequence[str]], int]] = Kind(
    "command",
    suite="renga_testing.suites:CommandSuite",
    summary="a callable that takes the arguments after `renga NAME` and returns the exit status",
)

CORE_KINDS: tuple[Kind[Any], ...] = (
    ARRAY_BACKEND,
    KERNEL,
    FUNCTION,
    FUNCTION_HOOK,
    LINK,
    COMMUNICATOR,
    LAUNCHER,
    OPTIMIZER,
    OPTIMIZER_HOOK,
    EXTENSION,
    TRIGGER,
    ITERATOR,
    MODEL,
    DATASET,
    FILE_FORMAT,
    NAMESPACE,
    DOCTOR_CHECK,
    COMMAND,
)
