"""The protocol of engines, which compute the steps of a frozen model fast, and a default engine for the kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from renga_core.kernel.candidates import offered_kernels
from renga_core.plugin import State
from renga_core.plugin.provider import resolve
from renga_core.settings import lookup

__all__ = ["Call", "Constant", "Engine", "Operator", "Prepared", "new_engine"]

Host = np.ndarray[Any, Any]


class Prepared(NamedTuple):
    """A call that an engine has prepared.

    Attributes:
        bind: Takes the arrays, then the second operands of `then`, then the result, at their addresses. It returns an
            object for `Engine.sequence`, a new one each time.
        weights: Function that returns the second array, if the engine has its own copy and never reads the original;
            else None.
    """

    bind: Callable[[Sequence[Host]], Any]
    weights: Callable[[], Host] | None = None


@dataclass(frozen=True)
class Operator:
    """An elementwise operation on a result.

    Attributes:
        name: ``add``, ``multiply``, ``affine`` (a x + b), ``clip`` (floor, ceiling), ``relu`` (slope of what is
            negative), ``elu`` (alpha), ``sigmoid``, ``tanh``; or ``accumulate``: add what the array of the result held
            before, only as the first of several.
        numbers: Parameters of the operation.
        other: Second operand of ``add`` and ``multiply``, with the shape of the result.
    """

    name: str
    numbers: tuple[float, ...]
    other: Host | None


@dataclass(frozen=True)
class Constant:
    """A constant array.

    Attributes:
        number: Number of the constant: the same in all calls, and unique.
        array: Returns the array, possibly recreated.
    """

    number: int
    array: Callable[[], Host]


@dataclass(frozen=True)
class Call:
    """An operation on arrays with known shapes and memory layouts.

    Attributes:
        operation: Name of an operation of the kernels (`renga_core.kernel.Operation`), or of an `Operator`.
        arrays: Arrays with the right dtype, shape and strides, but undefined elements.
        constants: For each array, its constant if it is the same in all calls; else None.
        arguments: Arguments of the operation that are not arrays.
        then: Elementwise operations on the result, in order.
        result: Array with dtype, shape and strides of the result.
    """

    operation: str
    arrays: tuple[Host, ...]
    constants: tuple[Constant | None, ...]
    arguments: tuple[Any, ...]
    then: tuple[Operator, ...]
    result: Host


class Engine:
    """Prepares calls. The protocol of engines; this one prepares none, so that the ordinary kernels compute.

    One engine serves one frozen model, for all batch sizes: it may keep constants in its own memory order. One thread
    at a time calls its preparing methods.

    Attributes:
        threads: Largest number of threads.
    """

    threads = 1

    def recording(self) -> AbstractContextManager[None]:
        """Context manager for a few trial runs: kernels need not keep anything for later runs."""
        return nullcontext()

    def prepare(self, call: Call) -> Prepared | None:
        """Prepare a call; None: the ordinary kernels compute it."""
        return None

    def sequence(self, bound: Sequence[Any]) -> Callable[[], None]:
        """Return an object that computes prepared calls one after another, bound to their arrays; for one thread at a
        time."""
        raise NotImplementedError

    def copier(self, target: Host) -> Callable[[Host], None] | None:
        """Return a function that copies an array to `target`, with another axis order; None: NumPy copies."""
        return None

    def alone(self) -> AbstractContextManager[None]:
        """Calls prepared in this ``with`` block run in the calling thread only."""
        return nullcontext()

    def share(self, compute: Callable[[Iterator[int]], None], pieces: Sequence[int]) -> None:
        """Call `compute` with an iterator over `pieces`, in up to `threads` threads; each piece goes to one of them."""
        compute(iter(pieces))


def new_engine() -> Engine:
    """Create the engine of the convolution kernel in use; the default engine if the kernel names none.

    A kernel of operation ``convolution`` names its engine by an attribute: ``engine = "module:Class"``. So the settings
    for kernels also choose the engine.
    """
    wanted = lookup("kernels.convolution").value
    for offer in offered_kernels("convolution", "numpy"):
        names = (None, offer.plugin.name, offer.name, offer.full_name)
        if wanted in names and offer.status.state is State.READY and offer.probe().state is State.READY:
            engine = getattr(offer.load(), "engine", None)
            if engine is not None:
                made: Engine = resolve(engine)()
                return made
    return Engine()
