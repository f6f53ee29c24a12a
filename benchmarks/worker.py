"""Runs one workload with one library in its own process: `python -m benchmarks.worker LIBRARY VARIANT WORKLOAD`.

Each line on standard input is a request in JSON, such as ``{"do": "run", "seconds": 0.3}``; the answer on standard
output is ``{"result": …}`` or ``{"error": "what happened"}``. `benchmarks.race` sends the requests.

Runs in the library's environment: needs nothing but that library and NumPy 1.23 or newer.
"""

from __future__ import annotations

import gc
import importlib
import importlib.metadata
import importlib.util
import json
import math
import os
import platform
import resource
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

ENOUGH = 0.005
"""Smallest duration of a timed run, in seconds: a short step is repeated."""


class Worker:
    """The requests, one method each.

    Args:
        library: Name of `benchmarks.programs.with_LIBRARY`.
        variant: A key of its `PROGRAMS`.
        workload: Key of its programs; a name like ``folder/name`` is in a folder of `benchmarks.programs`.
    """

    def __init__(self, library, variant, workload):
        self.library = library
        self.module = programs(library, workload)
        self.program = None if self.module is None else self.module.PROGRAMS.get(variant, {}).get(workload)
        self.step: Callable[[], Any] | None = None
        self.repeats: int | None = None

    def start(self):
        """Whether the library has the workload; versions; and the memory after importing."""
        return {"there": self.program is not None, "versions": versions(self.library), "memory": peak_memory()}

    def build(self):
        """Build the network. The peak memory so far."""
        assert self.program is not None
        self.step = self.program()
        return peak_memory()

    def built(self):
        """The training step that `build` has made."""
        assert self.step is not None
        return self.step

    def losses(self, count):
        """The results of the first steps, one number each."""
        step = self.built()
        return [self.number(step()) for _ in range(count)]

    def number(self, result):
        """Return a single number: the loss itself, or the root mean square of another result."""
        parts = result if isinstance(result, tuple) else (result,)
        values = np.concatenate([np.ravel(self.module.to_numpy(part)).astype(np.float64) for part in parts])
        return float(values[0] if values.size == 1 else math.sqrt(np.mean(values * values)))

    def run(self, seconds):
        """Make steps for about this time, at least one. Return the seconds of each, or of each group of short steps."""
        step = self.built()
        if self.repeats is None:
            gc.collect()
            step()
            start = time.perf_counter()
            step()
            self.repeats = max(1, math.ceil(ENOUGH / (time.perf_counter() - start)))
        times: list[float] = []
        end = time.perf_counter() + seconds
        while not times or time.perf_counter() < end:
            start = time.perf_counter()
            for _ in range(self.repeats):
                step()
            times.append((time.perf_counter() - start) / self.repeats)
        return times

    def memory(self):
        """The most bytes that this process has had resident so far."""
        return peak_memory()


def programs(library, workload):
    """Return the module with a library's program for a workload; None if there is none."""
    folder, slash, _ = workload.rpartition("/")
    place = "benchmarks.programs." + folder + slash.replace("/", ".") + "with_" + library
    return importlib.import_module(place) if place in sys.modules or importlib.util.find_spec(place) else None


def versions(library):
    """Versions of Python, NumPy and the library."""
    return {"Python": platform.python_version(), "numpy": np.__version__, library: importlib.metadata.version(library)}


def peak_memory():
    """The most bytes that this process has had resident so far."""
    try:
        # Not ru_maxrss: on Linux it starts with the parent's memory at the time of the fork.
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
    except FileNotFoundError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def serve(worker, requests, answers):
    """Answer requests until there are no more."""
    for line in requests:
        request = json.loads(line)
        try:
            answer = {"result": getattr(worker, request.pop("do"))(**request)}
        except Exception:
            answer = {"error": traceback.format_exc()}
        print(json.dumps(answer), file=answers, flush=True)


def main(library, variant, workload):
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of libraries must not look like an answer
    serve(Worker(library, variant, workload), sys.stdin, answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
