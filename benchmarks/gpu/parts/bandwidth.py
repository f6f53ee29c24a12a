"""Bytes per second of each kernel, compared with a copy, which shows the limit of the memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.gpu.parts.reporting import emit, require_gpu

REPEATS = 20


def seconds(cp: Any, run: Callable[[], object]) -> float:
    """The shortest time of a call on the GPU."""
    run()
    best = float("inf")
    for _ in range(REPEATS):
        first, last = cp.cuda.Event(), cp.cuda.Event()
        first.record()
        run()
        last.record()
        last.synchronize()
        best = min(best, cp.cuda.get_elapsed_time(first, last) / 1e3)
    return best


def forward(cp: Any, x: Any) -> dict[str, tuple[float, Callable[[], object]]]:
    """Calls on an array of (8192, 4096), with the number of times that each reads or writes the whole array."""
    import renga.functions as F

    one, images = cp.ones(4096, dtype=x.dtype), x.reshape(64, 128, 64, 64)
    channel, labels = cp.ones(128, dtype=cp.float32), cp.zeros(8192, dtype=cp.int64)
    return {
        "copy": (2, x.copy),
        "relu": (2, lambda: F.relu(x)),
        "sigmoid": (2, lambda: F.sigmoid(x)),
        "dropout": (2, lambda: F.dropout(x, 0.5)),
        "dropout and a sum": (3, lambda: F.dropout_add(x, x, 0.5)),
        "softmax": (2, lambda: F.softmax(x)),
        "softmax cross entropy": (1, lambda: F.softmax_cross_entropy(x, labels)),
        "layer normalization": (2, lambda: F.layer_normalization(x, one, one)),
        "batch normalization": (2, lambda: F.batch_normalization(images, channel, channel)),
        "max pooling": (1.25, lambda: F.max_pooling_2d(images, 2)),
        "average pooling": (1.25, lambda: F.average_pooling_2d(images, 2)),
        "sum over rows": (1, lambda: x.sum(axis=0)),
    }


def backward(x: Any) -> dict[str, tuple[float, Callable[[], object]]]:
    """The same for backward passes."""
    import renga.functions as F
    from renga import Variable, grad

    given = Variable(x)
    outputs = {"relu": F.relu(given), "softmax": F.softmax(given)}
    return {f"{name}, backward": (3, partial(grad, [y], [given], [Variable(y.array)])) for name, y in outputs.items()}


def main() -> None:
    require_gpu()
    import cupy as cp

    for dtype in ("float32", "float16"):
        x = cp.random.standard_normal((8192, 4096), dtype=cp.float32).astype(dtype)
        for name, (times, run) in {**forward(cp, x), **backward(x)}.items():
            emit(kernel=f"{name}, {dtype}", gb_per_second=round(times * x.nbytes / seconds(cp, run) / 1e9, 1))


if __name__ == "__main__":
    main()
