"""`python -m benchmarks seeds`: whole runs reach the same final figure with and without each plugin of kernels."""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.records import RESULTS, machine

__all__ = ["main"]

EXAMPLES = Path(__file__).parents[1] / "examples"


class Run(NamedTuple):
    """A run file of `examples`, and the figure of its log that is compared."""

    file: str
    figure: str
    says: str


RUNS = {
    "digits": Run("digits/run.toml", "validation/main/accuracy", "accuracy on the test digits"),
    "char_lm": Run("char_lm/run.toml", "validation/main/perplexity", "perplexity a character, LSTM"),
    "llama": Run("char_lm/llama.toml", "validation/main/perplexity", "perplexity a character, transformer"),
}
WITHOUT: dict[str, tuple[str, ...]] = {
    "all kernels": (),
    "without onednn": ("onednn",),
    "without numba": ("numba",),
    "without both": ("onednn", "numba"),
}
_HEAD = """\
# seeds

Measured by `python -m benchmarks seeds`, {date}, on {machine}.

The final figure of whole runs ([examples](../../examples)), with each plugin of kernels and without it. Kernels round
differently, so the runs diverge slightly; their figures differ no more than those of two seeds. Apart: the largest
difference between two means of a run, divided by the range over seeds (largest minus smallest, with all kernels).

| run | kernels |{columns} mean |
|---|---|{rules}---:|"""


def main(argv: list[str]) -> int:
    """Train, print the table, and write it; 1 if a run failed."""
    parser = argparse.ArgumentParser("python -m benchmarks seeds", description=__doc__)
    parser.add_argument("runs", nargs="*", default=list(RUNS), help=f"default: {' '.join(RUNS)}")
    parser.add_argument("--seeds", type=int, default=3, help="number of seeds 0, 1, …; default: %(default)s")
    parser.add_argument("--epochs", type=int, help="default: from the run file")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for the table; default: %(default)s")
    arguments = parser.parse_args(argv)
    for name in arguments.runs:
        if name not in RUNS:
            parser.error(f"no run {name!r}; there are {', '.join(RUNS)}")
    seeds = range(arguments.seeds)
    lines = [
        _HEAD.format(
            date=datetime.date.today().isoformat(),
            machine=machine(),
            columns="".join(f" seed {seed} |" for seed in seeds),
            rules="---:|" * len(seeds),
        )
    ]
    apart = []
    for name in arguments.runs:
        found = {}
        for way, disabled in WITHOUT.items():
            found[way] = [_figure(RUNS[name], disabled, seed, arguments.epochs) for seed in seeds]
            lines.append(_row(f"{name}: {RUNS[name].says}", way, found[way]))
            print(lines[-1], flush=True)
        means = [sum(figures) / len(figures) for figures in found.values()]
        spread = max(found["all kernels"]) - min(found["all kernels"])
        apart.append(f"{name}: difference {max(means) - min(means):.4f}, range over seeds {spread:.4f}.")
    page = "\n".join([*lines, "", "Apart: " + " ".join(apart)]) + "\n"
    print(page)
    (arguments.results / "seeds.md").write_text(page)
    return 0


def _figure(run: Run, disabled: Sequence[str], seed: int, epochs: int | None) -> float:
    """Train in a separate process; return the last figure in the log.

    Raises:
        RuntimeError: The run failed; the message has its output.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        command = [sys.executable, "-m", "renga"]
        for plugin in disabled:
            command += ["-p", f"no:{plugin}"]
        command += ["train", str(EXAMPLES / run.file), "--set", f"run.seed={seed}", "--out", str(out)]
        if epochs is not None:
            command += ["--epochs", str(epochs)]
        done = subprocess.run(command, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}.\n{done.stderr}")
        last = json.loads((out / "log.jsonl").read_text().splitlines()[-1])
    return float(last[run.figure])


def _row(run: str, way: str, figures: Sequence[float]) -> str:
    cells = [*figures, sum(figures) / len(figures)]
    return f"| {run} | {way} |" + "".join(f" {figure:.4f} |" for figure in cells)
