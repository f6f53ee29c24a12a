"""Writes the results of an hour with a GPU as a page of Markdown with tables and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.gpu.hour import Part, end_of, without_gpu

__all__ = ["write"]

COLOURS = {"renga": "#2e6f95", "renga, captured": "#0b3c5d", "torch": "#d1495b", "torch.compile": "#edae49"}
Row = Mapping[str, Any]


def write(parts: Sequence[Part], entries: Sequence[dict[str, Any]], folder: Path) -> Path:
    """Write ``page.md`` and its pictures into a folder.

    Returns:
        The page.
    """
    rows = {
        part.name: [entry["row"] for entry in entries if entry["part"] == part.name and "row" in entry]
        for part in parts
    }
    ends = {part.name: end_of(entries, part.name) for part in parts}
    text = [
        "# An hour with a GPU",
        "Made by `python -m benchmarks gpu --minutes N`. Parts, in the order in which they run:",
        _summary(parts, ends),
    ]
    pictures = {
        "parts.png": lambda path: _draw_parts(parts, ends, path),
        "side-by-side.png": lambda path: _draw_side_by_side(_beside(rows.values()), path),
        "bandwidth.png": lambda path: _draw_bandwidth(rows.get("bandwidth", []), path),
    }
    for name, draw in pictures.items():
        if draw(folder / name):
            text.append(f"![{name.removesuffix('.png')}]({name})")
        else:
            (folder / name).unlink(missing_ok=True)
    beside = _beside(rows.values())
    if beside:
        text += [
            "## Beside PyTorch",
            "Milliseconds of a training step, the minimum; `ratio`: to PyTorch in eager mode.",
            _table(_ratios(beside)),
        ]
    for part in parts:
        found = [row for row in rows[part.name] if "network" not in row]
        if found:
            text += [f"## {part.title[0].upper()}{part.title[1:]}", _table(found)]
    for part in parts:
        end = ends[part.name]
        if end is not None and end["tail"] and not without_gpu(end):
            text += [f"## Output of `{part.name}`, which {end['how']}", "```\n" + "\n".join(end["tail"]) + "\n```"]
    page = folder / "page.md"
    page.write_text("\n\n".join(text) + "\n")
    return page


def _summary(parts: Sequence[Part], ends: Mapping[str, Any]) -> str:
    rows = []
    for part in parts:
        end = ends[part.name]
        rows.append(
            {
                "part": part.name,
                "what it tells": part.title,
                "how it ended": "not started" if end is None else end["how"],
                "seconds": "" if end is None else end["seconds"],
            }
        )
    return _table(rows)


def _table(rows: Sequence[Row]) -> str:
    """Rows as Markdown: a column for each key."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    for row in rows:
        cells = [str(row.get(column, "")).replace("|", "\\|").replace("\n", " ") for column in columns]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _beside(rows: Iterable[Sequence[Row]]) -> list[Row]:
    return [row for found in rows for row in found if "network" in row]


def _ratios(rows: Sequence[Row]) -> list[Row]:
    """The rows with a column for the time divided by PyTorch's."""
    eager = {
        (row["network"], row["precision"]): row["milliseconds"]
        for row in rows
        if row["library"] == "torch" and "milliseconds" in row
    }
    made: list[Mapping[str, Any]] = []
    for row in rows:
        base = eager.get((row["network"], row["precision"]))
        ratio = f"{row['milliseconds'] / base:.2f}" if base and "milliseconds" in row else ""
        made.append({**row, "ratio": ratio})
    return made


def _figure(height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(9, height), layout="constrained", dpi=110)


def _draw_parts(parts: Sequence[Part], ends: Mapping[str, Any], path: Path) -> bool:
    """Duration of each part, and how it ended."""
    colours = {"done": "#66a182", "failed": "#d1495b", "time": "#edae49", "no": "#8d96a3"}
    figure = _figure(1 + 0.28 * len(parts))
    axes = figure.add_subplot()
    for place, part in enumerate(parts):
        end = ends[part.name]
        seconds = 0 if end is None else end["seconds"]
        how = "not started" if end is None else end["how"].partition(":")[0]
        axes.barh(place, seconds, color=colours.get(how.split()[0], "#cccccc"))
        axes.annotate(how, (seconds, place), (4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.set_yticks(range(len(parts)), [part.name for part in parts])
    axes.invert_yaxis()
    axes.margins(x=0.2)
    axes.set_xlabel("seconds")
    axes.set_title("Parts, and how they ended", fontsize=10)
    figure.savefig(path, metadata={"Software": None})
    return True


def _draw_side_by_side(rows: Sequence[Row], path: Path) -> bool:
    """Time of a step divided by PyTorch's; False if there is nothing to draw."""
    measured = [row for row in _ratios(rows) if row["ratio"]]
    cases = list(dict.fromkeys((row["network"], row["precision"]) for row in measured))
    if not cases:
        return False
    figure = _figure(1.5 + 0.6 * len(cases))
    axes = figure.add_subplot()
    for i, (library, colour) in enumerate(COLOURS.items()):
        found = {
            (row["network"], row["precision"]): float(row["ratio"]) for row in measured if row["library"] == library
        }
        places = [place + (i - 1.5) * 0.2 for place, case in enumerate(cases) if case in found]
        values = [found[case] for case in cases if case in found]
        axes.barh(places, values, 0.18, color=colour, label=library)
        for place, value in zip(places, values, strict=True):
            axes.annotate(f"{value:.2f}", (value, place), (3, 0), textcoords="offset points", va="center", fontsize=7)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_yticks(range(len(cases)), [f"{network}, {precision}" for network, precision in cases])
    axes.invert_yaxis()
    axes.margins(x=0.1)
    axes.set_xlabel("time of a step / PyTorch's in eager mode; left of 1 is faster")
    figure.legend(loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(path, metadata={"Software": None})
    return True


def _draw_bandwidth(rows: Sequence[Row], path: Path) -> bool:
    """Bytes a second of each kernel; False if none was measured."""
    if not rows:
        return False
    figure = _figure(1 + 0.28 * len(rows))
    axes = figure.add_subplot()
    axes.barh(range(len(rows)), [row["gb_per_second"] for row in rows], color=COLOURS["renga"])
    for place, row in enumerate(rows):
        axes.annotate(
            f"{row['gb_per_second']:.0f}",
            (row["gb_per_second"], place),
            (3, 0),
            textcoords="offset points",
            va="center",
            fontsize=7,
        )
    axes.set_yticks(range(len(rows)), [row["kernel"] for row in rows])
    axes.invert_yaxis()
    axes.margins(x=0.1)
    axes.set_xlabel("GB/s")
    axes.set_title("Bytes that kernels move", fontsize=10)
    figure.savefig(path, metadata={"Software": None})
    return True
