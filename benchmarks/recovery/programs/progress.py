"""Reports of a program to the benchmark: its process id, and each completed iteration."""

import os
import time

__all__ = ["BATCH", "WIDTHS", "Progress", "examples"]

INPUTS, CLASSES = 784, 10


def hidden(megabytes):
    """Number of units of each hidden layer so that parameters and both means of Adam have this size, in float32."""
    parameters = megabytes * 1e6 / 12
    b = INPUTS + CLASSES + 2
    return max(1, round(((b * b + 4 * (parameters - CLASSES)) ** 0.5 - b) / 2))


HIDDEN = hidden(float(os.environ["RECOVERY_MEGABYTES"])) if "RECOVERY_MEGABYTES" in os.environ else 1000
WIDTHS = (INPUTS, HIDDEN, HIDDEN, CLASSES)
BATCH = 32


class Progress:
    """Appends lines to a file of this process: rank, iteration, and a clock that all processes share.

    Args:
        rank: The present rank of this process.
    """

    def __init__(self, rank):
        self._rank = rank
        path = os.path.join(os.environ["RECOVERY_FOLDER"], f"{os.getpid()}.txt")
        self._file = open(path, "a", buffering=1)  # noqa: SIM115  # as long as the process
        self.started()

    def started(self, rank=None):
        """Record that this process takes part from now on, or has a new rank."""
        self._rank = self._rank if rank is None else rank
        self._file.write(f"{self._rank} start {time.monotonic()}\n")

    def completed(self, iteration):
        """Report that an iteration is completed."""
        self._file.write(f"{self._rank} {iteration} {time.monotonic()}\n")


def examples(numpy, iteration, rank):
    """A batch of a rank: the same in each library."""
    rng = numpy.random.default_rng([iteration, rank])
    x = rng.standard_normal((BATCH, WIDTHS[0])).astype("float32")
    return x, rng.integers(0, WIDTHS[-1], BATCH)
