"""Ranks for the kit of communicators, started by the provider's launcher; they run the kit's programs.

Ranks are started once for many programs. This file is also the program of the ranks, and of the process that starts
them::

    python -m renga_testing.suites.communicator_ranks launch ADDRESS PROVIDER SIZE
    python -m renga_testing.suites.communicator_ranks rank ADDRESS PROVIDER
"""

from __future__ import annotations

import os
import pickle
import queue
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Client, Connection, answer_challenge, deliver_challenge, wait
from typing import Any, BinaryIO

from renga_core.communicator import CommunicatorBase, RankFailed
from renga_core.communicator.launcher import find_launcher
from renga_core.kinds import COMMUNICATOR
from renga_core.plugin import registry
from renga_testing.suites.communicator_programs import Program, fail_on_last_rank

__all__ = ["Ranks"]

START = 180.0
"""Seconds until all ranks must have made their communicator."""
PATIENCE = 50.0
"""Seconds for a program."""
GRACE = 5.0
"""Seconds that the other ranks have after one rank raised an error: some wait for it in vain."""
END = 15.0
"""Seconds within which all processes must end, after a failure or at the end."""
_KEY = "RENGA_CONFORMANCE_KEY"


class Ranks:
    """Processes, each with a communicator of one provider, that its launcher has started together.

    Args:
        provider: Full name.
        size: How many.
    """

    def __init__(self, provider: str, size: int) -> None:
        self.provider, self.size = provider, size
        self._folder = tempfile.TemporaryDirectory(prefix="renga-ranks-")
        self._output: BinaryIO = tempfile.TemporaryFile("w+b")  # noqa: SIM115  (`close` closes it)
        self._connections: dict[int, Connection[Any, Any]] = {}
        address, key = os.path.join(self._folder.name, "socket"), secrets.token_bytes(32)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(address)
            server.listen(size)
            server.settimeout(0.1)
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, "launch", address, provider, str(size)],
                env=os.environ | {_KEY: key.hex(), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                self._connect(server, key)
            except BaseException:
                self.close()
                raise

    def run(self, program: Program, device: str) -> list[BaseException | None]:
        """Run a program on all ranks; return the exception of each, which is `RankFailed` if a rank does not answer."""
        for connection in self._connections.values():
            with suppress(OSError):
                connection.send_bytes(pickle.dumps((program, device)))
        deadline = time.monotonic() + PATIENCE
        answers: dict[int, BaseException | None] = {}
        while len(answers) < self.size:
            rest = {rank: one for rank, one in self._connections.items() if rank not in answers}
            ready = wait(list(rest.values()), max(0.0, deadline - time.monotonic()))
            if not ready:
                break
            for rank in [rank for rank, one in rest.items() if one in ready]:
                try:
                    answer = rest[rank].recv()
                except (EOFError, OSError):
                    answer = RankFailed("the process of this rank has ended")
                answers[rank] = answer
                if answer is not None:
                    deadline = min(deadline, time.monotonic() + GRACE)
        silent = RankFailed(f"this rank has not answered in time.{self._written()}")
        return [answers.get(rank, silent) for rank in range(self.size)]

    def ends_after_a_failure(self) -> bool:
        """Whether the launcher ends by itself, with a nonzero status, once a rank has failed."""
        try:
            return self._process.wait(END) != 0
        except subprocess.TimeoutExpired:
            return False

    def close(self) -> None:
        """End all processes."""
        for connection in self._connections.values():
            with suppress(OSError):
                connection.send_bytes(b"")  # an empty message ends it
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END if self._connections else 0.0)
        for connection in self._connections.values():
            connection.close()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._output.close()
        self._folder.cleanup()

    def _connect(self, server: socket.socket, key: bytes) -> None:
        deadline = time.monotonic() + START
        while len(self._connections) < self.size:
            assert self._process.poll() is None, (
                f"its launcher ended before {self.size} ranks were connected{self._written()}"
            )
            missing = self.size - len(self._connections)
            assert time.monotonic() < deadline, f"{missing} of {self.size} ranks did not start{self._written()}"
            try:
                connected, _ = server.accept()
            except TimeoutError:
                continue
            connection: Connection[Any, Any] = Connection(connected.detach())
            deliver_challenge(connection, key)
            answer_challenge(connection, key)
            rank, size = connection.recv()
            assert size == self.size, f"one of {self.size} ranks reports rank {rank} of {size}"
            assert rank not in self._connections, f"two ranks have the number {rank}"
            self._connections[rank] = connection

    def _written(self) -> str:
        self._output.seek(0)
        text = self._output.read().decode(errors="replace").strip()
        return f"\nWhat it wrote:\n{text[-2000:]}" if text else ""


def _launch(address: str, provider: str, size: int) -> int:
    """Have the provider's launcher start the ranks, and return its status."""
    communicator = registry(COMMUNICATOR).get(provider)
    launcher = find_launcher(communicator).load()
    more = {"fault_tolerant": True} if "fault_tolerant" in communicator.provider.capabilities else {}
    command = [sys.executable, "-m", __spec__.name, "rank", address, provider]
    status = launcher(command, size, dict(os.environ), **more)
    return int(status)


def _rank(address: str, provider: str) -> None:
    """Create the communicator; run the programs that arrive over the socket, until the end."""
    communicator: CommunicatorBase = registry(COMMUNICATOR).load(provider)()
    connection = Client(address, family="AF_UNIX", authkey=bytes.fromhex(os.environ[_KEY]))
    connection.send((communicator.rank, communicator.size))
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(connection, tasks), daemon=True).start()
    while task := tasks.get():
        program, device = pickle.loads(task)
        config = communicator.get_config()
        try:
            program(communicator, device)
        except Exception as error:
            connection.send_bytes(_pickled(error))
            if program is fail_on_last_rank:
                raise  # the same way as for a failed program
        else:
            connection.send_bytes(pickle.dumps(None))
        communicator.copy_config(config)
    communicator.finalize()


def _listen(connection: Connection[Any, Any], tasks: queue.SimpleQueue[bytes]) -> None:
    """Pass tasks to the main thread; end this process when the kit has finished, even if that thread still runs."""
    while True:
        try:
            tasks.put(task := connection.recv_bytes())
            if not task:
                return
        except (EOFError, OSError):
            os._exit(1)


def _pickled(error: Exception) -> bytes:
    try:
        pickle.loads(pickled := pickle.dumps(error))
    except Exception:
        return pickle.dumps(RuntimeError(f"{type(error).__qualname__}: {error}"))
    return pickled


if __name__ == "__main__":
    if sys.argv[1] == "launch":
        sys.exit(_launch(sys.argv[2], sys.argv[3], int(sys.argv[4])))
    _rank(sys.argv[2], sys.argv[3])
