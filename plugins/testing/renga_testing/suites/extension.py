"""`ExtensionSuite`: the kit of trainer extensions. How to write one: docs/how-to/write-an-extension.md."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import tempfile
import threading
import tracemalloc
import weakref
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from renga_core.backend import to_host
from renga_core.kinds import EXTENSION
from renga_core.serializers import load, save
from renga_core.training import PRIORITY_EDITOR, Extension
from renga_testing.saving import saved_state
from renga_testing.suites.comparing import compare
from renga_testing.suites.stepwise_run import StepwiseRun
from renga_testing.suites.suite import ProviderSuite

__all__ = ["ExtensionSuite"]

WIDTH = 20_000
"""Number of weights of the model in the test of memory."""


@dataclass(frozen=True)
class _Ended:
    """Result of a run: its state, the observations of each iteration, the files in its folder."""

    state: dict[str, Any]
    observed: list[dict[str, str]]
    files: dict[str, str]


class ExtensionSuite(ProviderSuite):
    """Tests of an extension, in a short run (`stepwise_run`) that calls it in each iteration.

    Attributes:
        iterations: Length of that run; the tests interrupt it after each iteration once.
    """

    kind = EXTENSION
    iterations: ClassVar[int] = 9

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
        """An empty folder to work in; the runs' own folders are elsewhere. Afterwards all runs are finalized."""
        work = tmp_path / "work"
        self.elsewhere = {"the user's home": tmp_path / "home", "the folder of temporary files": tmp_path / "temporary"}
        for place in (work, *self.elsewhere.values()):
            place.mkdir()
        monkeypatch.chdir(work)
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
        self.out = tmp_path / "out"
        self._runs: list[StepwiseRun] = []
        yield work
        for run in reversed(self._runs):
            with suppress(Exception):  # errors of `finalize` have a separate test
                self._extension(run).finalize()
        found = os.getcwd()
        assert found == str(work), (
            "the current folder was changed and not restored: relative paths of other code are wrong"
        )

    def test_is_an_extension(self) -> None:
        """It can be created, is an `Extension`, and has a trigger, a priority and a name."""
        extension = self._make()
        trigger = extension.trigger
        pair = isinstance(trigger, tuple) and len(trigger) == 2 and trigger[1] in ("epoch", "iteration")
        assert callable(trigger) or pair, f"its trigger is {trigger!r}; expected a pair or a function of the trainer"
        assert isinstance(extension.priority, int), f"its priority is {extension.priority!r}; expected an integer"
        name = extension.default_name
        assert isinstance(name, str), f"its default_name is {name!r}; expected a text"
        assert name, "its default_name is empty"
        assert name != "training", "its default_name is 'training', which is the training loop itself"

    def test_life_cycle(self) -> None:
        """It works through a whole run: resume, initialize, calls, finalize."""
        run = self._start("whole")
        for _ in range(self.iterations):
            run.update()
            run.call()
        run.complete = True
        self._extension(run).finalize()

    def test_error(self) -> None:
        """After an error in an iteration, it lets the error pass, and does not end the program."""
        run = self._start("error")
        run.update()
        run.call()
        error = RuntimeError("on purpose")
        try:
            self._extension(run).on_error(run, error, None)
        except (Exception, SystemExit) as raised:
            raise AssertionError(f"on_error raised {raised!r}: the error that ends training would be lost") from raised
        self._extension(run).finalize()

    def test_interrupt(self) -> None:
        """It can be interrupted between two iterations."""
        run = self._start("interrupt")
        run.update()
        run.call()
        self._extension(run).on_interrupt(run)
        self._extension(run).finalize()

    def test_finalize_at_any_time(self) -> None:
        """`finalize` may be called before `initialize`, and twice: training may end at any time."""
        extension = self._make()
        for occasion in ("before anything else", "a second time"):
            try:
                extension.finalize()
            except Exception as error:
                raise AssertionError(f"finalize, called {occasion}, raised {error!r}") from error

    def test_leaves_the_run_alone(self) -> None:
        """A call does not change other parts of the run: counters, observers, reported values.

        Reported values stay; only an extension with a priority of at least `PRIORITY_EDITOR` may change them.
        """
        run = self._start("alone")
        for _ in range(self.iterations):
            run.update()
            parts, held, reported = _parts(run), run.observation, dict(run.observation)
            run.call()
            for name, part in _parts(run).items():
                assert part == parts[name], f"a call changes {name}, which does not belong to the extension"
            assert run.observation is held, "a call replaces the trainer's observation; add to the existing one"
            missing = sorted(reported.keys() - held.keys())
            assert not missing, f"a call removes {', '.join(missing)} from the observation: other extensions read it"
            changed = sorted(key for key, value in reported.items() if held[key] is not value)
            editor = self._extension(run).priority >= PRIORITY_EDITOR
            assert editor or not changed, (
                f"a call changes {', '.join(changed)} in the observation; this needs a priority of PRIORITY_EDITOR or "
                f"more, so that it runs before extensions that read"
            )

    def test_finalize_ends_threads(self) -> None:
        """After `finalize` none of its threads and processes are left."""
        before: set[Any] = {*threading.enumerate(), *multiprocessing.active_children()}
        self._ended("threads")
        found: set[Any] = {*threading.enumerate(), *multiprocessing.active_children()}
        left = [one.name for one in found - before if one.is_alive()]
        assert not left, f"after finalize, threads or processes are left: {', '.join(left)}"

    def test_finalize_closes_files(self) -> None:
        """After `finalize` no file in the run's folder is open, and no temporary file is left."""
        self._ended("files")
        left = [path for path in _open_files() if path.is_relative_to(self.out)]
        assert not left, f"after finalize, {left[0].name} is still open"
        half = sorted(p.name for p in self.out.rglob("*") if p.name.startswith(".") or p.suffix in (".tmp", ".part"))
        assert not half, f"after finalize, the temporary file {half[0]} is left in the run's folder"

    def test_writes_into_its_folder_only(self, folder: Path) -> None:
        """Files are written only into the run's folder."""
        self.test_life_cycle()
        for where, place in {"the current folder": folder, **self.elsewhere}.items():
            # Libraries keep caches under hidden names.
            stray = sorted(path.name for path in place.iterdir() if place == folder or not path.name.startswith("."))
            assert not stray, f"it left {', '.join(stray)} in {where}; files belong into trainer.out"

    def test_two_are_independent(self) -> None:
        """Two instances share no state: a run of one does not change the other."""
        used = self._start("used")
        for _ in range(3):
            used.update()
            used.call()
        _same_state(
            saved_state(self._start("new")),
            saved_state(self._start("newer")),
            "an instance, after another one has run,",
        )

    def test_resume_equals_uninterrupted(self) -> None:
        """A run that is saved at any iteration, loaded and continued has the same state, reports and files at its end.

        Values that differ between two uninterrupted runs, such as times, are not compared. One of them comes first and
        one
        last: a clock that tells both the same has told all between them the same.
        """
        whole = self._finished(self._start("whole"), self.iterations)
        resumed = {cut: self._resumed(cut) for cut in range(1, self.iterations)}
        again = self._finished(self._start("again"), self.iterations)
        for cut, run in resumed.items():
            when = f"after resuming at iteration {cut}"
            _same_state(run.state, whole.state, f"{when}, the run's")
            for i, values in enumerate(run.observed, cut):
                _same_values(values, whole.observed[i], again.observed[i], f"{when}, observation {i + 1}")
            _same_values(run.files, whole.files, again.files, f"{when}, the run's folder")

    def test_memory_does_not_grow(self) -> None:
        """Memory does not grow: forty iterations keep less than one array of weights, and no loss."""
        run = self._start("memory", WIDTH)
        losses: list[weakref.ref[Any]] = []
        sizes = []
        tracemalloc.start()
        try:
            for iteration in range(61):
                run.update()
                losses.append(weakref.ref(run.observation["main/loss"]))
                run.call()
                if iteration in (20, 60):
                    gc.collect()
                    sizes.append(tracemalloc.get_traced_memory()[0])
        finally:
            tracemalloc.stop()
        alive = sum(loss() is not None for loss in losses)
        assert alive <= 3, (
            f"{alive} of {len(losses)} reported losses are still in memory, with their graphs: keep the numbers of an "
            f"observation, not its variables"
        )
        grown = (sizes[1] - sizes[0]) / (8 * WIDTH)
        assert grown < 2, (
            f"memory grows: after forty iterations, {grown:.0f} more arrays of the size of the model's weights are in "
            f"memory"
        )

    def test_saving_changes_nothing(self) -> None:
        """A run that is saved after each iteration ends like a run that is never saved."""
        whole, saved = self._run("never_saved", self.iterations), self._start("saved")
        for iteration in range(self.iterations):
            saved.update()
            saved.call()
            save(self.out / f"saved_{iteration}.npz", saved)
        _same_state(saved_state(saved), saved_state(whole), "after a run that was saved in each iteration, its")

    def test_going_back(self) -> None:
        """A saved state can be loaded into an extension that has continued after saving."""
        whole = self._run("forward", self.iterations)
        run = self._run("back", self.iterations // 2)
        save(self.out / "back.npz", run)
        for _ in range(self.iterations // 2):
            run.update()
            run.call()
        load(self.out / "back.npz", run)
        self._continue(run, self.iterations - self.iterations // 2)
        _same_state(saved_state(run), saved_state(whole), "after loading the earlier saved state, the run's")

    # --- helpers -----------------------------------------------------------------------------------------------------

    def _make(self) -> Extension:
        extension = self.make()
        assert isinstance(extension, Extension), f"{self.label} makes {extension!r}, which is not an Extension"
        return extension

    def _start(self, name: str, width: int = 3) -> StepwiseRun:
        run = self._new_run(name, width)
        self._extension(run).resume(run)
        self._extension(run).initialize(run)
        return run

    def _ended(self, name: str) -> None:
        """Start, call twice, finalize."""
        run = self._start(name)
        for _ in range(2):
            run.update()
            run.call()
        self._extension(run).finalize()

    def _new_run(self, name: str, width: int = 3) -> StepwiseRun:
        folder = self.out / name
        os.makedirs(folder, exist_ok=True)
        self._runs.append(StepwiseRun(str(folder), self._make(), width))
        return self._runs[-1]

    def _run(self, name: str, iterations: int) -> StepwiseRun:
        run = self._start(name)
        self._go_on(run, iterations)
        return run

    def _continue(self, run: StepwiseRun, iterations: int) -> None:
        self._extension(run).resume(run)
        self._extension(run).initialize(run)
        self._go_on(run, iterations)

    def _go_on(self, run: StepwiseRun, iterations: int) -> list[dict[str, str]]:
        """Observations after each of the next iterations: values, learning rate, and whether it asks to stop."""
        observed = []
        for _ in range(iterations):
            run.update()
            run.call()
            values = {key: _as_text(value) for key, value in run.observation.items()}
            rate = {"optimizer.lr": repr(run.updater.get_optimizer("main").lr)}
            observed.append(values | rate | ({"trainer.stop": run.stopped} if run.stopped else {}))
        return observed

    def _resumed(self, cut: int) -> _Ended:
        """A run is saved and finalized after some iterations, and continues in another process."""
        first = self._run(f"cut_{cut}", cut)
        file = self.out / f"cut_{cut}.npz"
        save(file, first)
        self._extension(first).finalize()
        run = self._new_run(f"cut_{cut}")
        load(file, run)
        before = _files(run)
        self._extension(run).resume(run)
        self._extension(run).initialize(run)
        opened = _files(run).keys() - before.keys()  # a file that is specific to this part of the run
        ended = self._finished(run, self.iterations - cut)
        return replace(ended, files={name: text for name, text in ended.files.items() if name not in opened})

    def _finished(self, run: StepwiseRun, iterations: int) -> _Ended:
        """Continue to the end, and finalize."""
        observed = self._go_on(run, iterations)
        state = saved_state(run)
        self._extension(run).finalize()
        return _Ended(state, observed, _files(run))

    def _extension(self, run: StepwiseRun) -> Extension:
        assert run.extension is not None
        return run.extension


def _parts(run: StepwiseRun) -> dict[str, Any]:
    """Objects that an extension must not change, by their names in messages."""
    updater: Any = run.updater
    optimizer = updater.get_optimizer("main")
    gradients = [param.grad for param in optimizer.target.params()]
    return {
        "the stop trigger (trainer.stop_trigger)": run.stop_trigger,
        "the updater (trainer.updater)": run.updater,
        "the number of the iteration": run.updater.iteration,
        "the optimizer": optimizer,
        "the optimizer's target": optimizer.target,
        "the optimizer's number of updates": (optimizer.t, optimizer.epoch),
        "the model's gradients": [None if grad is None else (id(grad), to_host(grad).tobytes()) for grad in gradients],
        "the position in the data, from which the next batch is taken": updater.get_iterator("main").epoch_detail,
        "the reporter (trainer.reporter)": run.reporter,
        "the reporter's observers": dict(run.reporter._observers),
        "the observation that values are reported to": run.reporter.observation,
        "the run's folder (trainer.out)": run.out,
    }


def _open_files() -> list[Path]:
    """Files that this process holds open, if the system reports them."""
    found = []
    with suppress(OSError):
        for entry in os.scandir("/proc/self/fd"):
            with suppress(OSError):
                found.append(Path(os.readlink(entry.path)))
    return found


def _files(run: StepwiseRun) -> dict[str, str]:
    """The contents of text files in a run's folder, by name; for other files only their existence."""
    found, folder = {}, Path(run.out)
    for path in folder.rglob("*"):
        if path.is_file():
            try:
                found[str(path.relative_to(folder))] = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                found[str(path.relative_to(folder))] = "(no text)"
    return found


def _as_text(value: Any) -> str:
    value = getattr(value, "array", value)
    return repr(to_host(value).tolist() if hasattr(value, "dtype") else value)


def _same_values(got: dict[str, str], right: dict[str, str], again: dict[str, str], whose: str) -> None:
    """Assert that a run agrees with two uninterrupted runs in everything that these two have in common."""
    assert right.keys() != again.keys() or got.keys() <= right.keys(), (
        f"{whose} has {', '.join(sorted(got.keys() - right.keys()))}, which an uninterrupted run does not have"
    )
    for name in right.keys() & again.keys():
        assert name in got, f"{whose} has no {name}, which an uninterrupted run has"
        assert got[name] == right[name] or right[name] != again[name], (
            f"{whose} has a different {name}: {_cut(got[name])} instead of {_cut(right[name])}"
        )


def _cut(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:39]} … {text[-38:]}"


def _same_state(got: dict[str, Any], right: dict[str, Any], whose: str) -> None:
    assert sorted(got) == sorted(right), f"{whose} state has {sorted(set(got) ^ set(right))} in one case only"
    for key, value in right.items():
        if value.dtype.kind in "US":
            assert got[key].tolist() == value.tolist(), f"{whose} {key} is {_short(got[key])}, not {_short(value)}"
        else:
            compare(got[key], value, f"{whose} {key}", exact=True)


def _short(value: Any) -> str:
    text = json.dumps(value.tolist())
    return text if len(text) <= 60 else f"{text[:57]}…"
