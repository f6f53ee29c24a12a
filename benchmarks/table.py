"""Results as a table: on the terminal, and as a Markdown file."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.timing import Workload

__all__ = ["markdown", "save", "save_page"]

RESULTS = Path(__file__).parent / "results"


def markdown(workloads: Sequence[Workload]) -> str:
    """A Markdown table: a row for each workload and library."""
    lines = [
        "| workload | library | minimum | median | Renga / library (minimum) | (median) |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for workload in workloads:
        renga = workload.contestants[0]
        unit, scale = workload.unit
        for contestant in workload.contestants:
            times = [f"{t / workload.per * scale:.3g} {unit}" for t in (contestant.minimum, contestant.median)]
            ratios = [f"{renga.minimum / contestant.minimum:.2f}", f"{renga.median / contestant.median:.2f}"]
            lines.append(f"| {' | '.join([workload.name, contestant.library, *times, *ratios])} |")
    return "\n".join(lines)


def save(name: str, table: str, versions: Mapping[str, str]) -> Path:
    """Write a table of ratios, with what it was measured on, to ``benchmarks/results/NAME.md``."""
    return save_page(name, f"The machine is shared: read the ratios.\n\n{table}", versions)


def save_page(name: str, text: str, versions: Mapping[str, str]) -> Path:
    """Write a text, with what it was measured on, to ``benchmarks/results/NAME.md``."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.md"
    libraries = ", ".join(f"{library} {version}" for library, version in versions.items())
    path.write_text(
        f"# {name}\n\nMeasured by `python -m benchmarks {name}` on {platform.machine()} with {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, {libraries}.\n{text}\n"
    )
    return path
