"""`python -m benchmarks agreement`: checks that Renga computes the same with and without kernels, up to rounding.

Each training workload runs three times from the same weights, in separate processes: with the kernels, without, and
without in double precision, which shows the effect of rounding. The command compares the gradients of the first step
(norm of the difference) and the losses of all steps. With the kernels, the distance from double precision may be larger
than without them by a factor. `python -m benchmarks agreement kernels` compares single kernels: `kernel_agreement`.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import kernel_agreement
from benchmarks.environments import ROOT, process_environment
from benchmarks.records import RESULTS, load, machine, store
from benchmarks.workloads import named

__all__ = ["agrees", "compared", "distance", "main", "markdown", "trained"]

STEPS = 20
FACTOR = 3.0
"""Allowed ratio of the distances from double precision, with the kernels to without."""
GRADIENTS = 1e-6
"""Distance of gradients that is always allowed: norm of the difference divided by the norm of the gradient."""
LOSSES = 1e-4
"""Relative distance of losses that is always allowed: rounding errors grow over twenty steps."""
PAGE = "agreement"
OFF = {"RENGA_PLUGINS_DISABLE": "onednn,numba"}
Outcome = Mapping[str, Any]
"""``losses (steps,)`` and, as ``gradient/PATH``, the gradients of the first step."""


def trained(workload: str, steps: int, dtype: str) -> dict[str, Any]:
    """Return losses (or results, if there is no loss) and first gradients of a workload with Renga, in this process."""
    import renga
    from benchmarks.programs import with_renga

    with renga.using_config("dtype", np.dtype(dtype)):
        step = with_renga.PROGRAMS[""][workload]()
        if not isinstance(step, with_renga.Training):
            results = [np.ravel(with_renga.to_numpy(step())) for _ in range(steps)]
            return {"losses": [math.sqrt(np.mean(np.square(result, dtype=np.float64))) for result in results]}
        for parameter in step.model.params():
            parameter.array = parameter.array.astype(dtype)
        batch = [b.astype(dtype) if getattr(b, "dtype", np.dtype(int)).kind == "f" else b for b in step.batch]
        outcome: dict[str, Any] = {"losses": []}
        for i in range(steps):
            loss = step.model(*batch)
            step.model.cleargrads()
            loss.backward()
            if i == 0:
                outcome |= {f"gradient{path}": p.grad.copy() for path, p in step.model.namedparams()}
            step.optimizer.update()
            outcome["losses"].append(float(loss.array))
    return outcome


def distance(a: Outcome, b: Outcome) -> float:
    """Distance of the gradients of two runs: norm of the difference divided by the norm of the second.

    It is 0 if there are no gradients.
    """
    paths = [path for path in b if path.startswith("gradient")]
    if not paths:
        return 0.0
    apart = sum(float(np.sum(np.square(a[path].astype(np.float64) - b[path]))) for path in paths)
    return math.sqrt(apart / sum(float(np.sum(np.square(b[path], dtype=np.float64))) for path in paths))


def losses_apart(a: Outcome, b: Outcome) -> float:
    """Largest relative difference of two runs' losses."""
    first, second = np.asarray(a["losses"], np.float64), np.asarray(b["losses"], np.float64)
    return float(np.max(np.abs(first - second) / np.abs(second)))


def compared(on: Outcome, off: Outcome, double: Outcome) -> dict[str, float]:
    """All distances between three runs: the columns of the table."""
    return {
        "gradients, on and off": distance(on, off),
        "on and float64": distance(on, double),
        "off and float64": distance(off, double),
        "losses, on and off": losses_apart(on, off),
        "losses, on and float64": losses_apart(on, double),
        "losses, off and float64": losses_apart(off, double),
    }


def agrees(row: Mapping[str, float]) -> bool:
    """Whether the distances of a workload are explained by rounding."""
    return (
        row["on and float64"] <= FACTOR * row["off and float64"] + GRADIENTS
        and row["losses, on and float64"] <= FACTOR * row["losses, off and float64"] + LOSSES
    )


def markdown(rows: Mapping[str, Mapping[str, float]]) -> str:
    """Return the page: one row per workload, in their order."""
    columns = list(next(iter(rows.values())))
    lines = [f"| | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
    for workload in named("training"):
        if workload.name in rows:
            cells = [f"{rows[workload.name][column]:.1e}" for column in columns]
            lines.append(f"| {workload.title} | {' | '.join(cells)} |")
    table = "\n".join(lines)
    return f"""# agreement

Measured by `python -m benchmarks agreement` on {machine()}: {STEPS} steps with the
kernels of oneDNN and numba (on), without (off), and without in double precision (float64), from the same weights.

Gradients: of the first step, all parameters together, the norm of the difference divided by the norm. Losses: the
largest relative difference in any step; a workload without gradients has its results as losses. Allowed with the
kernels: {FACTOR:g} times the distance from double precision without them, plus {GRADIENTS:g} (gradients) or {LOSSES:g}
(losses).

{table}

In a network with many ReLUs and maxima, such as VGG, gradients differ from double precision with NumPy's kernels too:
some of millions of activations are so near 0 that rounding decides whether they pass a gradient. (In double precision,
a relative noise of 6e-8 in the images changes the gradients of VGG by 8e-8, one of 1e-6 by 9e-4.) One such activation
is enough: once, the transformer's first gradients differed by 8.6e-4 because a single one of its 4 million activations,
6e-8 in size, had another sign with the kernels. Every change of a kernel changes this rounding. Networks without such
activations agree to a few units of the last digit.
"""


def main(argv: Sequence[str]) -> int:
    """Run; return 1 if a distance is too large."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks agreement", description=__doc__)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="default: all training workloads")
    parser.add_argument("--threads", type=int, default=2, help="for each run")
    arguments = parser.parse_args(argv)
    if arguments.workloads == ["kernels"]:
        return kernel_agreement.main(arguments.threads)
    every = [workload.name for workload in named("training")]
    names = arguments.workloads or every
    for name in names:
        if name not in every:
            parser.error(f"no training workload {name!r}; there are {', '.join(every)}")
    known, wrong = load(PAGE, RESULTS), []
    for name in names:
        runs = [
            _elsewhere(name, STEPS, dtype, arguments.threads, environment)
            for dtype, environment in (("float32", {}), ("float32", OFF), ("float64", OFF))
        ]
        row = known[name] = compared(*runs)
        print(name, *(f"{column} {value:.1e}" for column, value in row.items()), sep="  ", flush=True)
        if not agrees(row):
            wrong.append(name)
        store(PAGE, RESULTS, known)
        (RESULTS / f"{PAGE}.md").write_text(markdown(known))
    if wrong:
        print(f"farther apart than rounding explains: {', '.join(wrong)}")
    return int(bool(wrong))


def _elsewhere(workload: str, steps: int, dtype: str, threads: int, environment: Mapping[str, str]) -> Outcome:
    """Call `trained` in another process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "outcome.npz"
        subprocess.run(
            [sys.executable, "-m", "benchmarks.agreement", workload, str(steps), dtype, str(path)],
            cwd=ROOT,
            env=process_environment(sys.executable, threads, environment),
            check=True,
        )
        with np.load(path, allow_pickle=False) as outcome:
            return dict(outcome)


if __name__ == "__main__":
    workload, steps, dtype, path = sys.argv[1:]
    np.savez(path, **trained(workload, int(steps), dtype))
