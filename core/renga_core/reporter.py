"""Reported values of a running program: a loss, an accuracy, a learning rate.

Code reports a value without knowing who reads it::

    report({"loss": loss}, model)       # in the model

    reporter = Reporter()               # in the program
    reporter.add_observer("main", model)
    with reporter:
        model(x)
    reporter.observation                # {"main/loss": ...}

Outside a ``with reporter`` block, `report` does nothing. Each thread has its own current reporter.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from renga_core.configuration import config, unusual
from renga_core.graph import Variable
from renga_core.tracepoints import traced

__all__ = ["Reporter", "get_current_reporter", "report", "report_scope"]


class _Current(threading.local):
    def __init__(self) -> None:
        self.reporters: list[Reporter] = []


_current = _Current()


class Reporter:
    """Collects reported values.

    Attributes:
        observation: Values by name: ``"observer/key"``, or ``"key"`` if no observer was given.
    """

    def __init__(self) -> None:
        self.observation: dict[str, Any] = {}
        # Keep a reference to the observer: otherwise its id could be reused by another object.
        self._observers: dict[int, tuple[object, str]] = {}

    def __enter__(self) -> Self:
        """Make this the thread's current reporter."""
        _current.reporters.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _current.reporters.pop()

    @contextmanager
    def scope(self, observation: dict[str, Any]) -> Iterator[None]:
        """Make this the current reporter, and `observation` its dictionary, while a ``with`` block runs."""
        before = self.observation
        self.observation = observation
        try:
            with self:
                yield
        finally:
            self.observation = before

    def add_observer(self, name: str, observer: object) -> None:
        """Let `observer` (any object, usually a link) report under `name`."""
        self._observers[id(observer)] = (observer, name)

    def add_observers(self, prefix: str, observers: Iterable[tuple[str, object]]) -> None:
        """Add pairs of name and observer, such as a link's ``namedlinks()``, with `prefix` before each name."""
        for name, observer in observers:
            self.add_observer(prefix + name, observer)

    def report(self, values: Mapping[str, Any], observer: object | None = None) -> None:
        """Store values.

        Args:
            values: Values by key. Variables are detached from the graph, unless ``config.keep_graph_on_report`` is set.
            observer: The reporting object; its name is put before each key.

        Raises:
            KeyError: The observer has not been added.
        """
        if unusual and config.tracers:
            traced("report", Reporter.report, self, values, observer)
            return
        prefix = ""
        if observer is not None:
            if id(observer) not in self._observers:
                known = ", ".join(name for _, name in self._observers.values()) or "none"
                raise KeyError(
                    f"{type(observer).__qualname__} is not an observer of this reporter; its observers: {known}"
                )
            prefix = self._observers[id(observer)][1] + "/"
        for key, value in values.items():
            if isinstance(value, Variable) and not config.keep_graph_on_report:
                value = Variable(value.array, requires_grad=False)
            self.observation[prefix + key] = value


def get_current_reporter() -> Reporter:
    """The reporter of the innermost ``with reporter`` block of this thread. Raises RuntimeError if there is none."""
    if not _current.reporters:
        raise RuntimeError("there is no current reporter in this thread; use `with reporter:`")
    return _current.reporters[-1]


def report(values: Mapping[str, Any], observer: object | None = None) -> None:
    """Report values to the current reporter; without one, do nothing.

    Args:
        values: Values by key. A pair ``(value, weight)`` has this weight in averages.
        observer: The reporting object, usually the link itself. It must have been added to the reporter.
    """
    if _current.reporters:
        _current.reporters[-1].report(values, observer)


@contextmanager
def report_scope(observation: dict[str, Any]) -> Iterator[None]:
    """Let the current reporter store values in `observation` inside a ``with`` block. RuntimeError if there is none."""
    with get_current_reporter().scope(observation):
        yield
