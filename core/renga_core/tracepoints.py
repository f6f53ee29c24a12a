"""How the engine notifies tracers. To receive events, subclass `renga_core.tracer.Tracer`.

Each call site is written ``if unusual and config.tracers: …``: while no thread traces, hooks or switches graphs off, it
costs one test of a set. `side_effect` is for authors of functions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from renga_core.configuration import config, using_config

__all__ = ["changed", "chosen", "created", "read", "side_effect", "traced", "traced_backward"]

T = TypeVar("T")


def side_effect(do: Callable[[], T]) -> T:
    """Return ``do()``, and notify tracers.

    For changes beside the results of functions, such as moving averages: a replay of a recorded step must repeat them.
    `do` may read attributes of the function nodes it refers to: a replay computes with the same nodes. It may return a
    context manager for a ``with`` block, which a replay then enters, too. A tracer may ignore it, and return None.
    """
    return traced("side_effect", side_effect, do) if config.tracers else do()


def traced(event: str, proceed: Callable[..., T], *args: Any) -> T:
    """Call the tracer that was entered last in place of ``proceed(*args)``; within `proceed` those before it see."""
    *others, tracer = config.tracers
    with using_config("tracers", tuple(others)):
        found: T = getattr(tracer, event)(proceed, *args)
    return found


def traced_backward(proceed: Callable[..., None], *args: Any) -> None:
    """Like `traced`, for ``backward``; what happens inside it is traced, too."""
    for tracer in config.tracers:
        proceed = partial(tracer.backward, proceed)
    proceed(*args)


def read(variable: Any, array: Any) -> Any:
    """Return the object that the program gets when it reads an array."""
    for tracer in config.tracers:
        array = tracer.read(variable, array)
    return array


def created(variable: Any) -> None:
    """Notify tracers of a new Variable."""
    for tracer in config.tracers:
        tracer.created(variable)


def changed(what: Any, how: str) -> None:
    """Notify tracers of a change."""
    for tracer in config.tracers:
        tracer.changed(what, how)


def chosen(operation: Any, implementation: Any) -> None:
    """Notify tracers of an implementation that is about to compute."""
    for tracer in config.choice_tracers:
        tracer.chosen(operation, implementation)
