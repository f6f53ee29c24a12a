"""Dividing a data set among ranks."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from renga_core import random
from renga_core.communicator import CommunicatorBase
from renga_core.dataset import Dataset
from renga_core.errors import RengaError
from renga_data.datasets import SubDataset
from renga_data.datasets.take import take

__all__ = ["DataSizeError", "scatter_dataset", "scatter_index"]

Indices = np.ndarray[Any, np.dtype[np.intp]]

_LARGEST = 2**31 - 1  # bytes in a message of MPI


class DataSizeError(RengaError, RuntimeError):
    """`max_buf_len` is not a valid message size."""


def scatter_dataset(
    dataset: Dataset | None,
    comm: CommunicatorBase,
    root: int = 0,
    shuffle: bool = False,
    seed: int | None = None,
    max_buf_len: int = 256 * 1024 * 1024,
    *,
    force_equal_length: bool = True,
) -> SubDataset:
    """Divide rank `root`'s data set among the ranks. Every rank calls this.

    Each example is in at least one part. Lists, tuples, NumPy arrays, and `TupleDataset`, `DictDataset`,
    `TransformDataset` and `SubDataset` of these are divided: a rank receives only its part. Any other data set is sent
    whole, because it may read its examples on request, from files that all ranks can read. If every rank has the data
    set anyway, use `scatter_index`, which sends nothing.

    Args:
        dataset: Anything that can be pickled; ignored on ranks other than `root`.
        comm: The communicator.
        root: The rank with the data set.
        shuffle: Divide a random permutation, instead of contiguous parts.
        seed: The same seed (0 to 2**32 - 1) gives the same parts. None: the next seed of `renga_core.random`. Rank
            `root`'s seed is used.
        max_buf_len: The largest number of bytes to send at a time; the data set may be larger.
        force_equal_length: All parts have ``ceil(n / size)`` examples, so that all ranks make the same number of
            updates; for this, up to ``size - 1`` examples are in more than one part. Otherwise each is in one part, and
            lengths differ by at most one, which is better for evaluation.

    Returns:
        This rank's part.

    Raises:
        MismatchError: Ranks pass different arguments; raised on every rank.
        ValueError: There is no rank `root`.
        DataSizeError: `max_buf_len` is not between 1 and 2**31 - 1.

    Source: ChainerMN's documentation, *Dataset Utilities*.
    """
    if not 1 <= max_buf_len <= _LARGEST:
        raise DataSizeError(f"max_buf_len is between 1 and {_LARGEST} bytes, not {max_buf_len}")
    _check_root(root, comm)
    comm.agree("scatter_dataset", {"root": root, "max_buf_len": max_buf_len, "force_equal_length": force_equal_length})
    if shuffle and seed is None:
        seed = random.spawn_seed() % 2**32  # on every rank, so that their next seeds stay the same
    order, cut = None, False
    if comm.rank == root:
        if shuffle:
            # NumPy has frozen RandomState: its permutations are the same in all versions.
            order = np.random.RandomState(seed).permutation(len(_given(dataset)))
        cut = take(_given(dataset), np.arange(0)) is not None
    if not comm.bcast_obj(cut, root=root):
        dataset, order = comm.bcast_obj((dataset, order), max_buf_len, root)
    elif comm.rank == root:
        _send_parts(_given(dataset), order, comm, max_buf_len, force_equal_length)
    else:
        received = _receive(comm, root)
        return SubDataset(received, 0, len(received))
    whole = _given(dataset)
    return SubDataset(whole, *_part(len(whole), comm, comm.rank, force_equal_length), order)


def scatter_index(
    n_total_samples: int | None, comm: CommunicatorBase, root: int = 0, *, force_equal_length: bool = True
) -> tuple[int, int]:
    """Return the bounds of each rank's part of a data set, for data that every rank can read itself::

        begin, end = scatter_index(len(dataset), comm)
        part = SubDataset(dataset, begin, end)

    For parts of a random permutation, also pass `SubDataset` an `order` that is the same on every rank, such as
    ``numpy.random.RandomState(seed).permutation(len(dataset))``.

    Args:
        n_total_samples: Number of examples; ignored on ranks other than `root`.
        comm: The communicator.
        root: The rank whose number is used.
        force_equal_length: As in `scatter_dataset`.

    Returns:
        The first position, and the position after the last.

    Raises:
        ValueError: There is no rank `root`, or the number is negative.
    """
    _check_root(root, comm)
    size = comm.bcast_obj(n_total_samples, root=root)
    if size is None or size < 0:
        raise ValueError(f"n_total_samples of rank {root} must be a number of examples, not {size}")
    return _part(size, comm, comm.rank, force_equal_length)


def _part(n: int, comm: CommunicatorBase, rank: int, equal: bool) -> tuple[int, int]:
    """The start and end of a rank's part of `n` examples."""
    if not equal:
        return comm.share(n, rank)
    begin = n * rank // comm.size
    return begin, begin - (-n // comm.size)


def _check_root(root: int, comm: CommunicatorBase) -> None:
    if not 0 <= root < comm.size:
        raise ValueError(f"root must be a rank from 0 to {comm.size - 1}, not {root}")


def _given(dataset: Dataset | None) -> Dataset:
    if dataset is None:
        raise ValueError("rank `root` passed no data set")
    return dataset


def _send_parts(dataset: Dataset, order: Indices | None, comm: CommunicatorBase, max_buf_len: int, equal: bool) -> None:
    """Send each other rank its part, in pieces."""
    indices = np.arange(len(dataset)) if order is None else order
    for rank in range(comm.size):
        if rank != comm.rank:
            begin, end = _part(len(dataset), comm, rank, equal)
            pickled = np.frombuffer(pickle.dumps(take(dataset, indices[begin:end]), protocol=5), np.uint8)
            comm.send_obj(-(-len(pickled) // max_buf_len), rank, 0)
            for at in range(0, len(pickled), max_buf_len):
                comm.send(pickled[at : at + max_buf_len], rank, 0)


def _receive(comm: CommunicatorBase, source: int) -> Any:
    """Receive the part that rank `source` sends to this rank."""
    pieces = [comm.recv(source, 0) for _ in range(comm.recv_obj(source, 0))]
    return pickle.loads(np.concatenate(pieces).data)
