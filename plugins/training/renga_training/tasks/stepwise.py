"""Converting a network with a state to one step, with the state as input and output."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from renga_core.backend import Array, to_host
from renga_core.errors import RengaError
from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_training.tasks.inference import Computing, Inference

__all__ = ["stepwise"]

_TEXT = {"text": {0: "batch", 1: "steps"}}

Held = list[tuple[Link, str, Any]]
"""Attributes of links that hold Variables: link, name, value."""


def stepwise(model: Any, text: Array, forgetting: Callable[[], AbstractContextManager[None]]) -> Inference:
    """Describe a language model for export: one step with its state, or all steps if it has no state.

    Args:
        model: Called with a text ``(rows, steps)``. Its state must be reset.
        text: Such a text.
        forgetting: A context in which the model starts with a new state; its current state is restored afterwards.

    Raises:
        RengaError: The initial state is not zero.
    """
    with forgetting():
        model(text[:, :1])
        held = _held(model)
    states = [variable.array for variable in _variables(held)]
    names = [f"state_{i}" for i in range(len(states))]
    if not states:
        return Inference(model, {"text": text}, ["scores"], _TEXT)

    def step(text: Any, *states: Variable) -> tuple[Any, ...]:
        with forgetting():
            given = iter(states)
            for link, name, value in held:
                setattr(link, name, _changed(value, lambda _: next(given)))
            scores = model(text)
            return (scores, *_variables(_held(model)))

    with forgetting():
        begun = model(text[:, :1])
    zeros = step(text[:, :1], *(Variable(array * 0) for array in states))[0]
    if not np.allclose(to_host(begun.array), to_host(zeros.array), rtol=1e-4, atol=1e-6):
        raise RengaError(
            f"{type(model).__name__} has an initial state other than zeros, so the state cannot be an input.\n"
            "Next: let its reset_state() set zeros."
        )
    axes = dict(zip(names, _batch_axes(model, text, states, forgetting), strict=True))
    inputs = {"text": text[:, :1], **dict(zip(names, states, strict=True))}
    return Inference(Computing(model, step), inputs, ["scores", *(f"next_{name}" for name in names)], axes | _TEXT)


def _batch_axes(
    model: Any, text: Array, states: list[Array], forgetting: Callable[[], AbstractContextManager[None]]
) -> list[dict[int, str]]:
    """The batch axes of each state: those that grow with the number of rows."""
    with forgetting():
        model(model.device.xp.concatenate([text, text])[:, :1])
        more = [variable.array for variable in _variables(_held(model))]
    return [
        {i: "batch" for i, sizes in enumerate(zip(a.shape, b.shape, strict=True)) if sizes[0] != sizes[1]}
        for a, b in zip(states, more, strict=True)
    ]


def _held(model: Link) -> Held:
    return [
        (link, name, value)
        for link in model.links()
        for name, value in sorted(vars(link).items())
        if _variables([(link, name, value)])
    ]


def _variables(held: Held) -> list[Variable]:
    found: list[Variable] = []
    for _, _, value in held:
        _changed(value, found.append)
    return found


def _changed(value: Any, change: Callable[[Variable], Any]) -> Any:
    """Return a value with each Variable in it replaced by `change`, also in tuples and lists."""
    if isinstance(value, Variable) and not isinstance(value, Parameter):
        return change(value)
    if isinstance(value, (tuple, list)):
        return type(value)(_changed(each, change) for each in value)
    return value
