"""What can be captured as a CUDA graph: operations one by one, then whole training steps."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.gpu.parts.reporting import attempt, require_gpu


def operations(cp: Any) -> dict[str, Callable[[], object]]:
    """Operations on small arrays that are created in advance."""
    import renga.functions as F

    x = cp.ones((8, 16), dtype=cp.float32)
    half, images = x.astype(cp.float16), cp.ones((2, 4, 8, 8), dtype=cp.float32)
    filters, square = cp.ones((4, 4, 3, 3), dtype=cp.float32), cp.ones((4, 8, 8), dtype=cp.float32)
    one, labels = cp.ones(4, dtype=cp.float32), cp.zeros(8, dtype=cp.int64)
    return {
        "product, CuPy's own": lambda: x @ x.T,
        "product": lambda: F.matmul(x, x.T),
        "product, float16": lambda: F.matmul(half, half.T),
        "product, batched": lambda: F.matmul(square, square),
        "convolution": lambda: F.convolution_2d(images, filters),
        "batch normalization": lambda: F.batch_normalization(images, one, one),
        "max pooling": lambda: F.max_pooling_2d(images, 2),
        "softmax": lambda: F.softmax(x),
        "softmax cross entropy": lambda: F.softmax_cross_entropy(x, labels),
        "layer normalization": lambda: F.layer_normalization(x, x[0], x[0]),
        "dropout": lambda: F.dropout(x, 0.5),
        "sorting": lambda: cp.argsort(x),
        "8 arrays side by side": lambda: cp.concatenate([x] * 8),
        "9 arrays side by side": lambda: cp.concatenate([x] * 9),
    }


def main() -> None:
    require_gpu()
    import cupy

    from benchmarks.gpu.sizes import TINY, Size
    from benchmarks.gpu.with_renga import RengaStep
    from renga import using_config

    for name, run in operations(cupy).items():
        stream = cupy.cuda.Stream(non_blocking=True)

        def captured(run: Callable[[], object] = run, stream: Any = stream) -> None:
            with stream, using_config("type_check", False):
                run()  # this creates plans, kernels and memory
                stream.begin_capture()
                try:
                    kept = run()
                finally:
                    graph = stream.end_capture()
                graph.launch()
                stream.synchronize()
                del kept

        attempt(name, captured)

    def step(size: Size, dtype: str) -> object:
        return RengaStep(size, "cupy:0", dtype, capture=True).loss()

    for size in TINY:
        for dtype in ("float32", "float16"):
            attempt(f"training step of {size.name}, {dtype}", partial(step, size, dtype))


if __name__ == "__main__":
    main()
