"""What computes the steps of a frozen model fast: the protocol, and the engine that leaves all to the kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Call", "Engine", "Operator"]

Host = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Operator:
    """What is done with each element of a result.

    Attributes:
        name: ``add``, ``multiply``, ``affine`` (a x + b), ``clip`` (floor, ceiling), ``relu`` (slope of what is
            negative), ``elu`` (alpha), ``sigmoid`` or ``tanh``.
        numbers: What it depends on.
        other: The second operand of ``add`` and ``multiply``, of the shape of the result.
    """

    name: str
    numbers: tuple[float, ...]
    other: Host | None


@dataclass(frozen=True)
class Call:
    """An operation on arrays of known shapes that lie in memory in a known way.

    Attributes:
        operation: Name of an operation of the kernels (`renga_core.kernel.Operation`); ``add`` or another `Operator`.
        arrays: Its arrays. Those that are no constants hold nothing yet: they show dtype, shape and strides.
        constant: Which of them are constants, and hold what they will hold in all calls.
        arguments: What the operation takes beside arrays.
        then: What is done with the result, in this order.
        result: Shows dtype, shape and strides of the result.
    """

    operation: str
    arrays: tuple[Host, ...]
    constant: tuple[bool, ...]
    arguments: tuple[Any, ...]
    then: tuple[Operator, ...]
    result: Host


class Engine:
    """Prepares calls. The protocol of engines; this one prepares none, so that the ordinary kernels compute.

    One engine serves one frozen model, for all sizes of its batch: it may keep constants in an order of its own. It is
    called by one thread at a time.
    """

    def prepare(self, call: Call) -> Callable[[Sequence[Host]], Callable[[], None]] | None:
        """Prepare a call.

        Returns:
            What is given the arrays, then the second operands of `then`, then the result, as they lie in memory, and
            returns what computes; or None: the ordinary kernels compute this call.
        """
        return None
