"""``chainer.training.trainer``: Renga's loop, with Chainer's snapshots and Chainer's rules for extensions."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import TracebackType
from typing import Any

from renga_chainer.modules.chainer.training.triggers import get_trigger, is_loading, serialize_if_it_can
from renga_core.serializers import AbstractSerializer
from renga_core.training import PRIORITY_READER, Extension
from renga_training import Trainer as RengaTrainer
from renga_training.out_folder import FolderInUse

__all__ = ["Trainer"]


class Trainer(RengaTrainer):
    """Like `renga.training.Trainer`, but saved as in Chainer; any callable can be an extension."""

    def __init__(
        self,
        updater: Any,
        stop_trigger: Any = None,
        out: str = "result",
        extensions: Iterable[Callable[[Any], object]] | None = None,
    ) -> None:
        super().__init__(updater, get_trigger(stop_trigger), out, extensions)
        # Not converted to text, because programs may compare it with what they passed.
        self.out = out

    @property
    def elapsed_time(self) -> float:
        """Seconds of training so far, including earlier parts of a resumed run.

        Raises:
            RuntimeError: Training has not started yet.
        """
        if not self._done:
            raise RuntimeError("training has not been started yet")
        return super().elapsed_time

    @property
    def is_before_training(self) -> bool:
        """Whether no update has been made yet."""
        return self.updater.iteration == 0

    @contextmanager
    def _hold_folder(self) -> Iterator[None]:
        """Only warn if another run writes into the folder: Chainer's programs may do that."""
        with ExitStack() as folder:
            try:
                folder.enter_context(super()._hold_folder())
            except FolderInUse as error:
                warnings.warn(str(error), stacklevel=4)
            yield

    def extend(
        self,
        extension: Any,
        name: str | None = None,
        trigger: Any = None,
        priority: int | None = None,
        *,
        call_before_training: bool = False,
        **kwargs: Any,
    ) -> None:
        """Add an extension: an `Extension`, or any callable that takes a trainer.

        Raises:
            ValueError: `invoke_before_training` was given, which Chainer 2 removed; or the name is ``training``.
            TypeError: There is no such argument.
        """
        if "invoke_before_training" in kwargs:
            raise ValueError(
                "invoke_before_training has been removed since Chainer v2.0.0. Use initializer= instead, or "
                "call_before_training=True"
            )
        if kwargs:
            raise TypeError(f"extend() has no argument {next(iter(kwargs))!r}")
        wrapped = extension if isinstance(extension, Extension) else _Wrapped(extension)
        if trigger is None:
            trigger = wrapped.trigger
        super().extend(wrapped, name, get_trigger(trigger), priority, call_before_training=call_before_training)
        if isinstance(wrapped, _Wrapped):
            wrapped.give_name()

    def get_extension(self, name: str) -> Any:
        """Return the extension with this name, as it was added. Raises ValueError if there is none."""
        if name not in self._entries:
            raise ValueError(f"extension {name} not found; there are: {', '.join(self._entries) or 'none'}")
        found = self._entries[name].extension
        return found.wrapped if isinstance(found, _Wrapped) else found

    @property
    def _extensions(self) -> dict[str, Any]:
        return self._entries

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the same as Chainer, under its names: without random numbers and the last observation."""
        self.updater.serialize(serializer["updater"])
        serialize_if_it_can(self.stop_trigger, serializer["stop_trigger"])
        for name, entry in self._entries.items():
            serialize_if_it_can(entry.extension, serializer["extensions"][name])
            serialize_if_it_can(entry.trigger, serializer["extension_triggers"][name])
        elapsed = serializer("_snapshot_elapsed_time", super().elapsed_time)
        if is_loading(serializer):
            self._earlier_time = float(elapsed)
            if self._started_at is not None:
                self._started_at = time.perf_counter()


class _Wrapped(Extension):
    """Wraps any callable as an extension, with the extension methods and attributes that it has."""

    def __init__(self, wrapped: Any) -> None:
        if not callable(wrapped):
            raise TypeError(f"an extension must be callable with the trainer; type {type(wrapped).__name__} is not")
        self.wrapped = wrapped
        self.trigger = getattr(wrapped, "trigger", (1, "iteration"))
        self.priority = getattr(wrapped, "priority", PRIORITY_READER)
        self.name = getattr(wrapped, "name", None)

    @property
    def default_name(self) -> str:
        name = getattr(self.wrapped, "default_name", None) or getattr(self.wrapped, "__name__", None)
        if name is None:
            raise TypeError(f"name is not given for the extension, a {type(self.wrapped).__name__}")
        return str(name)

    def give_name(self) -> None:
        """Set the name of the wrapped object, if possible."""
        with suppress(AttributeError):  # bound methods refuse it
            self.wrapped.name = self.name

    def __call__(self, trainer: Any) -> Any:
        return self.wrapped(trainer)

    def initialize(self, trainer: Any) -> None:
        self._call("initialize", trainer)

    def on_error(self, trainer: Any, exc: Exception, tb: TracebackType | None) -> None:
        self._call("on_error", trainer, exc, tb)

    def finalize(self) -> None:
        self._call("finalize")

    def serialize(self, serializer: AbstractSerializer) -> None:
        self._call("serialize", serializer)

    def _call(self, method: str, *args: Any) -> None:
        call = getattr(self.wrapped, method, None)
        if call is not None:
            call(*args)
