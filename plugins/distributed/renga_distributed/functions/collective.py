"""Differentiable collective communication.

Every rank calls the same function, and every rank's backward must reach it; use `pseudo_connect` for unused results.
Ranks that only take part (all but the root of `bcast` and `scatter`) may pass a Variable, which is then a delegate
variable: backward continues from there, with a zero gradient.
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
    """Return the variables of all ranks, on every rank; backward sums the gradients of all ranks.

    Args:
        comm: Between the ranks.
        x: Variable or array of this rank. Shapes may differ between ranks.

    Returns:
        One Variable for each rank.
    """
    return AllGather(comm).apply((x, anchor()))[:-1]


def alltoall(comm: CommunicatorBase, xs: Sequence[Any]) -> tuple[Variable, ...]:
    """Send the i-th variable to rank i; backward sends gradients back.

    Args:
        comm: Between the ranks.
        xs: A variable or array for each rank.

    Returns:
        The variables that the ranks sent to this one.

    Raises:
        ValueError: The number of variables differs from the number of ranks.
    """
    _check_count("alltoall", comm, xs)
    return AllToAll(comm).apply((*xs, anchor()))[:-1]


def bcast(comm: CommunicatorBase, x: Any, root: int = 0) -> Variable:
    """Return the root's variable, on every rank; backward sums the gradients of all ranks on the root.

    Args:
        comm: Between the ranks.
        x: On the root, a variable or array. On other ranks it is not sent: None, or a delegate variable.
        root: The rank that sends.

    Returns:
        Variable of the shape and dtype of the root's variable.

    Raises:
        ValueError: There is no rank `root`.
    """
    _check_root("bcast", comm, root)
    inputs = (x, anchor()) if comm.rank == root else (anchor(x),)
    return Bcast(comm, root).apply(inputs)[0]


def gather(comm: CommunicatorBase, x: Any, root: int = 0) -> Any:
    """Return the variables of all ranks, on the root; backward sends each rank its gradient.

    Args:
        comm: Between the ranks.
        x: Variable or array of this rank. Shapes may differ between ranks.
        root: The rank that receives.

    Returns:
        On the root a tuple of one Variable per rank. On other ranks an empty delegate variable, which backward must
        reach.

    Raises:
        ValueError: There is no rank `root`.
    """
    _check_root("gather", comm, root)
    ys = Gather(comm, root).apply((x, anchor()))
    return ys[:-1] if comm.rank == root else ys[-1]


def scatter(comm: CommunicatorBase, xs: Any, root: int = 0) -> Variable:
    """Return the i-th of the root's variables, on rank i; backward gathers all gradients on the root.

    Args:
        comm: Between the ranks.
        xs: On the root, a variable or array for each rank. On other ranks it is not sent: None, or a delegate
            variable.
        root: The rank that sends.

    Returns:
        This rank's Variable.

    Raises:
        ValueError: There is no rank `root`; or the number of variables differs from the number of ranks.
    """
    _check_root("scatter", comm, root)
    if comm.rank != root:
        return Scatter(comm, root).apply((anchor(xs),))[0]
    _check_count("scatter", comm, xs)
    return Scatter(comm, root).apply((*xs, anchor()))[0]


def allreduce(comm: CommunicatorBase, x: Any) -> Variable:
    """Return the sum of the variables of all ranks, on every rank; backward sums the gradients of all ranks.

    Args:
        comm: Between the ranks.
        x: Variable or array, of the same shape and dtype on every rank. float16 is summed in float32.

    Returns:
        Variable of the same shape and dtype.

    Raises:
        MismatchError: Shapes or dtypes differ between ranks; raised on every rank.
    """
    return AllReduce(comm).apply((x, anchor()))[0]


class AllToAll(Communication):
    """Send one array to each rank, receive one from each."""

    def __init__(self, comm: CommunicatorBase) -> None:
        self.communicator = comm

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        return tuple(self.communicator.alltoall(xs))

    def inverse(self) -> Communication:
        return AllToAll(self.communicator)


class AllGather(Communication):
    """Send one array to all ranks, receive one from each."""

    def __init__(self, comm: CommunicatorBase) -> None:
        self.communicator = comm

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        return tuple(self.communicator.allgather(xs[0]))

    def inverse(self) -> Communication:
        return SumOfShares(self.communicator)


class SumOfShares(Communication):
    """Send one array to each rank, receive the sum of all arrays for this rank: a reduce-scatter with any shapes."""

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
    """Send one array, receive the sum over all ranks."""

    def __init__(self, comm: CommunicatorBase) -> None:
        self.communicator = comm

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        return (_sum(self.communicator, xs[0]),)

    def inverse(self) -> Communication:
        return AllReduce(self.communicator)


class _Rooted(Communication):
    """Base of functions in which one rank has a special part."""

    def __init__(self, comm: CommunicatorBase, root: int) -> None:
        self.communicator, self._root = comm, root

    @property
    def _is_root(self) -> bool:
        return self.communicator.rank == self._root


class Bcast(_Rooted):
    """The root sends one array to all."""

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        return (self.communicator.bcast(xs[0] if self._is_root else None, root=self._root),)

    def inverse(self) -> Communication:
        return Reduce(self.communicator, self._root)


class Reduce(_Rooted):
    """The root receives the sum over all ranks."""

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        total = _sum(self.communicator, xs[0])
        return (total,) if self._is_root else ()

    def inverse(self) -> Communication:
        return Bcast(self.communicator, self._root)


class Gather(_Rooted):
    """The root receives one array from each rank."""

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        return tuple(self.communicator.gather(xs[0], root=self._root) or ())

    def inverse(self) -> Communication:
        return Scatter(self.communicator, self._root)


class Scatter(_Rooted):
    """The root sends one array to each rank."""

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        return (self.communicator.scatter(xs, root=self._root),)

    def inverse(self) -> Communication:
        return Gather(self.communicator, self._root)


def _sum(comm: CommunicatorBase, x: Array) -> Array:
    """The sum over all ranks, in the dtype of `x`."""
    return comm.allreduce(x.astype(_summing(x.dtype), copy=False)).astype(x.dtype, copy=False)


def _summing(dtype: Any) -> Any:
    """The dtype for summing: at least float32 for 16-bit dtypes."""
    return np.dtype(np.float32) if is_floating(dtype) and dtype.itemsize == 2 else dtype


def _check_root(function: str, comm: CommunicatorBase, root: int) -> None:
    if not 0 <= root < comm.size:
        raise ValueError(f"{function}: root is {root}; the group has ranks 0 to {comm.size - 1}")


def _check_count(function: str, comm: CommunicatorBase, xs: Any) -> None:
    if not isinstance(xs, (tuple, list)) or len(xs) != comm.size:
        given = f"{len(xs)} were given" if isinstance(xs, (tuple, list)) else f"this is {type(xs).__name__}"
        raise ValueError(f"{function}: xs is a tuple or list of one variable for each of {comm.size} ranks; {given}")
