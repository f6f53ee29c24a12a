"""Example arguments of the operations on regions, with which the conformance kit compares kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from renga_core.kernel import Sample
from renga_nn.functions.pooling.region_sums import BinWeights
from renga_nn.functions.pooling.regions import Weights

__all__ = ["region_spread", "region_sums"]

_SIZE = 5, 6


def _cases(rng: np.random.Generator) -> Iterator[tuple[str, int, BinWeights]]:
    """Name, channels and weights of regions of two images."""
    for name, (regions, channels, out) in {
        "a grid": (3, 5, (2, 3)),
        "many channels": (4, 70, (2, 2)),
        "one bin": (2, 1, (1, 1)),
        "no regions": (0, 3, (2, 2)),
    }.items():
        axes = []
        for size, number in zip(_SIZE, out, strict=True):
            # A weight of 0 leaves the pixel out: bins of several sizes, some of them empty.
            weight = rng.uniform(0, 1, (regions, number, 4)) * (rng.random((regions, number, 4)) < 0.7)
            axes.append(Weights.of(rng.integers(0, size, weight.shape), weight))
        first = rng.integers(0, 2, (regions, *out)) * (_SIZE[0] * _SIZE[1])
        yield name, channels, BinWeights(first, _SIZE[1], *axes)


def region_sums(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(pixels, weights)``."""
    for name, channels, weights in _cases(rng):
        yield Sample(name, (rng.uniform(-1, 1, (2 * _SIZE[0] * _SIZE[1], channels)).astype(dtype), weights))


def region_spread(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(gy, weights, count)``."""
    for name, channels, weights in _cases(rng):
        n, *out = weights.first.shape
        gy = rng.uniform(-1, 1, (n, channels, *out)).astype(dtype)
        yield Sample(name, (gy, weights, 2 * _SIZE[0] * _SIZE[1]))
