"""A network that keeps a state from batch to batch, as one step whose state goes in and comes out."""

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
    """Return a language model as it is used elsewhere: a step with its state, or all steps if it keeps none.

    Args:
        model: Called with a text ``(rows, steps)``. It has forgotten what it has read.
        text: Such a text.
        forgetting: A context in which the model begins anew; it has its present state again afterwards.

    Raises:
        RengaError: The state is something else than zeros at the beginning.
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
            f"{type(model).__name__} keeps a state that does not begin with zeros, so that it cannot be an input.\n"
            "Next: have its reset_state() begin with zeros."
        )
    axes = dict(zip(names, _batch_axes(model, text, states, forgetting), strict=True))
    inputs = {"text": text[:, :1], **dict(zip(names, states, strict=True))}
    return Inference(Computing(model, step), inputs, ["scores", *(f"next_{name}" for name in names)], axes | _TEXT)


def _batch_axes(
    model: Any, text: Array, states: list[Array], forgetting: Callable[[], AbstractContextManager[None]]
) -> list[dict[int, str]]:
    """The axes of each state that are as large as the batch: larger after more rows."""
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
    """A value with what `change` returns in place of each Variable in it, in tuples and lists, too."""
    if isinstance(value, Variable) and not isinstance(value, Parameter):
        return change(value)
    if isinstance(value, (tuple, list)):
        return type(value)(_changed(each, change) for each in value)
    return value
