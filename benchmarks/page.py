"""A group's results as a page of Markdown: ratios, times, memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from benchmarks.contestants import CONTESTANTS
from benchmarks.records import Record
from benchmarks.workloads import GROUPS, WORKLOADS

__all__ = ["COMPARISONS", "markdown", "ratio", "short", "table"]

COMPARISONS = (
    ("renga", "torch"),
    ("renga", "torch best"),
    ("renga", "torch compiled"),
    ("renga", "onnxruntime"),
    ("renga", "jax"),
    ("renga", "chainer"),
    ("renga", "autograd"),
    ("renga", "numpy"),
    ("renga", "renga numpy"),
    ("renga", "renga compiled"),
    ("renga compiled", "torch"),
    ("renga compiled", "torch compiled"),
    ("renga compiled", "jax"),
    ("renga fused", "renga compiled"),
    ("renga fused", "jax"),
    ("renga numpy", "torch"),
    ("renga numpy", "chainer"),
)
"""Pairs of a contestant and the one that its time is divided by, in the order of the columns."""
RATIOS = (
    "Renga's time divided by the other's, of the minima and (in brackets) of the medians: below 1 Renga is faster. "
    "Each row was measured in one run, with the libraries in turns; `–`: not written for this library."
)
MEMORY = (
    "Peak resident memory of the process, divided by the other's; in brackets the ratio of memory used in addition to "
    "that after importing the library."
)
MIB = 2**20


def markdown(group: str, records: Mapping[str, Record]) -> str:
    """The page, with the workloads in the order of `WORKLOADS`."""
    rows = [name for name in WORKLOADS if name in records]
    contestants = [name for name in CONTESTANTS if any(name in records[row]["entries"] for row in rows)]
    pairs = [pair for pair in COMPARISONS if any(ratio(records[row], pair) for row in rows)]
    memory = [pair for pair in COMPARISONS if any(ratio(records[row], pair, "peak") for row in rows)]
    parts = [
        f"# {group}",
        GROUPS[group],
        _measured(group, records, rows),
        f"![Renga's time divided by that of others]({group}.png)",
        "## Time, ratios",
        RATIOS,
        table([_over(pair) for pair in pairs], rows, lambda row, i: _both(records[row], pairs[i])),
        "## Time",
        "Minimum and (in brackets) median of a step.",
        table(contestants, rows, lambda row, i: _times(row, records[row], contestants[i])),
        "## Peak memory, ratios",
        MEMORY,
        table([_over(pair) for pair in memory], rows, lambda row, i: _memories(records[row], memory[i])),
        "## Peak memory",
        "MiB; in brackets the memory used in addition to that after importing the library.",
        table(contestants, rows, lambda row, i: _memory(records[row], contestants[i])),
    ]
    problems = [
        f"- {WORKLOADS[row].title}, {name}: {entry['problem'].strip().splitlines()[-1]}"
        for row in rows
        for name, entry in records[row]["entries"].items()
        if entry["problem"]
    ]
    if problems:
        parts += ["## What went wrong", "\n".join(problems)]
    return "\n\n".join(parts) + "\n"


def _measured(group: str, records: Mapping[str, Record], rows: Sequence[str]) -> str:
    latest = max((records[row] for row in rows), key=lambda record: record["date"])
    return (
        f"Measured by `python -m benchmarks {group}`, {latest['date']}, on {latest['machine']}, "
        f"{latest['threads']} threads each, float32{_load(records, rows)}. {_versions(records, rows)}."
    )


def _load(records: Mapping[str, Record], rows: Sequence[str]) -> str:
    """Number of processes that ran or waited for a core at the time, if recorded."""
    loads = [records[row]["load"] for row in rows if "load" in records[row]]
    return f"; load of the machine {min(loads):.0f} to {max(loads):.0f}" if loads else ""


def short(row: str, record: Record) -> str:
    """A line for the terminal: times and Renga's ratios."""
    found = []
    for name in record["entries"]:
        by = ratio(record, ("renga", name))
        found.append(
            f"{name} {_times(row, record, name).partition(' (')[0]}"
            + (f" [{by:.2f}]" if by and name != "renga" else "")
        )
    return f"{row}: {', '.join(found)}"


def ratio(record: Record, pair: tuple[str, str], of: str = "minimum") -> float | None:
    """Time (or memory) of the first divided by that of the second; None if one is missing."""
    ours, theirs = (record["entries"].get(name, {}).get(of) for name in pair)
    return ours / theirs if ours and theirs else None


def table(columns: Sequence[str], rows: Sequence[str], cell: Callable[[str, int], str]) -> str:
    """Markdown table with a row per workload; `cell` returns the text for a workload and a column's number."""
    lines = [f"| | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
    for row in rows:
        cells = [cell(row, i) for i in range(len(columns))]
        lines.append(f"| {WORKLOADS[row].title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _over(pair: tuple[str, str]) -> str:
    return f"{pair[0]} / {pair[1]}"


def _both(record: Record, pair: tuple[str, str]) -> str:
    minima, medians = ratio(record, pair), ratio(record, pair, "median")
    if minima is None or medians is None:
        return _missing(record, pair)
    return f"{minima:.2f} ({medians:.2f})"


def _memories(record: Record, pair: tuple[str, str]) -> str:
    whole = ratio(record, pair, "peak")
    if whole is None:
        return _missing(record, pair)
    ours, theirs = (_growth(record, name) for name in pair)
    return f"{whole:.2f}" + (f" ({ours / theirs:.2f})" if ours and theirs else "")


def _growth(record: Record, name: str) -> int:
    """Memory used in addition to that after importing; 0 if nothing else was done."""
    entry = record["entries"][name]
    return entry["peak"] - entry["imported"] if entry["imported"] else 0


def _times(row: str, record: Record, name: str) -> str:
    entry = record["entries"].get(name, {})
    if "minimum" not in entry:
        return _missing(record, (name,))
    workload = WORKLOADS[row]
    unit, scale = workload.unit
    minimum, median = (_digits(entry[of] / workload.per * scale) for of in ("minimum", "median"))
    return f"{minimum} {unit} ({median})"


def _memory(record: Record, name: str) -> str:
    if not record["entries"].get(name, {}).get("peak"):
        return _missing(record, (name,))
    growth = _growth(record, name)
    return f"{record['entries'][name]['peak'] / MIB:.0f}" + (f" ({growth / MIB:.0f})" if growth else "")


def _missing(record: Record, names: Sequence[str]) -> str:
    problems = [record["entries"].get(name, {}).get("problem", "") for name in names]
    if any(problem.startswith("results ") for problem in problems):
        return "**wrong**"
    return "**failed**" if any(problems) else "–"


def _digits(number: float) -> str:
    """Three digits, without an exponent."""
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def _versions(records: Mapping[str, Record], rows: Sequence[str]) -> str:
    found: dict[str, str] = {}
    for row in rows:
        for name, entry in records[row]["entries"].items():
            library = name.split()[0]
            versions = dict(entry["versions"])
            if library in versions:
                own = f"{library} {versions.pop(library)}"
                found[library] = f"{own} ({', '.join(f'{k} {v}' for k, v in versions.items())})"
    return ", ".join(found.values())
