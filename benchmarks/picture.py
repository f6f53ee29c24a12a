"""A group's ratios as bars, on a logarithmic scale: to the left of the line at 1, Renga is faster."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

from benchmarks.page import ratio
from benchmarks.records import Record
from benchmarks.workloads import GROUPS, WORKLOADS

__all__ = ["draw"]

COLOURS = {
    "torch": "#d1495b",
    "torch best": "#edae49",
    "torch compiled": "#a05195",
    "jax": "#66a182",
    "chainer": "#2e4057",
    "autograd": "#8d96a3",
    "numpy": "#b8c0cc",
}
"""Colours of the libraries that Renga is compared with, in this order."""


def draw(group: str, records: Mapping[str, Record], path: Path) -> None:
    """Write the picture, a PNG."""
    from matplotlib.figure import Figure

    rows = [name for name in WORKLOADS if name in records]
    peers = [peer for peer in COLOURS if any(ratio(records[row], ("renga", peer)) for row in rows)]
    figure = Figure(figsize=(9, 1.8 + len(rows) * (0.18 * len(peers) + 0.2)), layout="constrained", dpi=110)
    axes = figure.add_subplot()
    thickness = 0.85 / max(1, len(peers))
    for i, peer in enumerate(peers):
        there = [(place, ratio(records[row], ("renga", peer))) for place, row in enumerate(rows)]
        places = [place + (i - (len(peers) - 1) / 2) * thickness for place, value in there if value]
        values = [value for _, value in there if value]
        widths = [value - 1 for value in values]
        axes.barh(places, widths, thickness * 0.92, left=1, color=COLOURS[peer], label=peer)
        for place, value in zip(places, values, strict=True):
            text, side, gap = (
                f"{value:.{2 if value < 10 else 0}f}",
                ("left" if value >= 1 else "right"),
                (4 if value >= 1 else -4),
            )
            axes.annotate(text, (value, place), (gap, 0), textcoords="offset points", va="center", ha=side, fontsize=7)
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.set_xlim(low / 1.6, high * 1.6)  # room for the numbers
    axes.axvline(1, color="black", linewidth=1)
    axes.set_yticks(range(len(rows)), [textwrap.fill(WORKLOADS[row].title, 30) for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    for place in range(1, len(rows)):
        axes.axhline(place - 0.5, color="#dddddd", linewidth=0.6)
    axes.set_xlabel("Renga's time / the other's (minimum); left of 1 Renga is faster")
    candidates = [mantissa * 10**power for power in range(-3, 4) for mantissa in (1, 2, 5)]
    ticks = [tick for tick in candidates if low / 1.6 <= tick <= high * 1.6]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_title(GROUPS[group], fontsize=10)
    figure.legend(loc="outside lower center", ncols=len(peers), frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Software": None})
