"""One workload with one library in a process of its own: `python -m benchmarks.worker LIBRARY VARIANT WORKLOAD`.

It is told what to do by lines of JSON on its standard input, such as ``{"do": "run", "seconds": 0.3}``, and answers
each by a line on its standard output: ``{"result": …}`` or ``{"error": "what happened"}``. `benchmarks.race` asks.

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

import numpy as np

ENOUGH = 0.005
"""Seconds that what is timed in one go lasts at least: a short step is repeated."""


class Worker:
    """What can be asked for, a method each.

    Args:
        library: Of `benchmarks.programs.with_LIBRARY`.
        variant: A key of the `PROGRAMS` there.
        workload: A key of those; one like ``folder/name`` is in a folder of `benchmarks.programs`.
    """

    def __init__(self, library, variant, workload):
        self.library = library
        self.module = programs(library, workload)
        self.program = None if self.module is None else self.module.PROGRAMS.get(variant, {}).get(workload)
        self.step = None
        self.repeats = None

    def start(self):
        """Whether the library has the workload; versions; and the memory that importing has taken."""
        return {"there": self.program is not None, "versions": versions(self.library), "memory": peak_memory()}

    def build(self):
        """Build the network. The memory taken so far."""
        self.step = self.program()
        return peak_memory()

    def losses(self, count):
        """The results of the first steps, a number each."""
        return [self.number(self.step()) for _ in range(count)]

    def number(self, result):
        """One number: the loss itself, or, of what is not one, the root of the mean square."""
        parts = result if isinstance(result, tuple) else (result,)
        values = np.concatenate([np.ravel(self.module.to_numpy(part)).astype(np.float64) for part in parts])
        return float(values[0] if values.size == 1 else math.sqrt(np.mean(values * values)))

    def run(self, seconds):
        """Take steps for about so long, at least one. The seconds of each, or of each few that last long enough."""
        step = self.step
        if self.repeats is None:
            gc.collect()
            step()
            start = time.perf_counter()
            step()
            self.repeats = max(1, math.ceil(ENOUGH / (time.perf_counter() - start)))
        times = []
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
    """The module that has a workload written with a library; None if there is none."""
    folder, slash, _ = workload.rpartition("/")
    place = "benchmarks.programs." + folder + slash.replace("/", ".") + "with_" + library
    return importlib.import_module(place) if place in sys.modules or importlib.util.find_spec(place) else None


def versions(library):
    """Of Python, NumPy and the library."""
    return {"Python": platform.python_version(), "numpy": np.__version__, library: importlib.metadata.version(library)}


def peak_memory():
    """The most bytes that this process has had resident so far."""
    try:
        # Not ru_maxrss, which on Linux starts with what the parent had when it forked.
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
    os.dup2(2, 1)  # what libraries print is no answer
    serve(Worker(library, variant, workload), sys.stdin, answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
