"""`ExtensionSuite`: the kit of trainer extensions."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from renga_core.plugin import EXTENSION
from renga_core.serializers import DictionarySerializer, load_npz, save_npz
from renga_core.testing.suites.comparing import compare
from renga_core.testing.suites.rehearsal import Rehearsal
from renga_core.testing.suites.suite import ProviderSuite
from renga_core.training import Extension

__all__ = ["ExtensionSuite"]


class ExtensionSuite(ProviderSuite):
    """Tests of an extension, in a small run (`rehearsal`) that calls it in each iteration.

    Attributes:
        iterations: Length of that run; it is interrupted after each of them once.
    """

    kind = EXTENSION
    iterations: ClassVar[int] = 9

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
        """An empty folder to work in; the runs' own folders are elsewhere. Afterwards all runs are finalized."""
        work = tmp_path / "work"
        work.mkdir()
        monkeypatch.chdir(work)
        self.out = tmp_path / "out"
        self._runs: list[Rehearsal] = []
        yield work
        for run in self._runs:
            with suppress(Exception):  # what `finalize` may do wrong has a test of its own
                self._extension(run).finalize()

    def test_is_an_extension(self) -> None:
        """It can be made, is an `Extension`, and says when it is to be called, how early, and under which name."""
        extension = self._make()
        trigger = extension.trigger
        pair = isinstance(trigger, tuple) and len(trigger) == 2 and trigger[1] in ("epoch", "iteration")
        assert callable(trigger) or pair, f"its trigger is {trigger!r}; expected a pair or a function of the trainer"
        assert isinstance(extension.priority, int), f"its priority is {extension.priority!r}; expected a whole number"
        name = extension.default_name
        assert isinstance(name, str), f"its default_name is {name!r}; expected a text"
        assert name, "its default_name is empty"
        assert name != "training", "its default_name is 'training', which is the training loop itself"

    def test_life_cycle(self) -> None:
        """It bears the whole life of a run: resume, initialize, calls, finalize."""
        run = self._start("whole")
        for _ in range(self.iterations):
            run.update()
            run.call()
        self._extension(run).finalize()

    def test_error(self) -> None:
        """It bears an error in the middle of an iteration, and lets it pass."""
        run = self._start("error")
        run.update()
        run.call()
        error = RuntimeError("on purpose")
        try:
            self._extension(run).on_error(run, error, None)
        except Exception as raised:
            raise AssertionError(f"on_error raised {raised!r}: the error that ends training would be lost") from raised
        self._extension(run).finalize()

    def test_interrupt(self) -> None:
        """It bears an interruption between two iterations."""
        run = self._start("interrupt")
        run.update()
        run.call()
        self._extension(run).on_interrupt(run)
        self._extension(run).finalize()

    def test_finalize_at_any_time(self) -> None:
        """It bears `finalize` before it was initialized, and twice: training may end in any way."""
        extension = self._make()
        for occasion in ("before anything else", "a second time"):
            try:
                extension.finalize()
            except Exception as error:
                raise AssertionError(f"finalize, called {occasion}, raised {error!r}") from error

    def test_finalize_ends_threads(self) -> None:
        """After `finalize` no thread of its own is left."""
        before = set(threading.enumerate())
        run = self._start("threads")
        run.update()
        run.call()
        self._extension(run).finalize()
        left = [thread.name for thread in set(threading.enumerate()) - before if thread.is_alive()]
        assert not left, f"after finalize, threads are left: {', '.join(left)}"

    def test_writes_into_its_folder_only(self, folder: Path) -> None:
        """Files are written into the run's folder, and nowhere else."""
        self.test_life_cycle()
        stray = sorted(path.name for path in folder.iterdir())
        assert not stray, f"it wrote {', '.join(stray)} into the current folder; files belong into trainer.out"

    def test_two_are_independent(self) -> None:
        """Two of them share nothing: one that has run leaves another as new."""
        used = self._start("used")
        for _ in range(3):
            used.update()
            used.call()
        _same_state(_state(self._start("new")), _state(self._start("newer")), "one, after another one has run,")

    def test_resume_equals_uninterrupted(self) -> None:
        """Interrupted at any iteration, saved, loaded and continued, a run ends as one that was not."""
        whole = self._run("whole", self.iterations)
        for cut in range(1, self.iterations):
            first = self._run(f"cut_{cut}", cut)
            file = self.out / f"cut_{cut}.npz"
            save_npz(file, first)
            self._extension(first).finalize()
            resumed = self._rehearsal(f"cut_{cut}")
            load_npz(file, resumed)
            self._continue(resumed, self.iterations - cut)
            _same_state(_state(resumed), _state(whole), f"after resuming at iteration {cut}, the run's")

    # --- helpers -----------------------------------------------------------------------------------------------------

    def _make(self) -> Extension:
        extension = self.make()
        assert isinstance(extension, Extension), f"{self.label} makes {extension!r}, which is no Extension"
        return extension

    def _start(self, name: str) -> Rehearsal:
        run = self._rehearsal(name)
        self._extension(run).resume(run)
        self._extension(run).initialize(run)
        return run

    def _rehearsal(self, name: str) -> Rehearsal:
        folder = self.out / name
        os.makedirs(folder, exist_ok=True)
        self._runs.append(Rehearsal(str(folder), self._make()))
        return self._runs[-1]

    def _run(self, name: str, iterations: int) -> Rehearsal:
        run = self._start(name)
        for _ in range(iterations):
            run.update()
            run.call()
        return run

    def _continue(self, run: Rehearsal, iterations: int) -> None:
        self._extension(run).resume(run)
        self._extension(run).initialize(run)
        for _ in range(iterations):
            run.update()
            run.call()

    def _extension(self, run: Rehearsal) -> Extension:
        assert run.extension is not None
        return run.extension


def _state(run: Any) -> dict[str, Any]:
    serializer = DictionarySerializer()
    serializer.save(run)
    return {key: np.array(value) for key, value in serializer.target.items()}


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
