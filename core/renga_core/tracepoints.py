"""How the engine tells tracers of what it does. Who wants to see it subclasses `renga_core.tracer.Tracer`.

Whatever tells of something is written ``if unusual and config.tracers: …``: while nobody in any thread traces, hooks or
has switched graphs off, it costs a look whether a set is empty. `side_effect` is for authors of functions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from renga_core.configuration import config, using_config

__all__ = ["changed", "chosen", "created", "read", "side_effect", "traced", "traced_backward"]

T = TypeVar("T")


def side_effect(do: Callable[[], object]) -> None:
    """Call `do`, and let tracers know.

    For changes that a library makes beside the results of functions, such as moving averages: a step that is recorded
    and replayed has to make them in each replay. `do` may read the attributes of the function nodes that it refers to:
    a replay computes with the same nodes.
    """
    if config.tracers:
        traced("side_effect", side_effect, do)
    else:
        do()


def traced(event: str, proceed: Callable[..., T], *args: Any) -> T:
    """Call the tracer that was entered last in place of ``proceed(*args)``; within `proceed` those before it see."""
    *others, tracer = config.tracers
    with using_config("tracers", tuple(others)):
        found: T = getattr(tracer, event)(proceed, *args)
    return found


def traced_backward(proceed: Callable[..., None], *args: Any) -> None:
    """Like `traced` of ``backward``; what happens within it is seen, too."""
    for tracer in config.tracers:
        proceed = partial(tracer.backward, proceed)
    proceed(*args)


def read(variable: Any, array: Any) -> Any:
    """What a program gets of an array that it asks for."""
    for tracer in config.tracers:
        array = tracer.read(variable, array)
    return array


def created(variable: Any) -> None:
    """Tell of a new Variable."""
    for tracer in config.tracers:
        tracer.created(variable)


def changed(what: Any, how: str) -> None:
    """Tell of a change."""
    for tracer in config.tracers:
        tracer.changed(what, how)


def chosen(operation: Any, implementation: Any) -> None:
    """Tell of what is about to compute."""
    for tracer in config.choice_tracers:
        tracer.chosen(operation, implementation)
