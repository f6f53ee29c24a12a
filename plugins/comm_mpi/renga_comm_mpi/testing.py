"""Real ranks for tests: started once, and given functions to run one after the other.

Starting ranks takes seconds, running a function on them milliseconds. Between functions a rank waits for its next one
at a socket, where it takes no processor time; inside MPI it would.
"""

from __future__ import annotations

import os
import pickle
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge, wait
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from renga_comm_base.threads import THREADS
from renga_comm_mpi.launching import find_mpiexec, launch_command, rank_environment

__all__ = ["Function", "RankPool", "RanksFailed"]

START_TIMEOUT = 180.0
"""Seconds until all ranks must have reported; a busy machine takes 10."""
GRACE = 15.0
"""Seconds that ranks have to end after another one raised: some wait for it in a collective."""


class RanksFailed(Exception):
    """Ranks died or did not answer in time; the others have been killed."""


class Function(NamedTuple):
    """A function by name, so that another process finds it: modules of tests are not importable by theirs."""

    path: str
    module: str
    qualname: str


class RankPool:
    """`size` processes that MPI has started together, which run functions.

    They are started by the first `run`, and again by the first one after a rank has died. Each computes with one
    thread. They end with `close`, and by themselves when the process that made the pool is gone.

    Args:
        size: How many.
        environment: Variables for the ranks, beside those of this process.
        ranks_per_node: Have communicators act as if this many of them, in order, were on a machine; None: as it is.
    """

    def __init__(
        self, size: int, environment: Mapping[str, str] | None = None, ranks_per_node: int | None = None
    ) -> None:
        self.size = size
        node = {} if ranks_per_node is None else {"RENGA_RANKS_PER_NODE": str(ranks_per_node)}
        self._environment = dict.fromkeys(THREADS, "1") | node | dict(environment or {})
        self._job: _Job | None = None

    def run(
        self, function: Callable[..., Any] | tuple[str | Path, str], *args: Any, timeout: float = 180.0
    ) -> list[Any]:
        """Call ``function(*args)`` on every rank, and return for each rank what it returned or the exception it raised.

        Exceptions carry a note with their traceback. One that cannot be pickled comes as a RuntimeError that says its
        type and text.

        Args:
            function: On the top level of a module, or ``(path, name)`` of a file and a function in it.
            args: The same for all ranks; pickled.
            timeout: Seconds until all must have answered.

        Raises:
            RanksFailed: Ranks died or did not answer; says which, with what all wrote. The next call starts new ones.
            ValueError: `function` cannot be found by its name.
        """
        task = pickle.dumps((_by_name(function), args))
        if self._job is None:
            self._job = _Job(self.size, self._environment)
        try:
            return self._job.run(task, timeout)
        except BaseException:  # KeyboardInterrupt, too: ranks are in the middle of something
            self._job.kill()
            self._job = None
            raise

    def close(self) -> None:
        """End the ranks."""
        if self._job is not None:
            self._job.close()
            self._job = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _by_name(function: Callable[..., Any] | tuple[str | Path, str]) -> Function:
    if isinstance(function, tuple):
        path, name = function
        return Function(os.path.abspath(path), f"renga_rank_pool_{Path(path).stem}", name)
    module, name = function.__module__, function.__qualname__
    found: Any = sys.modules[module]
    file = getattr(found, "__file__", None)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is not function or file is None:
        raise ValueError(f"{module}:{name} is not a function at the top level of a module's file")
    return Function(os.path.abspath(file), module, name)


class _Job:
    """Ranks that run, each with a connection to here."""

    def __init__(self, size: int, environment: Mapping[str, str]) -> None:
        self.size = size
        self.connections: dict[int, Connection[Any, Any]] = {}
        self.pids: dict[int, int] = {}
        self.folder = tempfile.mkdtemp(prefix="renga-ranks-")  # short: a socket's address has 107 bytes
        address, key = os.path.join(self.folder, "socket"), secrets.token_bytes(32)
        program = [sys.executable, "-m", "renga_comm_mpi.testing_worker", address]
        command = launch_command(find_mpiexec(), program, size)
        self.output = tempfile.TemporaryFile("w+b")  # noqa: SIM115  (`kill` closes it)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(address)
            server.listen(size)
            server.settimeout(0.1)
            self.process = subprocess.Popen(
                command,
                env=rank_environment(size) | dict(environment) | {"RENGA_RANK_POOL_KEY": key.hex()},
                stdin=subprocess.DEVNULL,
                stdout=self.output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C in the terminal is for whoever made the pool, who ends the ranks
            )
            try:
                self._connect(server, key)
            except BaseException:
                self.kill()
                raise

    def _connect(self, server: socket.socket, key: bytes) -> None:
        deadline = time.monotonic() + START_TIMEOUT
        while len(self.connections) < self.size:
            if self.process.poll() is not None:
                raise self.failure(f"mpiexec ended with status {self.process.returncode} before all ranks had reported")
            if time.monotonic() > deadline:
                missing = ", ".join(str(rank) for rank in range(self.size) if rank not in self.connections)
                raise self.failure(f"rank {missing} did not report in {START_TIMEOUT:g} s")
            try:
                connected, _ = server.accept()
            except TimeoutError:
                continue
            connection: Connection[Any, Any] = Connection(connected.detach())
            deliver_challenge(connection, key)
            answer_challenge(connection, key)
            rank, size, pid = connection.recv()
            if size != self.size:
                raise self.failure(f"a rank says that there are {size} ranks, not {self.size}: see `renga doctor`")
            self.connections[rank], self.pids[rank] = connection, pid

    def run(self, task: bytes, timeout: float) -> list[Any]:
        deadline = time.monotonic() + timeout
        answers: dict[int, Any] = {}
        raised = False
        try:
            for connection in self.connections.values():
                connection.send_bytes(task)
        except OSError:  # one has died since; it is found below
            pass
        while len(answers) < self.size:
            waiting = {rank: connection for rank, connection in self.connections.items() if rank not in answers}
            ready = wait(list(waiting.values()), max(0.0, deadline - time.monotonic()))
            if not ready:
                raise self.failure(f"no answer from rank {', '.join(map(str, sorted(waiting)))} in time", answers)
            for rank, connection in waiting.items():
                if connection not in ready:
                    continue
                try:
                    succeeded, answers[rank] = connection.recv()
                except (EOFError, OSError):
                    raise self.failure(f"rank {rank} died", answers) from None
                if not succeeded and not raised:
                    raised, deadline = True, min(deadline, time.monotonic() + GRACE)
        return [answers[rank] for rank in range(self.size)]

    def failure(self, what: str, answers: Mapping[int, Any] | None = None) -> RanksFailed:
        """End all, and say what happened, with what they wrote."""
        self._end_processes()
        self.output.seek(0)
        error = RanksFailed(f"{what} ({self.size} ranks)")
        for rank, answer in sorted((answers or {}).items()):
            if isinstance(answer, BaseException):
                notes = "\n".join(getattr(answer, "__notes__", []))
                error.add_note(f"Rank {rank} had raised {type(answer).__name__}: {answer}\n{notes}")
        text = self.output.read().decode(errors="replace").strip()
        if text:
            error.add_note(f"What the ranks wrote:\n{text[-5000:]}")
        return error

    def close(self) -> None:
        """Let all end by themselves, for a while."""
        for connection in self.connections.values():
            with suppress(OSError):
                connection.send_bytes(b"")  # which says: no more
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5)
        self.kill()

    def kill(self) -> None:
        self._end_processes()
        for connection in self.connections.values():
            connection.close()
        self.output.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _end_processes(self) -> None:
        if self.process.poll() is not None:
            return
        # The ranks first: mpiexec then sees them die and cleans up after them, which it would not after its own death.
        for pid in self.pids.values():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
