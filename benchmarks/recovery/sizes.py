"""The page with the cost of a death by the size of the state: a table and a figure."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.recovery.ways import WAYS

__all__ = ["PAGE", "draw", "markdown"]

PAGE = "recovery-sizes"

Found = Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]]
"""Kills by way and by megabytes."""

_STYLES = {
    "renga-spare": ("#2e4057", "o", "-"),
    "renga-shrink": ("#66a182", "o", "-"),
    "renga-respawn": ("#8d96a3", "o", "-"),
    "renga-restart": ("#2e4057", "s", "--"),
    "torchrun": ("#d1495b", "s", "--"),
    "torchft": ("#edae49", "^", "-."),
    "torchft-1s": ("#b8860b", "v", "-."),
}
"""Colour, marker and line: solid lines for recovery without restart, dashed lines for a restart of all ranks."""


def markdown(found: Found, machine: str, load: float) -> str:
    """The page.

    Args:
        found: Kills, as `benchmarks.recovery.job.Kill` without its type.
        machine: The machine of the measurement.
        load: Mean load of its processors during the run, including the benchmark.
    """
    sizes = _sizes(found)
    lines = [
        "# Seconds lost when a process dies, by the size of the state",
        "",
        f"{machine}; the load was {load:.1f} on average. `python -m benchmarks recovery --sizes {' '.join(sizes)}`:",
        "three ranks, each with one thread, train 784-n-n-10 by Adam on batches of 32. The state, which has so many",
        "megabytes, is the parameters and both means of Adam, in float32. A process is killed (SIGKILL) after an",
        "random iteration. Seconds lost: how much later the next new iteration ended than if all had",
        "continued; repeated iterations count, the usual duration of an iteration does not. Writing",
        "checkpoints, which also costs time while nobody dies, is not in it. Median (smallest to largest; kills).",
        "0.01 means 0.01 or less: durations of iterations vary more.",
        "",
        "| | " + " | ".join(f"{size} MB" for size in sizes) + " |",
        "|---|" + "---:|" * len(sizes),
    ]
    for name, way in WAYS.items():
        if name in found:
            lines.append(f"| {way.title} | " + " | ".join(_cell(found[name].get(size, [])) for size in sizes) + " |")
    return "\n".join([*lines, "", f"![Seconds lost over megabytes of state]({PAGE}.png)", ""])


def draw(found: Found, path: Path) -> None:
    """Write the figure, a PNG: the medians, with bars from the smallest to the largest."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained", dpi=110)
    axes = figure.add_subplot()
    for name, way in WAYS.items():
        points = [(float(size), _lost(kills)) for size, kills in found.get(name, {}).items()]
        points = sorted((size, lost) for size, lost in points if lost)
        if not points:
            continue
        colour, marker, line = _STYLES[name]
        middles = [statistics.median(lost) for _, lost in points]
        ends = [
            [middle - min(lost) for middle, (_, lost) in zip(middles, points, strict=True)],
            [max(lost) - middle for middle, (_, lost) in zip(middles, points, strict=True)],
        ]
        axes.errorbar(
            [size for size, _ in points],
            middles,
            yerr=ends,
            color=colour,
            marker=marker,
            linestyle=line,
            elinewidth=0.7,
            capsize=2,
            label=way.title,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    sizes = _sizes(found)
    axes.set_xticks([float(size) for size in sizes], sizes)
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(axis="y", linewidth=0.5, alpha=0.5)
    axes.set_xlabel("state: parameters and means of Adam, MB")
    axes.set_ylabel("seconds lost by a death")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Software": None})


def _sizes(found: Found) -> list[str]:
    return sorted({size for kills in found.values() for size in kills}, key=float)


def _lost(kills: Sequence[Mapping[str, Any]]) -> list[float]:
    """Seconds, at least the resolution: negative values cannot be drawn on a logarithmic scale."""
    return [max(kill["lost"], 0.01) for kill in kills if kill["lost"] is not None]


def _cell(kills: Sequence[Mapping[str, Any]]) -> str:
    lost = _lost(kills)
    if not lost:
        return f"never continued ({len(kills)})" if kills else ""
    went_on = f"{len(kills)}" if len(lost) == len(kills) else f"{len(lost)} of {len(kills)} continued"
    return f"{statistics.median(lost):.2f} ({min(lost):.2f} to {max(lost):.2f}; {went_on})"
