"""`renga compare`: compare runs in a table and a plot."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from renga.run.comparing import PREFIX, Run, differing, figures_of, find_runs
from renga.run.run_parts import find_parts
from renga.run.trained import using_run_folder
from renga.training import Task
from renga_core.command_line import Parser, UsageError, word
from renga_core.errors import RengaError, did_you_mean
from renga_core.plugin import RengaPluginError
from renga_serializers.atomic import atomic_write

from .output import print_json, print_table

__all__ = ["run"]

_LONGEST = 32
"""The largest number of characters shown of a setting."""


def run(argv: Sequence[str]) -> int:
    """Run ``renga compare RUN… [--by NAME] [--plot FILE] [--json]``."""
    arguments = _parser().parse_all(argv)
    runs = find_runs(arguments.runs)
    names = figures_of(runs)
    if not names:
        raise RengaError("these runs have no value on test data in common.")
    by, higher = _headline(runs[0], names)
    if arguments.by is not None and arguments.by != by:
        if arguments.by not in names:
            hint = did_you_mean(arguments.by, names)
            raise UsageError(f"--by {arguments.by}: not all runs have this value.{hint} All have: {', '.join(names)}.")
        by, higher = arguments.by, arguments.by != "loss" and not arguments.by.endswith(("_loss", "perplexity"))
    higher = {"max": True, "min": False, None: higher}[arguments.best]
    rows = [_row(each, names, by, higher) for each in runs]
    rows.sort(
        key=lambda row: (row["best"] is None, 0.0 if row["best"] is None else row["best"] * (-1 if higher else 1))
    )
    keys = differing(runs)
    if arguments.plot is not None:
        _plot(runs, keys, list(dict.fromkeys(["loss", by])) if "loss" in names else [by], arguments.plot)
    if arguments.json:
        print_json([{**row, "settings": {key: row["settings"].get(key) for key in keys}} for row in rows])
        return 0
    _print(rows, keys, by)
    if arguments.plot is not None:
        print(f"\nThe curves are in {arguments.plot}.")
    return 0


def _parser() -> Parser:
    parser = Parser(
        "renga compare",
        "Compare runs in a table, the best first: the settings in which they differ, and their results on test data.",
    )
    parser.add_argument(
        "runs", nargs="+", metavar="RUN", type=word, help="folder with the results of `renga train`, or of a sweep"
    )
    parser.add_argument("--by", metavar="NAME", type=word, help="sort by this value (default: the task's main metric)")
    parser.add_argument("--best", choices=("max", "min"), help="whether the largest or the smallest value is best")
    parser.add_argument("--plot", metavar="FILE", type=word, help="also plot the curves to a file: .png, .svg or .pdf")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _headline(first: Run, names: Sequence[str]) -> tuple[str, bool]:
    """The main metric of a run's task, and whether larger is better; the loss if the task is unknown."""
    try:
        with using_run_folder(first.folder) as description:
            task: Task = find_parts(description, []).task.make()
    except RengaPluginError:  # a plugin of the run is not installed: compare by the loss
        return ("loss" if "loss" in names else names[0]), False
    return (task.headline, task.higher_is_better) if task.headline in names else (names[0], False)


def _row(each: Run, names: Sequence[str], by: str, higher: bool) -> dict[str, Any]:
    best = each.best(PREFIX + by, max if higher else min)
    last = {name: values[-1] for name in names if (values := each.curve(PREFIX + name)[1])}
    final = each.log[-1]
    return {
        "run": each.folder,
        "settings": each.settings,
        "by": by,
        "best": None if best is None else best[0],
        "best_epoch": None if best is None else best[1],
        "last": last,
        "epochs": final.get("epoch"),
        "seconds": final.get("elapsed_time"),
    }


def _print(rows: Sequence[dict[str, Any]], keys: Sequence[str], by: str) -> None:
    names = list(rows[0]["last"])
    head = ("run", *keys, f"best {_said(by)}", "in epoch", *(f"last {_said(name)}" for name in names), "epochs", "time")
    print_table(
        [
            (
                row["run"],
                *(_shown(row["settings"].get(key)) for key in keys),
                _number(row["best"]),
                _number(row["best_epoch"]),
                *(_number(row["last"].get(name)) for name in names),
                _number(row["epochs"]),
                "" if row["seconds"] is None else f"{row['seconds']:.1f} s",
            )
            for row in rows
        ],
        head=head,
    )


def _said(name: str) -> str:
    return name.replace("_", " ")


def _shown(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.5g}"


def _plot(runs: Sequence[Run], keys: Sequence[str], names: Sequence[str], path: str) -> None:
    """Plot one panel for each metric: solid lines for test data, dotted for training data, a color for each run."""
    if not Path(path).parent.is_dir():
        raise RengaError(f"--plot {path}: there is no folder {Path(path).parent}.")
    suffix = Path(path).suffix.lstrip(".")
    if suffix not in ("png", "svg", "pdf"):
        raise UsageError(f"--plot {path}: the suffix must be .png, .svg or .pdf.")
    if importlib.util.find_spec("matplotlib") is None:
        raise RengaError("--plot needs Matplotlib, which is not installed.\nNext: pip install 'renga[plot]'")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(5.6 * len(names), 4.2), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    for axes, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        for number, each in enumerate(runs):
            said = [f"{key}={_shown(each.settings.get(key))}" for key in keys]
            label = ", ".join([each.folder, *(word for word in said if word not in each.folder)])
            colour = f"C{number % 10}"
            axes.plot(*each.curve(PREFIX + name), color=colour, linewidth=1.6, label=label)
            axes.plot(*each.curve(f"main/{name}"), color=colour, linewidth=1, linestyle=":")
        axes.set_xlabel("epoch")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylabel(_said(name))
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.3)
    figure.axes[0].legend(frameon=False, fontsize="small", title="solid: test data, dotted: training data")
    with atomic_write(path) as file:
        figure.savefig(file, format=suffix)
