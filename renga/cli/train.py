"""`renga train`: train a model as a TOML file describes."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from renga.distributed import TrainerRecovery, build_and_run
from renga.run import Training, build, describe, read_run, shipped_runs
from renga.run.distributed import find_communicator, first_rank_does
from renga.run.folder import (
    COPY,
    check_folder,
    check_writable,
    differences,
    free_folder,
    never,
    snapshot_store,
)
from renga.run.run_file import RunDescription
from renga.run.shipped import DEFAULT_RUN
from renga.run.sweep import combinations
from renga.run.toml import dumps
from renga.training import hold_folder
from renga_comm_base.resilience import ResilientBase
from renga_core.command_line import Parser, assignment, word
from renga_core.communicator import CommunicatorBase
from renga_core.plugin import get_manager
from renga_core.settings import all_settings, lookup, using_command_line, using_run_file
from renga_core.training import Extension, TrainerLike

from .output import print_table
from .rank_errors import error_ends_all_ranks, rank_0_speaks, stopped_by_signals
from .sweep import sweep

__all__ = ["run"]

FLAGS = {"backend": "run.backend", "communicator": "run.communicator", "epochs": "run.epochs", "out": "run.out"}
INTERRUPTED = 130


def run(argv: Sequence[str]) -> int:
    """Run ``renga train [FILE.toml | NAME] [options]``, in one process or as one of several that MPI has started."""
    with rank_0_speaks():
        return _run(argv)


def _run(argv: Sequence[str]) -> int:
    arguments = _parser().parse_all(argv)
    varied = combinations(arguments.set)
    if not varied or arguments.dry_run:
        for settings in varied or [{}]:
            status, _ = _train_with(arguments, settings, arguments.resume)
        return status

    def train(settings: dict[str, str], resume: bool) -> tuple[int, Training]:
        return _train_with(arguments, settings, resume)

    with ExitStack() as layers:
        run = _described(layers, arguments, varied[0])
    out = run.out if run.origin("run.out") != "default" or arguments.resume else free_folder(run.out)
    return sweep(varied, out, train, resume=arguments.resume, overwrite=arguments.overwrite)


def _described(layers: ExitStack, arguments: argparse.Namespace, settings: dict[str, str]) -> RunDescription:
    """The run that the run file and the command line describe; `settings` override ``--set``."""
    words = {key: (f"--set {key}", value) for key, value in {**dict(arguments.set), **settings}.items()}
    given = {flag: getattr(arguments, flag) for flag in FLAGS if getattr(arguments, flag) is not None}
    words |= {FLAGS[flag]: (f"--{flag}", value) for flag, value in given.items() if FLAGS[flag] not in settings}
    layers.enter_context(using_run_file(read_run(arguments.run)))
    layers.enter_context(using_command_line(words))
    return describe()


def _train_with(arguments: argparse.Namespace, settings: dict[str, str], resume: bool) -> tuple[int, Training]:
    """Train once. Returns the exit status and the training."""
    with ExitStack() as layers:
        description = _described(layers, arguments, settings)
        known = {setting.key: setting.value for setting in all_settings()}
        communicator = find_communicator(description)

        def built() -> Training:
            run = description
            if not arguments.dry_run and not _is_spare(communicator):
                take = partial(_take_folder, layers, run, resume=resume, overwrite=arguments.overwrite)
                run = replace(run, out=first_rank_does(communicator, take))
            return build(run, resume=resume, communicator=communicator)

        def used(training: Training) -> tuple[int, Training]:
            if not arguments.dry_run:
                settings = {**known, "run.out": training.description.out}
                return _train(training, settings, arguments.run, resume), training
            if communicator.rank == 0:
                print("".join(f"# {note}\n" for note in training.notes), end="")
                print(dumps(training.description.as_document()), end="")
            return 0, training

        with error_ends_all_ranks(communicator), stopped_by_signals():
            if isinstance(communicator, ResilientBase):
                return build_and_run(communicator, built, used)
            return used(built())


def _is_spare(communicator: CommunicatorBase) -> bool:
    """Whether this process is a spare that waits to replace another one."""
    return isinstance(communicator, ResilientBase) and communicator.is_spare


def _leads(training: Training) -> bool:
    """Whether this process prints for the whole run."""
    recovery = training.trainer.recovery
    return training.communicator.rank == 0 and (not isinstance(recovery, TrainerRecovery) or recovery.ready)


def _take_folder(layers: ExitStack, run: RunDescription, *, resume: bool, overwrite: bool) -> str:
    """Check and lock the folder for this run. Return the default folder, if it was taken by another run."""
    if run.origin("run.out") == "default" and not resume and not overwrite:
        run = replace(run, out=free_folder(run.out))
    check_writable(run)
    layers.enter_context(hold_folder(run.out, "name another folder: --out DIR"))
    check_folder(run, resume=resume, overwrite=overwrite)
    return run.out


def _parser() -> Parser:
    names = ", ".join(shipped_runs())
    parser = Parser(
        "renga train", f"Train a model as a run file (TOML) describes. Run files that come with Renga: {names}."
    )
    parser.add_argument(
        "run", nargs="?", default=DEFAULT_RUN, metavar="FILE.toml | NAME", help=f"default: {DEFAULT_RUN}"
    )
    parser.add_argument(
        "--set",
        action="append",
        type=assignment,
        default=[],
        metavar="KEY=VALUE",
        help="change a setting: optimizer.alpha=0.01; may be repeated. Several values (optimizer.alpha=0.1,0.01) train "
        "one run for each combination",
    )
    parser.add_argument(
        "--backend", type=word, metavar="NAME", help="backend to compute on: numpy, cupy:0, … (setting run.backend)"
    )
    parser.add_argument(
        "--communicator",
        type=word,
        metavar="NAME",
        help="communicator between processes: naive, … (setting run.communicator)",
    )
    parser.add_argument("--epochs", metavar="N", help="number of passes over the training data (setting run.epochs)")
    parser.add_argument("--out", type=word, metavar="DIR", help="folder for the results (setting run.out)")
    start = parser.add_mutually_exclusive_group()
    start.add_argument("--resume", action="store_true", help="continue from the newest snapshot in the folder")
    start.add_argument("--overwrite", action="store_true", help="delete the run in the folder and start a new one")
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="check the run, build everything, and print the run; train nothing and write nothing",
    )
    return parser


def _train(training: Training, settings: dict[str, Any], name: str, resume: bool) -> int:
    first = _leads(training)
    introduction = _Introduction(training, name)
    if first:
        if not resume:
            snapshot_store(training.description.out).remove_all()
        training.trainer.extend(introduction, trigger=never)
    started_at = time.perf_counter()
    try:
        with _announced(settings) if first else nullcontext():
            training.trainer.run(show_loop_exception_msg=False)
    except KeyboardInterrupt:
        if _leads(training):
            _say_how_to_resume(training)
        return INTERRUPTED
    if _leads(training) and not introduction.at_the_end:
        _conclude(training, time.perf_counter() - started_at)
    return 0


@contextmanager
def _announced(settings: dict[str, Any]) -> Iterator[None]:
    """Notify plugins that the run starts and that it has finished."""
    manager = get_manager()
    manager.emit("renga_run_start", config=settings)
    try:
        yield
    except BaseException as error:
        manager.emit("renga_run_finish", config=settings, error=error)
        raise
    manager.emit("renga_run_finish", config=settings, error=None)


class _Introduction(Extension):
    """Prints a summary of the run when training starts, after a snapshot has been loaded or refused.

    Attributes:
        at_the_end: Whether there is nothing to train, because the resumed run has finished all its epochs.
    """

    priority = 10_000  # before the progress bar
    on_every_rank = False

    def __init__(self, training: Training, name: str) -> None:
        self._training, self._run_name = training, name
        self.at_the_end = False

    def initialize(self, trainer: TrainerLike) -> None:
        training, run = self._training, self._training.description
        if trainer.updater.epoch_detail >= run.epochs:
            self.at_the_end = True
            had = f"{trainer.updater.epoch_detail:.4g} epochs, iteration {trainer.updater.iteration}"
            print(f"Nothing to train: the run in {run.out} has reached {had}, and run.epochs is {run.epochs}.")
            print(f"Next: continue it with --epochs {trainer.updater.epoch + 1} or more.", flush=True)
            return
        resumed = trainer.updater.iteration > 0
        epochs = f"{run.epochs} epoch{'s' if run.epochs > 1 else ''}"
        going_on = f", continuing after iteration {trainer.updater.iteration}" if resumed else ""
        print_table(
            [
                ("run", f"{self._run_name}, seed {run.seed}, {epochs}{going_on}"),
                *([("task", run.task.use)] if run.task.use != "classification" else []),
                ("model", f"{run.model.use}, {training.model.count_params():,} parameters, on {training.device.name}"),
                *_how_together(training),
                ("data", f"{run.data.use}, {len(training.train)} examples to train on, {len(training.test)} to test"),
                ("optimizer", run.optimizer.use),
                ("folder", _folder(run)),
                *(("note", note) for note in training.notes),
            ]
        )
        print(flush=True)
        for difference in differences(run) if resumed else ():
            print(f"renga: warning: a setting differs from the resumed run: {difference}", file=sys.stderr)


def _folder(run: RunDescription) -> str:
    taken = lookup("run.out").value
    if run.out == taken:
        return run.out
    return f"{run.out}, because {taken} holds a run already; to continue that run: --resume"


def _how_together(training: Training) -> list[tuple[str, str]]:
    """The row that says how many processes train, and the size of their batches."""
    run, size, batch = training.description, training.communicator.size, training.batch_size
    if run.communicator == "single":
        return []
    if size == 1:
        return [("ranks", f"1 ({run.communicator}); renga launch -n 4 renga train … starts more")]
    least, rest = divmod(batch, size)
    each = f"{least} or {least + 1}" if rest else f"{least}"
    return [("ranks", f"{size} ({run.communicator}), batches of {batch} examples in all, {each} on each rank")]


def _conclude(training: Training, seconds: float) -> None:
    reached = _reached(training)
    out = training.trainer.out
    shards = snapshot_store(out).shards()
    files = ", ".join(
        sorted(path.name for path in Path(out).iterdir() if path not in shards and not path.name.startswith("."))
    )
    reason = training.trainer.stop_reason
    if reason is not None:
        print(f"\nStopped in epoch {training.trainer.updater.epoch}: {reason}.", end="")
    print(f"\nDone: {reached}{seconds:.1f} s. In {out}: {files}")


def _reached(training: Training) -> str:
    """The main metric of the task in the last evaluation: ``test accuracy 98.61%, ``.

    If an evaluator reports other metrics than the task, all of them.
    """
    prefix, found = "validation/main/", training.trainer.observation
    figures = {key.removeprefix(prefix): float(value) for key, value in found.items() if key.startswith(prefix)}
    headline = training.task.headline
    shown = {headline: figures[headline]} if headline in figures else figures
    said = {name: f"{value:.2%}" if name == "accuracy" else readable(value) for name, value in shown.items()}
    return "".join(f"test {name.replace('_', ' ')} {value}, " for name, value in said.items())


def readable(value: float) -> str:
    """A number with four digits or more: ``0.4206``, ``19,310``; an exponent only for very small or large ones."""
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.4g}"


def _say_how_to_resume(training: Training) -> None:
    updater, out = training.trainer.updater, training.trainer.out
    print(f"renga: interrupted in epoch {updater.epoch + 1}, after iteration {updater.iteration}", file=sys.stderr)
    if found := snapshot_store(out).find():
        # The copy in the folder contains all settings of the command line.
        command, size = f"renga train {Path(out, COPY)} --resume", training.communicator.size
        several = f"renga launch -n {size} {command} (or another number)" if size > 1 else command
        print(f"To continue from {found[0].path}: {several}", file=sys.stderr)
