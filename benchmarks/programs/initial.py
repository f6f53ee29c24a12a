"""Batches and initial weights of the workloads: the same numbers for every library. NumPy 1.23 or newer."""

from __future__ import annotations

import math
import zlib

import numpy as np

__all__ = ["CHAIN_LENGTH", "array", "by_gate", "causal_mask", "chain", "chains", "labels", "weight"]

CHAIN_LENGTH = 100
"""Number of steps of the chain that measures the overhead; each step is two operations."""


def weight(path, shape):
    """Initial value of the parameter at `path`, such as ``/conv1/W``: the same in all libraries.

    Vectors are zeros, except that those named gamma are ones. Matrices give outputs of unit variance for inputs of unit
    variance.
    """
    if len(shape) == 1:
        return np.full(shape, path.endswith("gamma"), np.float32)
    rng = np.random.default_rng(zlib.crc32(path.encode()))
    return rng.standard_normal(shape, dtype=np.float32) / np.float32(math.sqrt(math.prod(shape[1:])))


def by_gate(weights):
    """The rows of Chainer's StatelessLSTM, where the gates a, i, f, o are interleaved, sorted into blocks i, f, a, o.

    That is the order of PyTorch's LSTMCell, and of the matrices w0 to w3 and w4 to w7 of NStepLSTM.
    """
    return np.concatenate([weights[gate::4] for gate in (1, 2, 0, 3)])


def array(*shape):
    """A batch of standard normal numbers."""
    return np.random.default_rng(1).standard_normal(shape, dtype=np.float32)


def labels(classes, *shape):
    """Integers, int32, below `classes`."""
    return np.random.default_rng(2).integers(0, classes, shape).astype(np.int32)


def causal_mask(length):
    """The causal mask that is added to the scores of attention: 0, and -1e9 above the diagonal."""
    return np.triu(np.full((length, length), -1e9, np.float32), 1)


def chain(size):
    """Initial values y, w and b of the chain ``y = y * w + b``, which measures the overhead of an operation."""
    ones = np.ones(size, np.float32)
    return ones, ones * np.float32(1.001), ones * np.float32(0.001)


def chains(build):
    """The programs of the overhead, by workload: ``build(size, backward)`` makes one."""
    return {
        f"overhead_{size}{suffix}": build(size, backward)
        for suffix, backward in (("_forward", False), ("", True))
        for size in (1, 32)
    }
