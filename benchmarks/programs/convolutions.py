"""Shapes of the convolutions that are timed separately."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

__all__ = ["CASES", "Case", "arrays", "programs"]


class Case(NamedTuple):
    """A convolution of images ``x`` by filters ``W``."""

    title: str
    x: tuple[int, ...]
    W: tuple[int, ...]
    stride: int = 1
    pad: int = 0
    dilate: int = 1
    groups: int = 1


_CASES = (
    Case("3×3, 64→64 at 56²", (8, 64, 56, 56), (64, 64, 3, 3), pad=1),
    Case("3×3, 128→128 at 28²", (8, 128, 28, 28), (128, 128, 3, 3), pad=1),
    Case("3×3, 256→256 at 14²", (8, 256, 14, 14), (256, 256, 3, 3), pad=1),
    Case("3×3 stride 2, 64→128 at 56²", (8, 64, 56, 56), (128, 64, 3, 3), 2, 1),
    Case("7×7 stride 2, 3→64 at 224²", (4, 3, 224, 224), (64, 3, 7, 7), 2, 3),
    Case("5×5, 1→20 at 28²", (64, 1, 28, 28), (20, 1, 5, 5)),
    Case("5×5, 20→50 at 12²", (64, 20, 12, 12), (50, 20, 5, 5)),
    Case("1×1, 256→64 at 56²", (8, 256, 56, 56), (64, 256, 1, 1)),
    Case("1×1, 64→256 at 56²", (8, 64, 56, 56), (256, 64, 1, 1)),
    Case("3×3 depthwise, 128 at 28²", (8, 128, 28, 28), (128, 1, 3, 3), pad=1, groups=128),
    Case("3×3 dilated by 2, 64→64 at 28²", (8, 64, 28, 28), (64, 64, 3, 3), pad=2, dilate=2),
    Case("3, 64→64 at 1024 (one axis)", (8, 64, 1024), (64, 64, 3), pad=1),
    Case("3×3×3, 16→32 at 16³", (4, 16, 16, 16, 16), (32, 16, 3, 3, 3), pad=1),
    Case("3×3, 8→8 at 8², one image", (1, 8, 8, 8), (8, 8, 3, 3), pad=1),
)
CASES = {f"convolution_{number}": case for number, case in enumerate(_CASES, 1)}


def arrays(case):
    """Images with channels last in memory, as after the first layer of a network; filters; biases."""
    rng = np.random.default_rng(0)
    n, c, *size = case.x
    x = np.moveaxis(rng.standard_normal((n, *size, c), dtype=np.float32), -1, 1)
    W = rng.standard_normal(case.W, dtype=np.float32) / np.float32(math.sqrt(math.prod(case.W[1:])))
    return x, W, np.zeros(case.W[0], np.float32)


def programs(build):
    """A program for each single case, by workload: ``build(case, backward)`` makes one."""
    return {
        f"{name}{suffix}": build(case, backward)
        for suffix, backward in (("_forward", False), ("", True))
        for name, case in CASES.items()
    }
