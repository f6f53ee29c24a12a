"""``python -m benchmarks.slow_network.rank WORKLOAD SECONDS``: what each rank runs; rank 0 prints one line of JSON.

Every way to train is given so many seconds in turn, after some steps that do not count. All ranks take the same number
of steps.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
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
}
"""By name: the dtype in which gradients travel, and arguments of `create_multi_node_optimizer`."""
WARM_UP = 3
BUCKET_BYTES = 2**20  # networks of these rates take some 10 ms for it


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

    found = {"computing": measured(communicator, alone, seconds)}
    for dtype in (None, "float16"):
        communicator.set_config("allreduce_grad_dtype", dtype)
        model.cleargrads()
        model(*training.batch).backward()
        name = "communicating" if dtype is None else f"communicating, {dtype}"
        found[name] = measured(communicator, lambda: communicator.multi_node_mean_grad(model), seconds)
    for way, options in WAYS.items():
        arguments = dict(options)
        communicator.set_config("allreduce_grad_dtype", arguments.pop("dtype", None))
        optimizer = create_multi_node_optimizer(SGD(lr=1e-4), communicator, **arguments)
        optimizer.setup(model)
        found[way] = measured(communicator, lambda: optimizer.update(model, *training.batch), seconds)  # noqa: B023
    if communicator.rank == 0:
        size = sum(parameter.array.nbytes for parameter in model.params())
        print(json.dumps({"gradient_bytes": size, "examples": len(training.batch[0]), "seconds": found}))
    communicator.finalize()


def measured(communicator: Any, step: Callable[[], object], seconds: float) -> dict[str, float]:
    """Seconds a step takes on the slowest rank: median, and mean over all steps."""
    for _ in range(WARM_UP):
        step()
    communicator.barrier()
    began = time.perf_counter()
    step()
    steps = max(5, communicator.bcast_obj(int(seconds / (time.perf_counter() - began))))
    times = []
    communicator.barrier()
    began = last = time.perf_counter()
    for _ in range(steps):
        step()
        now = time.perf_counter()
        times.append(now - last)
        last = now
    total = (last - began) / steps
    return {
        "median": max(communicator.allgather_obj(statistics.median(times))),
        "mean": max(communicator.allgather_obj(total)),
    }


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
