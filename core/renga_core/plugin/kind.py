"""Kinds of things that plugins provide, as data: one row each. To add a kind is to add a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .errors import InvalidDescription
from .provider import AUTO, NAME, TARGET, Kernel, Provider

if TYPE_CHECKING:
    from collections.abc import Sequence

    from renga_core.backend import Backend
    from renga_core.communicator import CommunicatorBase
    from renga_core.serializers import FileFormat

__all__ = [
    "ARRAY_BACKEND",
    "COMMAND",
    "COMMUNICATOR",
    "CORE_KINDS",
    "DATASET",
    "EXTENSION",
    "FILE_FORMAT",
    "FUNCTION",
    "ITERATOR",
    "KERNEL",
    "LINK",
    "MODEL",
    "OPTIMIZER",
    "OPTIMIZER_HOOK",
    "TRIGGER",
    "Kind",
]

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Kind(Generic[T_co]):
    """A kind of provider. `T_co` is the type of what a provider's `target` names.

    Args:
        name: ``optimizer``; the word for it in messages and on the command line.
        hook: The hook in which plugins describe their providers. Default: ``renga_<name>s``.
        revisions: The revisions of the kind's interface that this Renga can use, oldest first.
        config_key: The setting that names the one to use, ``run.backend``; "" where there is no such setting.
        default: What serves where nothing is said, and what the name ``auto`` means: a name; several, the first usable
            of which serves; or ``auto``, which is those that ask for it (`Provider.auto`).
        protocol: ``module:Class`` that says what a provider must be able to do.
        suite: ``module:Class``, the conformance kit.
        summary: What a target of this kind is, in one sentence.
        spec: The class of the descriptions: `Provider`, or a class derived from it.
        unique: Whether a short name must lead to one provider. Where it need not (kernels), several may serve together.

    Raises:
        InvalidDescription: A field cannot be right.
    """

    name: str
    hook: str = ""
    revisions: tuple[int, ...] = (1,)
    config_key: str = ""
    default: str | tuple[str, ...] = ""
    protocol: str = ""
    suite: str = ""
    summary: str = ""
    spec: type[Provider] = field(default=Provider)
    unique: bool = True

    def __post_init__(self) -> None:
        named = isinstance(self.name, str) and NAME.fullmatch(self.name)
        self._check(named, "name", "lower-case letters, digits, _ . -")
        if not self.hook:
            object.__setattr__(self, "hook", f"renga_{self.name}s")
        hook = isinstance(self.hook, str) and self.hook.startswith("renga_") and self.hook.isidentifier()
        self._check(hook, "hook", "'renga_<plural of the name>'")
        revisions = isinstance(self.revisions, tuple) and self.revisions
        valid = revisions and all(isinstance(revision, int) and revision >= 1 for revision in self.revisions)
        self._check(valid, "revisions", "a tuple of whole numbers from 1")
        for name in ("protocol", "suite"):
            value = getattr(self, name)
            self._check(isinstance(value, str) and (not value or TARGET.fullmatch(value)), name, "'module:Class'")
        self._check(isinstance(self.spec, type) and issubclass(self.spec, Provider), "spec", "a class of Provider")

    def _check(self, valid: object, name: str, expected: str) -> None:
        if not valid:
            raise InvalidDescription(f"Kind {self.name!r}: {name} is {getattr(self, name)!r}; expected {expected}")


ARRAY_BACKEND: Kind[Callable[[], Backend]] = Kind(
    "array_backend",
    config_key="run.backend",
    default=AUTO,
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
FUNCTION: Kind[Callable[..., Any]] = Kind("function", summary="a differentiable function of Variables")
LINK: Kind[Callable[..., Any]] = Kind(
    "link", protocol="renga_core.link:Link", summary="a Link class, or a callable that returns a Link"
)
COMMUNICATOR: Kind[Callable[..., CommunicatorBase]] = Kind(
    "communicator",
    config_key="run.communicator",
    default="single",
    protocol="renga_core.communicator:CommunicatorBase",
    suite="renga_testing.suites:CommunicatorSuite",
    summary="a callable that returns a communicator",
)
OPTIMIZER: Kind[Callable[..., Any]] = Kind(
    "optimizer",
    config_key="optimizer.use",
    protocol="renga_core.optimizer:Optimizer",
    suite="renga_testing.suites:OptimizerSuite",
    summary="an Optimizer class whose keyword arguments are hyperparameters",
)
OPTIMIZER_HOOK: Kind[Callable[..., Any]] = Kind(
    "optimizer_hook", summary="a callable that returns a hook for `Optimizer.add_hook`"
)
EXTENSION: Kind[Callable[..., Any]] = Kind(
    "extension",
    protocol="renga_core.training:Extension",
    suite="renga_testing.suites:ExtensionSuite",
    summary="a callable that returns a trainer extension",
)
TRIGGER: Kind[Callable[..., Any]] = Kind(
    "trigger", suite="renga_testing.suites:TriggerSuite", summary="a callable that returns a trigger"
)
ITERATOR: Kind[Callable[..., Any]] = Kind(
    "iterator", protocol="renga_core.dataset:Iterator", summary="an Iterator class over a data set"
)
MODEL: Kind[Callable[..., Any]] = Kind(
    "model",
    config_key="model.use",
    protocol="renga_core.link:Link",
    suite="renga_testing.suites:ModelSuite",
    summary="a callable that returns a Link which maps a batch to the output of its task (class scores)",
)
DATASET: Kind[Callable[..., Any]] = Kind(
    "dataset", config_key="data.use", summary="a callable that returns the pair (train, test) of data sets"
)
FILE_FORMAT: Kind[Callable[[], FileFormat]] = Kind(
    "file_format",
    protocol="renga_core.serializers:FileFormat",
    suite="renga_testing.suites:FileFormatSuite",
    summary="a callable without arguments that returns a FileFormat: what saves an object to a file, and loads it",
)
COMMAND: Kind[Callable[[Sequence[str]], int]] = Kind(
    "command", summary="a callable that takes the arguments after `renga NAME` and returns the exit status"
)

CORE_KINDS: tuple[Kind[Any], ...] = (
    ARRAY_BACKEND,
    KERNEL,
    FUNCTION,
    LINK,
    COMMUNICATOR,
    OPTIMIZER,
    OPTIMIZER_HOOK,
    EXTENSION,
    TRIGGER,
    ITERATOR,
    MODEL,
    DATASET,
    FILE_FORMAT,
    COMMAND,
)
"""The kinds that core knows; plugins add more through the hook ``renga_kinds``."""
