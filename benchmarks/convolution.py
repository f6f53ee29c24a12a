"""What convolutions cost, forward and backward: a dozen shapes, by each kernel there is for NumPy arrays.

The peers are PyTorch on its own layout (NCHW), PyTorch on channels last, and Renga without oneDNN: the best of NumPy's
own kernels. Renga's images have their channels last in memory, as after the first layer of a network.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

import numpy as np

from benchmarks.timing import Contestant, Workload

SUMMARY = "convolutions: y = conv(x), and its three gradients"


class Case(NamedTuple):
    """A convolution: of images ``x`` by filters ``W``."""

    name: str
    x: tuple[int, ...]
    W: tuple[int, ...]
    stride: int = 1
    pad: int = 0
    dilate: int = 1
    groups: int = 1


CASES = (
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

Program = Callable[[], object]


def workloads(peers: Collection[str]) -> list[Workload]:
    """Forward, and forward with backward, for each shape."""
    found = []
    for case in CASES:
        contestants = [("renga", renga(case), nullcontext)]
        if "torch" in peers:
            contestants.append(("torch", torch(case, False), nullcontext))
            if len(case.x) > 3:
                contestants.append(("torch, channels last", torch(case, True), nullcontext))
        if "numpy" in peers:
            contestants.append(("renga, numpy's kernels", renga(case), without_onednn))
        for i, phase in enumerate(("forward", "forward + backward")):
            runners = [Contestant(name, programs[i], around) for name, programs, around in contestants]
            found.append(Workload(f"{case.name}, {phase}", runners))
    return found


def arrays(case: Case) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Images with channels last in memory, filters, biases."""
    rng = np.random.default_rng(0)
    n, c, *size = case.x
    x = np.moveaxis(rng.standard_normal((n, *size, c), dtype=np.float32), -1, 1)
    W = rng.standard_normal(case.W, dtype=np.float32) / np.float32(math.sqrt(math.prod(case.W[1:])))
    return x, W, np.zeros(case.W[0], np.float32)


def without_onednn() -> AbstractContextManager[None]:
    """Settings in which NumPy's own kernels compute."""
    import renga

    return renga.using({"plugins.disable": ["onednn"]})


def renga(case: Case) -> tuple[Program, Program]:
    import renga.functions as F
    from renga import Variable

    x, W, b = map(Variable, arrays(case))
    geometry = {"stride": case.stride, "pad": case.pad, "dilate": case.dilate, "groups": case.groups}

    def forward() -> Variable:
        return F.convolution_nd(x, W, b, **geometry)

    seed = np.ones_like(forward().array)

    def both() -> None:
        for variable in (x, W, b):
            variable.cleargrad()
        y = forward()
        y.grad = seed
        y.backward()

    return forward, both


def torch(case: Case, last: bool) -> tuple[Program, Program]:
    import torch

    memory = torch.contiguous_format
    if last:
        memory = torch.channels_last if len(case.x) == 4 else torch.channels_last_3d
    x, W, b = (torch.from_numpy(np.ascontiguousarray(a)) for a in arrays(case))
    x = x.contiguous(memory_format=memory).requires_grad_()
    W = W.contiguous(memory_format=memory).requires_grad_()
    b.requires_grad_()
    convolve = getattr(torch.nn.functional, f"conv{len(case.x) - 2}d")

    def forward() -> torch.Tensor:
        return convolve(x, W, b, case.stride, case.pad, case.dilate, case.groups)

    seed = torch.ones_like(forward())

    def both() -> None:
        x.grad = W.grad = b.grad = None
        forward().backward(seed)

    return forward, both
