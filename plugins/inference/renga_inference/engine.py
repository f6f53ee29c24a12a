"""What computes the steps of a frozen model fast: the protocol, and the engine that leaves all to the kernels."""

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
        bind: Is given the arrays, then the second operands of `then`, then the result, as they lie in memory; it
            returns what `Engine.sequence` takes, each time another.
        weights: What gives the second array back if the engine has a copy of its own and never reads the one that it
            is given; or None.
    """

    bind: Callable[[Sequence[Host]], Any]
    weights: Callable[[], Host] | None = None


@dataclass(frozen=True)
class Operator:
    """What is done with each element of a result.

    Attributes:
        name: ``add``, ``multiply``, ``affine`` (a x + b), ``clip`` (floor, ceiling), ``relu`` (slope of what is
            negative), ``elu`` (alpha), ``sigmoid``, ``tanh``; or ``accumulate``: add what the array of the result held
            before, only as the first of several.
        numbers: What it depends on.
        other: The second operand of ``add`` and ``multiply``, of the shape of the result.
    """

    name: str
    numbers: tuple[float, ...]
    other: Host | None


@dataclass(frozen=True)
class Constant:
    """An array that is there already.

    Attributes:
        number: It has the same in all calls, and no other constant has it.
        array: Returns the array, possibly recreated.
    """

    number: int
    array: Callable[[], Host]


@dataclass(frozen=True)
class Call:
    """An operation on arrays of known shapes that lie in memory in a known way.

    Attributes:
        operation: Name of an operation of the kernels (`renga_core.kernel.Operation`), or of an `Operator`.
        arrays: Its arrays. They hold nothing yet: they show dtype, shape and strides.
        constants: Those of them that hold the same in all calls; None for others.
        arguments: Arguments of the operation that are not arrays.
        then: What is done with the result, in this order.
        result: Shows dtype, shape and strides of the result.
    """

    operation: str
    arrays: tuple[Host, ...]
    constants: tuple[Constant | None, ...]
    arguments: tuple[Any, ...]
    then: tuple[Operator, ...]
    result: Host


class Engine:
    """Prepares calls. The protocol of engines; this one prepares none, so that the ordinary kernels compute.

    One engine serves one frozen model, for all sizes of its batch: it may keep constants in an order of its own. What
    prepares is called by one thread at a time.

    Attributes:
        threads: How many there are at most.
    """

    threads = 1

    def recording(self) -> AbstractContextManager[None]:
        """Context manager for a few trial runs: kernels need not keep anything for later runs."""
        return nullcontext()

    def prepare(self, call: Call) -> Prepared | None:
        """Prepare a call; None: the ordinary kernels compute it."""
        return None

    def sequence(self, bound: Sequence[Any]) -> Callable[[], None]:
        """What computes prepared calls, bound to their arrays, one after another; for one thread at a time."""
        raise NotImplementedError

    def copier(self, target: Host) -> Callable[[Host], None] | None:
        """What copies an array without gaps to `target`, which has another order of the axes; None: NumPy copies."""
        return None

    def alone(self) -> AbstractContextManager[None]:
        """What is prepared in this ``with`` block is computed by the thread that calls it, and no other."""
        return nullcontext()

    def share(self, compute: Callable[[Iterator[int]], None], pieces: Sequence[int]) -> None:
        """Call `compute` with an iterator over `pieces`, in up to `threads` threads; each piece goes to one of them."""
        compute(iter(pieces))


def new_engine() -> Engine:
    """A new engine, of the kernel that computes convolutions here; one that prepares nothing if that kernel has none.

    A kernel of operation ``convolution`` names its engine by an attribute: ``engine = "module:Class"``. So the settings
    that choose kernels choose the engine, too.
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
