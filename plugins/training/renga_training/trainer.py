"""The training loop."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from renga_comm_base.launched import launched
from renga_core import random
from renga_core.backend import to_host
from renga_core.reporter import Reporter
from renga_core.serializers import AbstractSerializer, Deserializer
from renga_core.training import Extension, TriggerLike, Updater
from renga_data.iterators.interruptible_wait import StoppedWaiting, stop_asked_by
from renga_training.interrupt import Interruption, deferred_interrupt
from renga_training.make_extension import make_extension
from renga_training.out_folder import hold_folder
from renga_training.triggers import get_trigger

__all__ = ["Trainer"]

_RESERVED = "training"


@dataclass(frozen=True)
class Entry:
    """An extension of a trainer, with its trigger and priority."""

    extension: Extension
    trigger: Any
    priority: int
    call_before_training: bool


class Recovery(Protocol):
    """Runs the loop of a trainer so that it survives failures of ranks: `renga_distributed.recovery`."""

    def run(self, entries: Sequence[Entry], interruption: Interruption) -> None:
        """Run the loop, including its start."""

    def acts(self, extension: Extension) -> bool:
        """Whether this rank calls an extension when training ends."""


class Trainer:
    """The training loop: updates parameters repeatedly, and calls extensions in between.

    Each iteration makes one update, then calls the extensions whose triggers fire, in the order of their priorities.
    Values reported meanwhile are the iteration's `observation`.

    Names of values begin with the name of the optimizer whose target reports them (``main/loss``); links below the
    target report under their paths (``main/l1/...``).

    Args:
        updater: Makes the updates.
        stop_trigger: When to stop: a trigger, or a pair such as ``(20, "epoch")``; None: never.
        out: Folder for files; created when training starts. It is locked against other runs: see `hold_folder`. Ranks
            that were launched together, and processes started by one program, count as one run.
        extensions: Initial extensions; see `extend`.

    Attributes:
        updater, stop_trigger, out: The arguments; `stop_trigger` is a trigger.
        observation: The values reported in this iteration, by name.
        reporter: Collects reported values.
        complete: Whether the stop trigger ended training, not an exception, Ctrl-C or `stop`.
        agree_to_stop: For runs of several processes, which must stop after the same iteration. It is called before each
            iteration, and gets whether this process should stop (Ctrl-C, `stop`); it returns whether all stop. None:
            this process decides alone. It must ensure that all processes have called `stop` if one has; otherwise the
            others end as if by Ctrl-C.
        recovery: Runs the loop if training must survive failures of ranks; None: the plain loop.
    """

    agree_to_stop: Callable[[bool], bool] | None = None
    recovery: Recovery | None = None

    def __init__(
        self,
        updater: Updater,
        stop_trigger: TriggerLike | None = None,
        out: str | os.PathLike[str] = "result",
        extensions: Iterable[Extension | Callable[[Any], object]] | None = None,
    ) -> None:
        self.updater = updater
        self.stop_trigger = get_trigger(stop_trigger)
        self.observation: dict[str, Any] = {}
        self.out = os.fspath(out)
        self.complete = False
        self.reporter = Reporter()
        for name, optimizer in updater.get_all_optimizers().items():
            self.reporter.add_observer(name, optimizer.target)
            self.reporter.add_observers(name, optimizer.target.namedlinks(skipself=True))
        updater.connect_trainer(self)
        self._entries: dict[str, Entry] = {}
        self._started_at: float | None = None
        self._earlier_time = 0.0
        self._done = False
        self._stop_reason: str | None = None
        for extension in extensions or ():
            self.extend(extension)

    @property
    def elapsed_time(self) -> float:
        """Seconds of training so far, including earlier parts of a resumed run."""
        if self._started_at is None:
            return self._earlier_time
        return self._earlier_time + time.perf_counter() - self._started_at

    # --- extensions --------------------------------------------------------------------------------------------------

    def extend(
        self,
        extension: Extension | Callable[[Any], object],
        name: str | None = None,
        trigger: TriggerLike | None = None,
        priority: int | None = None,
        *,
        call_before_training: bool = False,
    ) -> None:
        """Add an extension.

        Args:
            extension: An `Extension`, or any function of the trainer.
            name: Its name here; None: the extension's own. If the name is taken, ``_1``, ``_2`` … is appended.
            trigger: When to call it; None: the extension's own trigger.
            priority: The highest goes first; None: the extension's own priority.
            call_before_training: Also call it once before the first iteration.

        Raises:
            ValueError: The name is ``"training"``, which is reserved.
        """
        if not isinstance(extension, Extension):
            extension = make_extension()(extension)
        wanted = name or extension.name or extension.default_name
        if wanted == _RESERVED:
            raise ValueError(f"an extension cannot be named {_RESERVED!r}: this is the name of the training loop")
        unique, count = wanted, 0
        while unique in self._entries:
            count += 1
            unique = f"{wanted}_{count}"
        extension.name = unique
        self._entries[unique] = Entry(
            extension,
            get_trigger(extension.trigger if trigger is None else trigger),
            extension.priority if priority is None else priority,
            call_before_training,
        )

    @property
    def extensions(self) -> dict[str, Extension]:
        """The extensions, by name, in the order in which they were added."""
        return {name: entry.extension for name, entry in self._entries.items()}

    def get_extension(self, name: str) -> Extension:
        """The extension with this name. Raises KeyError if there is none."""
        if name not in self._entries:
            raise KeyError(f"no extension named {name!r}; there are: {', '.join(self._entries) or 'none'}")
        return self._entries[name].extension

    # --- stopping ----------------------------------------------------------------------------------------------------

    @property
    def stop_reason(self) -> str | None:
        """The reason passed to `stop`; None if it was not called."""
        return self._stop_reason

    def stop(self, reason: str) -> None:
        """End training after the current iteration: a snapshot is saved, everything is finalized, and `run` returns.

        For extensions, hooks and other threads. In a run of several processes with `agree_to_stop`, one of them may
        call it, and all stop after the same iteration, which is one of the next two. A run that is resumed later
        continues.

        Args:
            reason: The reason, in a few words. The first one is kept.
        """
        if self._stop_reason is None:
            self._stop_reason = reason

    # --- the loop ----------------------------------------------------------------------------------------------------

    def run(self, show_loop_exception_msg: bool = True) -> None:
        """Train until the stop trigger fires, or `stop` is called.

        Ctrl-C ends the loop after the current iteration, with KeyboardInterrupt; a second Ctrl-C ends it at once. If
        the iteration waits for workers of an iterator that do not answer within a few seconds, it ends there, without
        an update. However it ends, all extensions and the updater are finalized.

        Args:
            show_loop_exception_msg: If an exception ends training, print a line on standard error before finalizing,
                which may take time.

        Raises:
            RuntimeError: This trainer has already run.
            FolderInUse: A run in another process uses the folder; nothing was done.
            KeyboardInterrupt: The user pressed Ctrl-C.
        """
        if self._done:
            raise RuntimeError("this trainer has already run; make a new one, and load a snapshot into it if needed")
        with self._hold_folder():
            self._done = True
            self._run(show_loop_exception_msg)

    @contextmanager
    def _hold_folder(self) -> Iterator[None]:
        """Lock the folder for this run, which includes the other ranks."""
        groups = [getattr(each, "communicator", None) for each in self.updater.get_all_optimizers().values()]
        if any(getattr(group, "is_spare", False) for group in groups):
            yield  # only the error message of the others is needed
        elif launched().rank == 0 and multiprocessing.parent_process() is None and not any(map(_rank, groups)):
            # As far as this process can see, no other process of the same run has locked the folder.
            with hold_folder(self.out):
                yield
        else:
            os.makedirs(self.out, exist_ok=True)
            yield

    def _run(self, show_loop_exception_msg: bool) -> None:
        entries = sorted(self._entries.values(), key=lambda entry: -entry.priority)
        # An exit stack calls all of these, even if some of them raise errors.
        # If many processes stop together, the process that started them reports it.
        with deferred_interrupt(announce=self.agree_to_stop is None) as interruption, ExitStack() as finalizers:
            finalizers.callback(self.updater.finalize)
            for entry in reversed(entries):
                finalizers.callback(self._finalize, entry)
            if self.recovery is None:
                self._start(entries)
            try:
                if self.recovery is None:
                    self._loop(entries, interruption)
                else:
                    self.recovery.run(entries, interruption)
            except Exception as error:
                if show_loop_exception_msg:
                    print(f"{type(error).__name__} in the training loop; finalizing.", file=sys.stderr)
                for entry in filter(self._calls, entries):
                    try:
                        entry.extension.on_error(self, error, error.__traceback__)
                    except Exception as another:
                        # The first error is the cause.
                        error.add_note(f"{entry.extension.name}.on_error: {type(another).__name__}: {another}")
                raise
            finally:
                self._earlier_time, self._started_at = self.elapsed_time, None

    def _finalize(self, entry: Entry) -> None:
        if self._calls(entry):
            entry.extension.finalize()

    def _calls(self, entry: Entry) -> bool:
        return self.recovery is None or self.recovery.acts(entry.extension)

    def _start(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            entry.extension.resume(self)
        self.start_clock()
        self.initialize(entries)

    def start_clock(self) -> None:
        """Start the clock of training, for `recovery`."""
        self._started_at = time.perf_counter()

    def initialize(self, entries: Sequence[Entry]) -> None:
        """Initialize extensions, and call those with `call_before_training`, for `recovery`."""
        for entry in entries:
            if not getattr(entry.trigger, "finished", False):
                entry.extension.initialize(self)
        if self.updater.iteration == 0:
            with self.reporter.scope(self.observation):
                for entry in entries:
                    if entry.call_before_training:
                        entry.extension(self)

    def _loop(self, entries: list[Entry], interruption: Interruption) -> None:
        with stop_asked_by(lambda: interruption.requested):
            while True:
                asked = interruption.requested or self._stop_reason is not None
                if asked if self.agree_to_stop is None else self.agree_to_stop(asked):
                    self.stop_here(entries, interruption)
                    return
                if self.stop_trigger(self):
                    self.complete = True
                    return
                before, iteration, steps = self.observation, self.updater.iteration, self._steps()
                self.observation = {}
                try:
                    self._iterate(entries)
                except StoppedWaiting:
                    updating = self.updater.iteration == iteration
                    # Other processes are in the middle of this iteration, and half an update is not a state to save.
                    if self.agree_to_stop is not None or (updating and self._steps() != steps):
                        raise
                    if updating:
                        self.observation = before
                    self.stop_here(entries, interruption)
                    return

    def _iterate(self, entries: list[Entry]) -> None:
        with self.reporter.scope(self.observation):
            self.updater.update()
            for entry in entries:
                if entry.trigger(self):
                    entry.extension(self)

    def stop_here(self, entries: Sequence[Entry], interruption: Interruption) -> None:
        """Stop as requested by the user or by `stop`, at a point where the state is consistent.

        Raises:
            KeyboardInterrupt: The user pressed Ctrl-C.
        """
        interrupted, interruption.requested = interruption.requested or self._stop_reason is None, False
        for entry in entries:
            entry.extension.on_interrupt(self)
        if interrupted:
            raise KeyboardInterrupt

    def _steps(self) -> dict[str, Any]:
        """The number of updates of each optimizer."""
        return {name: getattr(optimizer, "t", None) for name, optimizer in self.updater.get_all_optimizers().items()}

    # --- saving and loading ------------------------------------------------------------------------------------------

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the complete state of the run, so that a resumed run behaves like an uninterrupted one.

        This includes models, optimizers and iterators (through the updater); the stop trigger, extensions and their
        triggers; the scalars of the last observation, which the stop trigger reads next; the time; and the random
        state.
        """
        self.updater.serialize(serializer["updater"])
        _serialize(self.stop_trigger, serializer["stop_trigger"])
        for name, entry in self._entries.items():
            _serialize(entry.extension, serializer["extensions"][name])
            _serialize(entry.trigger, serializer["extension_triggers"][name])
        observation = serializer("observation", json.dumps(_scalars(self.observation)))
        elapsed = serializer("elapsed_time", self.elapsed_time)
        # Last, so that nothing draws random numbers after the generators are restored.
        state = serializer("random", json.dumps(random.get_state()))
        if isinstance(serializer, Deserializer):
            self.observation = json.loads(observation)
            self._earlier_time = elapsed
            if self._started_at is not None:
                self._started_at = time.perf_counter()
            random.set_state(json.loads(state))


def _rank(communicator: Any) -> int:
    return getattr(communicator, "rank", 0)


def _serialize(obj: Any, serializer: AbstractSerializer) -> None:
    """A trigger may be a function without a state."""
    if hasattr(obj, "serialize"):
        obj.serialize(serializer)


def _scalars(observation: dict[str, Any]) -> dict[str, float]:
    scalars = {}
    for key, value in observation.items():
        array = getattr(value, "array", value)
        if isinstance(array, (int, float, np.generic)) or getattr(array, "ndim", None) == 0:
            scalars[key] = float(to_host(array))
    return scalars
