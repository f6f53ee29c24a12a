"""`renga train --set KEY=A,B`: train each combination of settings in its own folder, and print a table of results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from renga.run import Training
from renga.run.sweep import TABLE, Outcome, label_of, read_table, write_table
from renga.training import Task, hold_folder
from renga_comm_base.launched import launched
from renga_core.errors import RengaError
from renga_core.plugin import RengaPluginError
from renga_core.settings import SettingsError

from .output import print_error, print_table

__all__ = ["sweep"]

INTERRUPTED = 130
Train = Callable[[dict[str, str], bool], tuple[int, Training]]


def sweep(combinations: Sequence[dict[str, str]], out: str, train: Train, *, resume: bool, overwrite: bool) -> int:
    """Train each combination, and print the table, the best first.

    Args:
        combinations: For each run, the settings by key, as text.
        out: The folder of the sweep.
        train: Trains with such settings, ``run.out`` among them. Gets whether to resume; returns status and training.
        resume: Continue a sweep: skip finished runs, continue runs that have begun.
        overwrite: Start again in a folder that holds a sweep.

    Returns:
        The exit status: 0, 1 if a run has failed, or 130 if the user interrupted it.

    Raises:
        RengaError: There are several processes; the folder holds a sweep already; or there is no sweep to continue.
    """
    if launched().size > 1:
        raise RengaError(
            "a sweep runs in one process: start it without mpiexec and renga launch, or give each setting one value."
        )
    folder = Path(out)
    earlier = read_table(folder)
    if earlier and not resume and not overwrite:
        raise RengaError(
            f"{out} holds a sweep already ({TABLE}).\n"
            "Next: continue it with --resume, choose another folder with --out DIR, or start again with --overwrite."
        )
    if resume and not earlier:
        raise RengaError(f"nothing to resume: there is no {TABLE} in {out}. Leave out --resume, or name another --out.")
    outcomes = [Outcome(settings, label_of(settings)) for settings in combinations]
    task: Task | None = None
    status = 0
    with hold_folder(out, "name another folder: --out DIR"):
        for number, outcome in enumerate(outcomes):
            before = earlier.get(outcome.folder) if resume else None
            if before is not None and before.done:
                outcomes[number] = before
        for number, outcome in enumerate(outcomes, 1):
            if outcome.done:
                continue
            print(f"\n[{number}/{len(outcomes)}] {' '.join(f'{k}={v}' for k, v in outcome.settings.items())}\n")
            path = folder / outcome.folder
            going_on = resume and any(path.glob("snapshot_iter_*.npz"))
            try:
                ended, training = train({**outcome.settings, "run.out": str(path)}, going_on)
            except Exception as error:
                if isinstance(error, SettingsError | RengaPluginError) and number == 1:
                    raise  # a key or a name is wrong, so all other runs would fail too
                print_error(error, with_traceback=False)
                outcome.status, status = f"failed: {str(error).splitlines()[0]}", 1
            else:
                task = training.task
                outcome.figures = _figures(training)
                outcome.status = "done" if ended == 0 else "interrupted"
                status = ended or status
            write_table(folder, outcomes)
            if outcome.status == "interrupted":
                break
    _print(outcomes, task, folder)
    if status == INTERRUPTED:
        print(f"renga: the sweep was interrupted. To continue, add --out {out} --resume.", file=sys.stderr)
    return status


def _figures(training: Training) -> dict[str, float]:
    prefix = "validation/main/"
    found = training.trainer.observation.items()
    names = training.task.figures
    return {k.removeprefix(prefix): float(v) for k, v in found if k.removeprefix(prefix) in names and prefix in k}


def _print(outcomes: Sequence[Outcome], task: Task | None, folder: Path) -> None:
    """Print the finished runs, the best first, then runs that failed or have not begun."""
    figures = list(dict.fromkeys(name for each in outcomes for name in each.figures))
    headline = task.headline if task is not None else (figures[-1] if figures else "")
    sign = -1 if task is not None and task.higher_is_better else 1
    ranked = sorted(outcomes, key=lambda each: sign * each.figures.get(headline, sign * float("inf")))
    columns = [headline, *(name for name in figures if name != headline)]
    print()
    print_table(
        [
            (
                *each.settings.values(),
                *(f"{each.figures[name]:.5g}" if name in each.figures else "" for name in columns),
                "" if each.done else each.status or "not begun",
                str(folder / each.folder),
            )
            for each in ranked
        ],
        head=(*outcomes[0].settings, *(name.replace("_", " ") for name in columns), "", "folder"),
    )
    print(f"\nThe table is in {folder / TABLE}.")
