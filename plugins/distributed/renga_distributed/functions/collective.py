"""What all ranks do together, with gradients.

Every rank calls the same function, and every rank's backward must come by it: if it is not used, by `pseudo_connect`.
Ranks that only take part (all but the root of `bcast` and `scatter`) may pass a Variable, which is a delegate variable
then: backward goes on from there, with zeros for its gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from renga_core.backend import Array, is_floating
from renga_core.communicator import CommunicatorBase
from renga_core.graph import Variable
from renga_distributed.functions.communication import Communication
from renga_distributed.functions.delegates import anchor

__all__ = ["allgather", "allreduce", "alltoall", "bcast", "gather", "scatter"]


def allgather(comm: CommunicatorBase, x: Any) -> tuple[Variable, ...]:
    """The variables of all ranks, on every rank; in backward each gets the sum of all ranks' gradients of its own.

    Args:
        comm: Between the ranks.
        x: Variable or array of this rank. Shapes may differ between ranks.

    Returns:
        One Variable for each rank.
    """
    return AllGather(comm).apply((x, anchor()))[:-1]


def alltoall(comm: CommunicatorBase, xs: Sequence[Any]) -> tuple[Variable, ...]:
    """Give the i-th variable to rank i; in backward gradients go back the same way.

    Args:
        comm: Between the ranks.
        xs: A variable or array for each rank.

    Returns:
        What each rank gave to this one.

    Raises:
        ValueError: There is not one for each rank.
    """
    _check_count("alltoall", comm, xs)
    return AllToAll(comm).apply((*xs, anchor()))[:-1]


def bcast(comm: CommunicatorBase, x: Any, root: int = 0) -> Variable:
    """The root's variable, on every rank; in backward the root gets the sum of all ranks' gradients.

    Args:
        comm: Between the ranks.
        x: On the root, a variable or array. On other ranks it is not sent: None, or a delegate variable.
        root: Whose.

    Returns:
        Variable of the shape and dtype of the root's.

    Raises:
        ValueError: There is no rank `root`.
    """
    _check_root("bcast", comm, root)
    inputs = (x, anchor()) if comm.rank == root else (anchor(x),)
    return Bcast(comm, root).apply(inputs)[0]


def gather(comm: CommunicatorBase, x: Any, root: int = 0) -> Any:
    """The variables of all ranks, on the root; in backward each rank gets the gradient of its own.

    Args:
        comm: Between the ranks.
        x: Variable or array of this rank. Shapes may differ between ranks.
        root: Who gets them.

    Returns:
        On the root a tuple of one Variable for each rank. On other ranks a delegate variable, which is empty: backward
        must come by it.

    Raises:
        ValueError: There is no rank `root`.
    """
    _check_root("gather", comm, root)
    ys = Gather(comm, root).apply((x, anchor()))
    return ys[:-1] if comm.rank == root else ys[-1]


def scatter(comm: CommunicatorBase, xs: Any, root: int = 0) -> Variable:
    """The i-th of the root's variables, on rank i; in backward the root gets all gradients.

    Args:
        comm: Between the ranks.
        xs: On the root, a variable or array for each rank. On other ranks it is not sent: None, or a delegate
            variable.
        root: Whose.

    Returns:
        This rank's Variable.

    Raises:
        ValueError: There is no rank `root`; there is not one variable for each rank.
    """
    _check_root("scatter", comm, root)
    if comm.rank != root:
        return Scatter(comm, root).apply((anchor(xs),))[0]
    _check_count("scatter", comm, xs)
    return Scatter(comm, root).apply((*xs, anchor()))[0]


def allreduce(comm: CommunicatorBase, x: Any) -> Variable:
    """The sum of the variables of all ranks, on every rank; in backward, the sum of all ranks' gradients.

    Args:
        comm: Between the ranks.
        x: Variable or array, of the same shape and dtype on every rank. float16 is added up in float32.

    Returns:
        Variable of the same shape and dtype.

    Raises:
        MismatchError: Shapes or dtypes differ between ranks; raised on every rank.
    """
    return AllReduce(comm).apply((x, anchor()))[0]


class AllToAll(Communication):
    """Give one to each rank, get one from each."""

    def __init__(self, comm: CommunicatorBase) -> None:
        self.communicator = comm

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        return tuple(self.communicator.alltoall(xs))

    def inverse(self) -> Communication:
        return AllToAll(self.communicator)


class AllGather(Communication):
    """Give one to all ranks, get one from each."""

    def __init__(self, comm: CommunicatorBase) -> None:
        self.communicator = comm

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        return tuple(self.communicator.allgather(xs[0]))

    def inverse(self) -> Communication:
        return SumOfShares(self.communicator)


class SumOfShares(Communication):
    """Give one to each rank, get the sum of what all gave: a reduce-scatter with shares of any shapes."""

    def __init__(self, comm: CommunicatorBase) -> None:
        self.communicator = comm

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        parts = self.communicator.alltoall(xs)
        dtype = parts[0].dtype
        total = reduce(add, [part.astype(_summing(dtype), copy=False) for part in parts])
        return (total.astype(dtype, copy=False),)

    def inverse(self) -> Communication:
        return AllGather(self.communicator)


class AllReduce(Communication):
    """Give one, get the sum of what all gave."""

    def __init__(self, comm: CommunicatorBase) -> None:
        self.communicator = comm

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        return (_sum(self.communicator, xs[0]),)

    def inverse(self) -> Communication:
        return AllReduce(self.communicator)


class _Rooted(Communication):
    """In which one rank has another part than the others."""

    def __init__(self, comm: CommunicatorBase, root: int) -> None:
        self.communicator, self._root = comm, root

    @property
    def _is_root(self) -> bool:
        return self.communicator.rank == self._root


class Bcast(_Rooted):
    """The root gives one, all get it."""

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        return (self.communicator.bcast(xs[0] if self._is_root else None, root=self._root),)

    def inverse(self) -> Communication:
        return Reduce(self.communicator, self._root)


class Reduce(_Rooted):
    """All give one, the root gets the sum."""

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        total = _sum(self.communicator, xs[0])
        return (total,) if self._is_root else ()

    def inverse(self) -> Communication:
        return Bcast(self.communicator, self._root)


class Gather(_Rooted):
    """All give one, the root gets them."""

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        return tuple(self.communicator.gather(xs[0], root=self._root) or ())

    def inverse(self) -> Communication:
        return Scatter(self.communicator, self._root)


class Scatter(_Rooted):
    """The root gives one to each rank."""

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        return (self.communicator.scatter(xs, root=self._root),)

    def inverse(self) -> Communication:
        return Gather(self.communicator, self._root)


def _sum(comm: CommunicatorBase, x: Array) -> Array:
    """The sum over all ranks, in the dtype of `x`."""
    return comm.allreduce(x.astype(_summing(x.dtype), copy=False)).astype(x.dtype, copy=False)


def _summing(dtype: Any) -> Any:
    """The dtype in which numbers of a dtype are added up: no less than float32 for 16 bits."""
    return np.dtype(np.float32) if is_floating(dtype) and dtype.itemsize == 2 else dtype


def _check_root(function: str, comm: CommunicatorBase, root: int) -> None:
    if not 0 <= root < comm.size:
        raise ValueError(f"{function}: root is {root}; the group has ranks 0 to {comm.size - 1}")


def _check_count(function: str, comm: CommunicatorBase, xs: Any) -> None:
    if not isinstance(xs, (tuple, list)) or len(xs) != comm.size:
        given = f"{len(xs)} were given" if isinstance(xs, (tuple, list)) else f"this is {type(xs).__name__}"
        raise ValueError(f"{function}: xs is a tuple or list of one variable for each of {comm.size} ranks; {given}")
