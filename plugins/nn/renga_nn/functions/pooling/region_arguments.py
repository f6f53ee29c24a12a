"""Example arguments of the operations on regions, with which the conformance kit compares kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from renga_core.kernel import Sample
from renga_nn.functions.pooling.region_maxima import REGION_MAXIMA, BinSamples
from renga_nn.functions.pooling.region_sums import BinWeights
from renga_nn.functions.pooling.regions import Weights
from renga_nn.functions.pooling.samples import Samples

__all__ = ["region_maxima", "region_maxima_spread", "region_spread", "region_sums"]

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


def _sampled(rng: np.random.Generator) -> Iterator[tuple[str, int, BinSamples]]:
    """Name, channels and samples of regions of two images."""
    for name, (regions, channels, out, between) in {
        "between pixels": (3, 5, (2, 3), True),
        "between pixels, many channels": (4, 70, (2, 2), True),
        "whole pixels": (3, 5, (2, 3), False),
        "whole pixels, many channels": (4, 70, (1, 2), False),
        "no regions": (0, 3, (2, 2), False),
    }.items():
        axes = []
        for size, number in zip(_SIZE, out, strict=True):
            low = rng.integers(0, size - 3, (regions, number))
            if between:
                low = low[..., None] + rng.integers(0, 3, (regions, number, 3))
                valid = rng.random(low.shape) < 0.7
                axes.append(Samples(low, low + 1, rng.random(low.shape), valid, np.full((regions, 1, 1), 3.0)))
            else:
                axes.append(Samples.of_pixels(low, low + rng.integers(1, 4, low.shape), size))
        first = rng.integers(0, 2, (regions, *out)) * (_SIZE[0] * _SIZE[1])
        rows, columns = axes
        yield name, channels, BinSamples(first, _SIZE, rows, columns, between)


def region_maxima(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(pixels, samples)``; of equal pixels the first one counts as the largest."""
    for name, channels, samples in _sampled(rng):
        pixels = rng.integers(-3, 4, (2 * _SIZE[0] * _SIZE[1], channels)).astype(dtype)
        yield Sample(name, (pixels, samples))


def region_maxima_spread(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(gy, number, samples, count)``."""
    for name, channels, samples in _sampled(rng):
        pixels = rng.uniform(-1, 1, (2 * _SIZE[0] * _SIZE[1], channels))
        y, number = REGION_MAXIMA.reference.forward(pixels, samples)
        yield Sample(name, (rng.uniform(-1, 1, y.shape).astype(dtype), number, samples, len(pixels)))
