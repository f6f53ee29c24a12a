"""Runs in the Python of one library: loads batches on request, and prints the times.

``python loader.py LIBRARY FOLDER``; then each line of standard input is a JSON object: kind of helpers (``none``,
``threads`` or ``processes``), their number, number of batches, and milliseconds for which each batch is used. The
answer is a line of JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BATCH, SIZE = 32, 224
FIRST = 6
"""Number of batches that are not measured: in this time, helpers start and load in advance."""


@contextmanager
def renga_batches(folder: str, helpers: str, number: int) -> Iterator[Iterator[Any]]:
    """Renga: random parts of 8 to 100 % of the area, mirror images, normalized."""
    from renga.dataset import concat_examples
    from renga.datasets import get_image_files
    from renga.iterators import MultiprocessIterator, MultithreadIterator, SerialIterator

    train, _ = get_image_files(folder, SIZE, test_ratio=0.01)
    with {
        "none": lambda: SerialIterator(train, BATCH, seed=0),
        "threads": lambda: MultithreadIterator(train, BATCH, n_threads=number, n_prefetch=2, seed=0),
        "processes": lambda: MultiprocessIterator(train, BATCH, n_processes=number, n_prefetch=2, seed=0),
    }[helpers]() as iterator:
        yield map(concat_examples, iterator)


@contextmanager
def torch_batches(folder: str, helpers: str, number: int) -> Iterator[Iterator[Any]]:
    """PyTorch and torchvision: the same, with their usual transforms."""
    import torch
    from torchvision import datasets, transforms

    torch.manual_seed(0)
    transform = transforms.Compose(
        [
            transforms.RandomResizedCrop(SIZE),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize([0.5, 0.5, 0.5], [0.25, 0.25, 0.25]),
        ]
    )
    images = datasets.ImageFolder(folder, transform)
    workers = number if helpers == "processes" else 0
    yield iter(torch.utils.data.DataLoader(images, BATCH, shuffle=True, num_workers=workers, drop_last=True))


def measure(library: str, folder: str, helpers: str, number: int, batches: int, use_ms: float) -> dict[str, float]:
    """Load a number of batches; return milliseconds per batch: elapsed, processor time, and waiting."""
    make = {"renga": renga_batches, "torch": torch_batches}[library]
    with make(folder, helpers, number) as iterator:
        for _ in range(FIRST):
            next(iterator)
        waited, busy, begin = 0.0, _processor_seconds(), time.perf_counter()
        for _ in range(batches):
            asked = time.perf_counter()
            next(iterator)
            waited += time.perf_counter() - asked
            if use_ms:
                time.sleep(use_ms / 1000)  # like a step on a device
        took, busy = time.perf_counter() - begin, _processor_seconds() - busy
    return {name: 1000 * value / batches for name, value in {"ms": took, "cpu": busy, "waited": waited}.items()}


def _processor_seconds() -> float:
    """Processor time of this process and its running children."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if os.getpid() in (int(path.parent.name), int(fields[1])):
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Answer requests until there are no more."""
    library, folder = sys.argv[1:]
    for line in sys.stdin:
        print(json.dumps(measure(library, folder, **json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
