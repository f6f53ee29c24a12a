"""How many kernels a training step launches, and how often the host waits in it, counted without a GPU.

    python tests/backend_cupy/stand_in/launches.py [--kernels] [--only NAME] [--dtype float32] [--json]

Counted on the stand-in for CuPy: each elementwise function, reduction, copy, product and kernel of the plugin is one
launch, as on a GPU. What CuPy composes of several kernels (sorting, some reductions in two passes) counts as one too,
so a count is a lower bound, made for comparing before and after a change.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from stand_in.install import install

WARMUP = 2
"""Steps before the one that is counted: what is made once (states of optimizers, plans) is made in them."""


class Count(NamedTuple):
    """What one step did."""

    launches: Counter[str]
    waits: Counter[str]
    uploads: int


def count(step: Callable[[], object], devices: Any) -> Count:
    """Count what one step does, after some that are not counted."""
    for _ in range(WARMUP):
        step()
    devices.launches.clear()
    devices.waits.clear()
    devices.uploads = 0
    step()
    return Count(Counter(devices.launches), Counter(devices.waits), devices.uploads)


def print_table(counts: dict[str, Count], kernels: bool) -> None:
    """As a table in Markdown, and which kernels they were."""
    print("| step | launches | waits of the host | uploads |")
    print("|---|---:|---:|---:|")
    for name, found in counts.items():
        print(f"| {name} | {found.launches.total()} | {found.waits.total()} | {found.uploads} |")
    for name, found in counts.items() if kernels else ():
        rows = ", ".join(f"{kernel} {n}" for kernel, n in found.launches.most_common())
        waits = ", ".join(f"{what} {n}" for what, n in found.waits.most_common()) or "none"
        print(f"\n{name}: {rows}\n  waits: {waits}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", action="store_true", help="which kernels they are")
    parser.add_argument("--only", default="", help="steps whose name begins so")
    parser.add_argument("--dtype", default="float32", help="of parameters; default: %(default)s")
    parser.add_argument("--json", action="store_true", help="counts as JSON, by step and kernel")
    arguments = parser.parse_args()
    devices = install()
    from stand_in.steps import STEPS  # imports Renga, which is to find the stand-in

    counts = {
        name: count(make(arguments.dtype), devices) for name, make in STEPS.items() if name.startswith(arguments.only)
    }
    if arguments.json:
        print(json.dumps({name: found._asdict() for name, found in counts.items()}))
    else:
        print_table(counts, arguments.kernels)


if __name__ == "__main__":
    main()
