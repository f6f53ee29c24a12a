"""What a user pays for each operation beyond the arithmetic: a chain of ``y = y * w + b`` on small arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from benchmarks.timing import Contestant, Workload

SUMMARY = "chain of 100 y = y * w + b on 32 elements, microseconds per operation"
LENGTH = 100
SIZE = 32

Program = Callable[[], object]


def workloads(peers: Collection[str]) -> list[Workload]:
    """Forward alone, and forward with backward."""
    makers = {"renga": renga, "torch": torch, "numpy": numpy}
    forward, both = [], []
    for library in ("renga", *peers):
        first, second = makers[library]()
        forward.append(Contestant(library, first))
        if second is not None:
            both.append(Contestant(library, second))
    unit = ("µs", 1e6)
    return [
        Workload("forward", forward, per=2 * LENGTH, unit=unit),
        Workload("forward + backward", both, per=2 * LENGTH, unit=unit),
    ]


def arrays() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ones = np.ones(SIZE, np.float32)
    return ones, ones * np.float32(1.001), ones * np.float32(0.001)


def renga() -> tuple[Program, Program]:
    from renga import Variable

    x, w_array, b_array = arrays()
    w, b = Variable(w_array), Variable(b_array)

    def forward() -> Variable:
        y = Variable(x)
        for _ in range(LENGTH):
            y = y * w + b
        return y

    def both() -> None:
        w.cleargrad()
        b.cleargrad()
        y = forward()
        y.grad = x
        y.backward()

    return forward, both


def torch() -> tuple[Program, Program]:
    import torch

    torch.set_num_threads(1)
    x, w_array, b_array = arrays()
    start, seed = torch.from_numpy(x), torch.from_numpy(x.copy())
    w = torch.from_numpy(w_array).requires_grad_()
    b = torch.from_numpy(b_array).requires_grad_()

    def forward() -> torch.Tensor:
        y = start
        for _ in range(LENGTH):
            y = y * w + b
        return y

    def both() -> None:
        w.grad = b.grad = None
        forward().backward(seed)

    return forward, both


def numpy() -> tuple[Program, None]:
    x, w, b = arrays()

    def forward() -> np.ndarray:
        y = x
        for _ in range(LENGTH):
            y = y * w + b
        return y

    return forward, None
