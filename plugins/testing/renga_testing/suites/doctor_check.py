"""`DoctorCheckSuite`: the kit of checks of `renga doctor`. How to write one: docs/how-to/write-a-doctor-check.md."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any, ClassVar

import pytest

from renga_core.kinds import DOCTOR_CHECK
from renga_core.plugin.state import State, describe_error
from renga_testing.suites.marked_processes import VARIABLE, MarkedProcesses
from renga_testing.suites.suite import ProviderSuite

__all__ = ["DoctorCheckSuite"]


class DoctorCheckSuite(ProviderSuite):
    """Tests of a check, which is called as `renga doctor` calls it.

    Attributes:
        seconds: The time limit that is passed to the check.
        patience: Additional time for the check to return, and for its processes to end.
    """

    kind = DOCTOR_CHECK
    seconds: ClassVar[float] = 60.0
    patience: ClassVar[float] = 30.0

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> Iterator[None]:
        with chdir(tmp_path):
            yield
            left = sorted(os.listdir())
        assert not left, f"{self.label} leaves {', '.join(left)} in the current folder"

    def test_rows(self) -> None:
        """It returns rows of three texts: subject, a valid state, and details."""
        rows = self._rows(self.seconds)
        assert rows, f"{self.label} returns no row, so nobody sees the check"
        for row in rows:
            texts = isinstance(row, tuple) and len(row) == 3 and all(isinstance(cell, str) for cell in row)
            assert texts, f"{self.label} returns {row!r}; expected three texts: subject, state, details"
            what, state, about = row
            known = ", ".join(State)
            assert state in list(State), f"{self.label} gives {what!r} the state {state!r}; states are: {known}"
            lines = len(what.splitlines()) == 1 and len(about.splitlines()) <= 1
            assert lines, f"a row of {self.label} does not fit one line of a table: {row!r}"

    def test_little_time(self) -> None:
        """With a short timeout it returns in time, with a row that reports the timeout."""
        assert self._rows(0.1), (
            f"with 0.1 s, {self.label} returns no row: it must report that there was no answer in time"
        )

    def test_unknown_host(self) -> None:
        """An unknown host is no error: a row reports it, or hosts are ignored."""
        assert self._rows(self.seconds, "no-such-host.invalid"), f"{self.label} returns no row for an unknown host"

    def test_prints_nothing(self) -> None:
        """It prints nothing: `renga doctor --json` writes to stdout."""
        out = io.StringIO()
        with redirect_stdout(out):
            self._rows(self.seconds)
        assert not out.getvalue(), f"{self.label} prints {out.getvalue()[:60]!r}; report it in a row"

    def _rows(self, seconds: float, hosts: str | None = None) -> list[Any]:
        """Return the check's result; it must return, and leave no thread and no process behind."""
        before, marked = set(threading.enumerate()), MarkedProcesses()
        said, answer = f"called with {seconds:g} s and {hosts}", list[Any]()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(VARIABLE, marked.mark)
            # A thread of its own: a check that hangs must not hang the kit.
            thread = threading.Thread(target=self._call, args=(seconds, hosts, answer), daemon=True)
            thread.start()
            thread.join(seconds + self.patience)
        assert answer, f"{self.label}, {said}, has not returned {self.patience:g} s later"
        if isinstance(answer[0], BaseException):
            raise AssertionError(f"{self.label}, {said}, raises {describe_error(answer[0])}; report it in a row")
        threads = [one.name for one in set(threading.enumerate()) - before if one.is_alive()]
        assert not threads, f"{self.label} leaves threads behind: {', '.join(threads)}"
        left = marked.left(self.patience)
        assert not left, f"{self.label} returns and leaves processes running: {len(left)}"
        return list(answer[0])

    def _call(self, seconds: float, hosts: str | None, answer: list[Any]) -> None:
        try:
            answer.append(list(self.target(seconds, hosts)))
        except BaseException as error:
            answer.append(error)
