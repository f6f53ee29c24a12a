"""``python -m benchmarks.slow_network.rank WORKLOAD SECONDS``: program of each rank; rank 0 prints a line of JSON.

Every way to train has several turns, each after some unmeasured steps. All ranks take the same
number of steps.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from benchmarks.programs import with_renga
from renga.distributed import create_communicator, create_multi_node_optimizer
from renga.optimizers import SGD

__all__ = ["WAYS"]

WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "overlapped": {"overlap": True},
    "double-buffered": {"double_buffering": True},
    "float16": {"dtype": "float16"},
    "float16, overlapped": {"dtype": "float16", "overlap": True},
    "float16, double-buffered": {"dtype": "float16", "double_buffering": True},
    "bfloat16, double-buffered": {"dtype": "bfloat16", "double_buffering": True},
}
"""By name: the dtype of transferred gradients, and arguments of `create_multi_node_optimizer`."""
WARM_UP = 2
TURNS = 5
BUCKET_BYTES = 2**20  # networks of these rates need some 10 ms for it


def main(workload: str, seconds: float) -> None:
    """Measure each way, the network alone, and computing alone."""
    communicator = create_communicator("flat")
    communicator.set_config("bucket_bytes", BUCKET_BYTES)
    training = with_renga.PROGRAMS[""][workload]()
    model = training.model

    def alone() -> None:
        model.cleargrads()
        model(*training.batch).backward()
        training.optimizer.update()

    def communicate() -> None:
        communicator.multi_node_mean_grad(model)

    def ways() -> Iterator[tuple[str, Callable[[], None]]]:
        """All measured methods, each prepared before its turn."""
        yield "computing", alone
        for dtype in (None, "float16"):
            communicator.set_config("allreduce_grad_dtype", dtype)
            yield ("communicating" if dtype is None else f"communicating, {dtype}"), communicate
        for way, options in WAYS.items():
            communicator.set_config("allreduce_grad_dtype", options.get("dtype"))
            optimizer = optimizers[way].setup(model)
            yield way, partial(optimizer.update, model, *training.batch)

    optimizers: dict[str, Any] = {
        way: create_multi_node_optimizer(
            SGD(lr=1e-4), communicator, **{name: options[name] for name in options if name != "dtype"}
        )
        for way, options in WAYS.items()
    }
    turns: dict[str, list[float]] = {}
    for _ in range(TURNS):
        for way, step in ways():
            turns.setdefault(way, []).append(turn(communicator, step, seconds / TURNS))
    found = {way: {"median": statistics.median(times), "minimum": min(times)} for way, times in turns.items()}
    if communicator.rank == 0:
        size = sum(parameter.array.nbytes for parameter in model.params())
        print(json.dumps({"gradient_bytes": size, "examples": len(training.batch[0]), "seconds": found}))
    communicator.finalize()


def turn(communicator: Any, step: Callable[[], object], seconds: float) -> float:
    """Seconds per step, the mean over about this many seconds, on the slowest rank."""
    for _ in range(WARM_UP):
        step()
    communicator.barrier()
    began = time.perf_counter()
    step()
    steps = max(2, communicator.bcast_obj(int(seconds / (time.perf_counter() - began))))
    communicator.barrier()
    began = time.perf_counter()
    for _ in range(steps):
        step()
    return float(max(communicator.allgather_obj((time.perf_counter() - began) / steps)))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
