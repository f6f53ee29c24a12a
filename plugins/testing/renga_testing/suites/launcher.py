"""`LauncherSuite`: the kit of launchers. How to write one: docs/how-to/write-a-launcher.md."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import pytest

from renga_core.kinds import LAUNCHER
from renga_testing.suites.marked_processes import VARIABLE, MarkedProcesses
from renga_testing.suites.suite import ProviderSuite, needs

__all__ = ["LauncherSuite"]

_ARGUMENTS = ["two words", "$RENGA_CONFORMANCE_TOLD", "é"]
_STATUS = 3
_LAUNCHING = """
import os, sys
sys.path.extend({path!r})
from renga_core.plugin import registry
launch = registry("launcher").load({name!r})
sys.exit(launch({command!r}, {size}, os.environ | {{"RENGA_CONFORMANCE_TOLD": "as told"}}, **{more!r}))
"""
_RANK = """
import json, os, sys, time
task, folder, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
read = sys.stdin.read() if task == "tell" else ""
told = [sys.argv[4:], os.environ.get("RENGA_CONFORMANCE_TOLD"), os.getcwd()]
place = os.path.join(folder, str(os.getpid()))
with open(place + ".part", "w") as file:
    json.dump(told, file)
os.rename(place + ".part", place)
print("a rank prints", flush=True)
print("a rank complains", file=sys.stderr, flush=True)
if task == "tell":
    sys.exit(0)
if task == "survive":
    while sum(name.isdigit() for name in os.listdir(folder)) < size:
        time.sleep(0.01)
    try:
        os.mkdir(os.path.join(folder, "failed"))
        os.kill(os.getpid(), 9)
    except FileExistsError:
        time.sleep(0.5)  # in which others would be ended
    open(place + ".went-on", "w").close()
    sys.exit(0)
if task != "wait":
    while sum(name.isdigit() for name in os.listdir(folder)) < size:
        time.sleep(0.01)
    try:
        os.mkdir(os.path.join(folder, "failed"))
    except FileExistsError:
        pass  # another rank is the one that fails
    else:
        sys.exit({status}) if task == "exit" else os.kill(os.getpid(), 9)
time.sleep(600)
""".replace("{status}", str(_STATUS))


class LauncherSuite(ProviderSuite):
    """Tests of a launcher, which runs in a separate process, as in `renga launch`.

    Attributes:
        size: Number of ranks.
        seconds: All must have started, or ended, in this time.
        hosts: Host for the test of the capability ``hosts``: a name of this machine that can be reached.
    """

    kind = LAUNCHER
    extras: ClassVar[Mapping[str, str]] = {
        "hosts": "ranks can run on other hosts",
        "tag": "each line of output can begin with the rank that wrote it",
        "fault_tolerant": "the other ranks can continue when a rank dies, and spare ranks can be started",
    }
    size: ClassVar[int] = 3
    seconds: ClassVar[float] = 120.0
    hosts: ClassVar[str] = "localhost"

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Generate tests for ways in which a rank fails, and for signals that end the launcher."""
        return {**super().parameters(), "failure": ("exit", "kill"), "wish": ("SIGINT", "SIGTERM")}

    @pytest.fixture(autouse=True)
    def _processes(self, tmp_path: Path) -> Iterator[None]:
        self._folder, self._marked = tmp_path, MarkedProcesses()
        self._started: list[subprocess.Popen[bytes]] = []
        try:
            yield
            left = self._marked.left(self.seconds / 4)
            assert not left, f"{self.label} returns and leaves processes running: {len(left)}"
        finally:
            for process in self._started:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            for number in self._marked.left(0):
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)

    def test_ranks(self) -> None:
        """Ranks run the command in the current folder with its arguments and environment; their output is passed on.

        The standard input of a rank is empty, as the launcher's is.
        """
        status = self._end(self._launch("tell"))
        assert status == 0, f"all ranks end with 0, but {self.label} returns {status}{self._last_line}"
        found = self._ranks()
        assert len(found) == self.size, f"{self.label} should start {self.size} ranks, but starts {len(found)}"
        for arguments, variable, folder in found:
            assert arguments == _ARGUMENTS, f"{self.label} gives a rank the arguments {arguments}, not {_ARGUMENTS}"
            assert variable == "as told", f"{self.label} does not pass the given environment to each rank"
            assert folder == str(self._folder), f"{self.label} starts a rank in {folder}, not in the current folder"
        for name, line in (("stdout", "a rank prints"), ("stderr", "a rank complains")):
            count = self._written(name).count(line)
            assert count == self.size, f"{self.size} ranks write a line to {name}, but {count} lines arrive"

    def test_failing_rank(self, failure: str) -> None:
        """If one rank fails, the others are ended, and its status is returned; if it is killed, a nonzero status."""
        status = self._end(self._launch(failure), "one rank has failed")
        if failure == "kill":
            assert status != 0, f"a rank was killed, but {self.label} returns 0"
        else:
            assert status == _STATUS, f"a rank ended with {_STATUS}, but {self.label} returns {status}"

    def test_told_to_end(self, wish: str) -> None:
        """Ctrl-C (sent to all processes) and SIGTERM (sent to the launcher) end all ranks, and the status is not 0."""
        process = self._launch("wait")
        deadline = time.monotonic() + self.seconds
        while len(self._ranks()) < self.size:
            assert process.poll() is None, f"{self.label} ends before its ranks{self._last_line}"
            assert time.monotonic() < deadline, f"{self.label} has not started {self.size} ranks in {self.seconds:g} s"
            time.sleep(0.02)
        if wish == "SIGINT":
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.terminate()
        status = self._end(process, f"{wish} was sent")
        assert status != 0, f"{wish} ends {self.label}, but it returns 0"

    @needs("hosts")
    def test_hosts(self) -> None:
        """It runs ranks on the given hosts."""
        status = self._end(self._launch("tell", hosts=f"{self.hosts}:{self.size}"))
        assert status == 0, f"{self.label}, with hosts {self.hosts}:{self.size}, returns {status}{self._last_line}"
        found = len(self._ranks())
        assert found == self.size, f"{self.label}, with hosts {self.hosts}:{self.size}, starts {found} ranks"

    @needs("tag")
    def test_tag(self) -> None:
        """With `tag`, each line of output begins with the rank that wrote it."""
        self._end(self._launch("tell", tag=True))
        tags = {
            line.partition("a rank prints")[0].strip()
            for line in self._written("stdout").splitlines()
            if "a rank prints" in line
        }
        assert "" not in tags, f"{self.label}, with tag, prints a line without its rank"
        assert len(tags) == self.size, (
            f"{self.label}, with tag, marks the lines of {self.size} ranks with {sorted(tags)}"
        )

    @needs("fault_tolerant")
    def test_survivors(self) -> None:
        """On request, it also starts spare ranks, and continues when a rank is killed."""
        self._end(self._launch("survive", fault_tolerant=True, spares=1, least=1), "one was killed")
        found, went_on = len(self._ranks()), len(list(self._folder.glob("*.went-on")))
        assert found == self.size, f"{self.label} should start {self.size - 1} ranks and 1 spare, but starts {found}"
        assert went_on == self.size - 1, (
            f"{self.label}, with fault_tolerant: one of {self.size} processes was killed, but {went_on} continued"
        )

    def _launch(self, task: str, **more: Any) -> subprocess.Popen[bytes]:
        """Start the launcher, which starts the ranks."""
        rank = [sys.executable, "-I", "-S", "-c", _RANK, task, str(self._folder), str(self.size), *_ARGUMENTS]
        program = _LAUNCHING.format(
            path=sys.path, name=self.offer.full_name, command=rank, size=self.size - more.get("spares", 0), more=more
        )
        # Files, not pipes: a pipe ends only when the last rank ends, and a launcher may leave one running.
        with open(self._folder / "stdout", "wb") as out, open(self._folder / "stderr", "wb") as err:
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", program],
                cwd=self._folder,
                env=os.environ | {VARIABLE: self._marked.mark},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        self._started.append(process)
        return process

    def _end(self, process: subprocess.Popen[bytes], event: str = "all ranks should end") -> int:
        """The launcher's status, after it has returned."""
        try:
            return process.wait(self.seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.label} still runs {self.seconds:g} s after {event}") from None

    def _written(self, name: str) -> str:
        return (self._folder / name).read_text(encoding="utf-8", errors="replace")

    @property
    def _last_line(self) -> str:
        """Return the end of stderr, for a message."""
        lines = self._written("stderr").strip().splitlines()
        return f": {lines[-1][:200]}" if lines else ""

    def _ranks(self) -> list[Any]:
        """Return what ranks have reported about themselves."""
        files = [path for path in self._folder.iterdir() if path.name.isdigit()]
        return [json.loads(path.read_text(encoding="utf-8")) for path in files]
