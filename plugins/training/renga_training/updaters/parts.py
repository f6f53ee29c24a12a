"""Computing the gradient of a batch in parts: one after another, or on several devices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from renga_core.backend import Device, get_device
from renga_core.configuration import config
from renga_core.link import Link
from renga_core.optimizer import Optimizer
from renga_core.reporter import get_current_reporter, report
from renga_training.summary import DictSummary

__all__ = ["Part", "backward_in_parts", "call", "converted", "on_device"]


@dataclass(frozen=True)
class Part:
    """Some examples, and the model that computes their gradient.

    Attributes:
        model: The trained model, or its copy on another device.
        device: The device for the examples.
        batch: The examples.
    """

    model: Link
    device: Device | str | None
    batch: Any


def call(function: Callable[..., Any], arguments: Any) -> Any:
    """Call a function with a converter's result: several arguments, named arguments, or one."""
    if isinstance(arguments, tuple):
        return function(*arguments)
    if isinstance(arguments, dict):
        return function(**arguments)
    return function(arguments)


def converted(converter: Callable[..., Any], batch: Any, device: Any) -> Any:
    """Convert a batch.

    Raises:
        RuntimeError: The converter raised StopIteration, which would look like the end of the data.
    """
    try:
        return converter(batch, device)
    except StopIteration as error:
        name = getattr(converter, "__qualname__", None) or type(converter).__qualname__
        raise RuntimeError(f"the converter {name} raised StopIteration: a next() in it had nothing left") from error


def on_device(device: Device | str | None) -> AbstractContextManager[object]:
    """Make a `Device` the current device while a ``with`` block runs. Names of devices are left to the converter."""
    return device.use() if isinstance(device, Device) else nullcontext()


def backward_in_parts(
    optimizer: Optimizer,
    parts: Sequence[Part],
    convert: Callable[..., Any],
    loss_of: Callable[[Link], Callable[..., Any]],
) -> None:
    """Compute the gradient of the mean loss of all examples, part by part.

    A part's loss and reported values are weighted by its number of examples, as if all parts were one batch.

    Args:
        optimizer: The optimizer; its target, the main model, gets the gradient, times the loss scale.
        parts: The parts. Copies of the model first get the parameters and persistent values of the main model.
        convert: ``convert(batch, device)`` makes arrays.
        loss_of: Returns the loss function of a model.
    """
    main = optimizer.target
    total = sum(len(part.batch) for part in parts)
    last: dict[str, Any] = {}
    reported: list[tuple[dict[str, Any], int]] = []
    copies: list[Link] = []
    for number, part in enumerate(parts):
        if part.model is not main and part.model not in copies:
            # Only now, because the main model may learn its parameters' shapes in an earlier part.
            part.model.copyparams(main)
            part.model.cleargrads()
            copies.append(part.model)
        observation: dict[str, Any] = {}
        with nullcontext() if part.device is None else get_device(part.device).use():
            with _reported_to(observation):
                loss = [call(loss_of(part.model), converted(convert, part.batch, part.device))]
            if number == 0:
                # Only now, because parameters of unknown shape have been initialized.
                optimizer.discard_grads()
            # Keep no reference to the loss, so that arrays are freed during backward.
            _times(loss.pop(), len(part.batch) / total).backward(loss_scale=optimizer.loss_scale)
        if part.model is main:
            last.update(observation)
        reported.append((observation, len(part.batch)))
    for model in copies:
        main.addgrads(model)
    # A mean has no graph: extensions that need one (`DumpGraph`) get the graph of the main model's last part.
    report(last if config.keep_graph_on_report else {**last, **_means(reported, main.device)})


def _times(loss: Any, share: float) -> Any:
    """The loss times its weight."""
    return loss if share == 1 else loss * share


def _means(reported: Sequence[tuple[dict[str, Any], int]], device: Device) -> dict[str, Any]:
    """The mean of each scalar over all examples. A value with its own weight gets the sum of its weights."""
    plain, weighted = DictSummary(), defaultdict[str, list[tuple[Any, Any]]](list)
    for observation, size in reported:
        for key, value in observation.items():
            if isinstance(value, tuple) and len(value) == 2:
                weighted[key].append((_on(device, value[0]), _on(device, value[1])))
            elif not isinstance(value, tuple):
                plain.add({key: (_on(device, value), size)})
    means = plain.compute_mean()
    for key, pairs in weighted.items():
        total = sum(weight for _, weight in pairs)
        means[key] = (sum(value * weight for value, weight in pairs) / total if total else pairs[0][0], total)
    return means


def _on(device: Device, value: Any) -> Any:
    """Return a Variable's array, or an array, on the device; anything else unchanged."""
    array = getattr(value, "array", value)
    return device.send(array) if hasattr(array, "ndim") else array


def _reported_to(observation: dict[str, Any]) -> AbstractContextManager[None]:
    try:
        return get_current_reporter().scope(observation)
    except RuntimeError:  # there is no current reporter
        return nullcontext()
