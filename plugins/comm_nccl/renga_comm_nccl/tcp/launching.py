"""The launcher `local`: ranks on this machine, connected by a store that it runs itself."""

from __future__ import annotations

import ctypes
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType

from renga_comm_nccl.tcp.address import KEY, RANK, SERVED, SIZE, STORE
from renga_comm_nccl.tcp.resilient.job import Policy
from renga_comm_nccl.tcp.resilient.launching import Survivors
from renga_comm_nccl.tcp.resilient.told import VARIABLE as SURVIVORS
from renga_comm_nccl.tcp.store import Store
from renga_core.errors import RengaError
from renga_core.settings import lookup

__all__ = ["OWN_DEVICE", "launch"]

OWN_DEVICE = "RENGA_OWN_DEVICE"
"""List of GPUs, ``0,1,2,3``: each rank sees only its own, as ``cupy:0``. Without it, all see all."""
_VISIBLE = "CUDA_VISIBLE_DEVICES"
_LOOK = 0.02
_GRACE = 5.0
"""Time in seconds in which ranks must end by themselves."""
_LETS_OTHERS_SPEAK = 0.5
"""Time in seconds for the others after one has failed: they may still print their own errors."""
_PR_SET_PDEATHSIG = 1


def launch(
    command: Sequence[str],
    size: int,
    environment: Mapping[str, str],
    *,
    fault_tolerant: bool = False,
    spares: int = 0,
    least: int = 1,
    respawn: int = 0,
    waits: bool = False,
    most: int = 0,
) -> int:
    """Run ranks of a command on this machine, without MPI: the launcher ``local``.

    When a rank fails, the others are ended. The first SIGINT or SIGTERM asks all to stop (in a terminal, Ctrl-C reaches
    them directly), and the second kills them. Ranks that do not stop in five seconds are killed, too.

    With ``RENGA_OWN_DEVICE=0,1,2,3`` each rank sees only one of these GPUs, as ``cupy:0``.

    Args:
        command: See `renga_core.communicator.launcher.Launcher`.
        size: Number of ranks.
        environment: Their environment variables.
        fault_tolerant: Other ranks continue when a rank dies; communicator `resilient_nccl` needs it.
        spares, least, respawn, waits, most: See `renga_comm_nccl.tcp.resilient.job.Policy`.

    Raises:
        RengaError: Ranks may die, and ``RENGA_OWN_DEVICE`` lists fewer GPUs than there are processes at the start.
    """
    timeout = float(lookup("distributed.timeout").value)
    with tempfile.TemporaryDirectory(prefix="renga-store-") as folder:
        key = secrets.token_hex(32)
        path = str(Path(folder) / "store")
        variables = {**environment, SIZE: str(size), STORE: path, KEY: key, SERVED: "1"}
        if not fault_tolerant:
            job = _Job(size)
            with Store(path, key.encode(), timeout) as store:
                try:
                    return job.run(command, variables, store)
                finally:
                    job.kill()
        _check_devices(variables, size + spares)
        variables[SURVIVORS] = "1"

        def start(number: int, position: int) -> subprocess.Popen[bytes]:
            return _start(command, variables, number, position)

        survivors = Survivors(Policy(size, spares, least, respawn, waits, most), timeout, start)
        with Store(path, key.encode(), timeout, survivors.job) as store:
            try:
                return survivors.run(store)
            finally:
                survivors.kill()


def _start(command: Sequence[str], variables: Mapping[str, str], number: int, position: int) -> subprocess.Popen[bytes]:
    """Start a process with its number in the job, and the GPU of its position on this machine."""
    return subprocess.Popen(
        command,
        env={**variables, RANK: str(number), **_own_device(position, variables)},
        stdin=None if number == 0 else subprocess.DEVNULL,
        preexec_fn=_prepare(os.getpid()),
    )


class _Job:
    """The processes of the ranks."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._ranks: list[subprocess.Popen[bytes]] = []
        self._wishes: list[int] = []

    def run(self, command: Sequence[str], variables: Mapping[str, str], store: Store) -> int:
        before = {number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            for rank in range(self._size):
                self._ranks.append(_start(command, variables, rank, rank))
            return self._wait(store)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._wishes.append(number)
        if len(self._wishes) > 1:
            self.kill()
        elif number == signal.SIGTERM:
            self._tell(signal.SIGTERM)

    def _wait(self, store: Store) -> int:
        """Wait for all ranks; return the exit status."""
        deadline = patience = float("inf")
        told = False
        status = 0
        while True:
            statuses = [process.poll() for process in self._ranks]
            failed = [(rank, found) for rank, found in enumerate(statuses) if found]
            if None not in statuses:
                break
            if failed and not status and not self._wishes:
                patience = min(patience, time.monotonic() + _LETS_OTHERS_SPEAK)
                rank = self._first(statuses, store)
                if statuses[rank] is None and time.monotonic() < patience:
                    time.sleep(_LOOK)
                    continue
                status = self._say(rank if statuses[rank] else failed[0][0], statuses)
                deadline = time.monotonic() + _LETS_OTHERS_SPEAK
            if self._wishes and deadline == float("inf"):
                deadline = time.monotonic() + _GRACE
            if time.monotonic() > deadline:
                if told:
                    self.kill()
                self._tell(signal.SIGTERM)
                told, deadline = True, time.monotonic() + _GRACE
            time.sleep(_LOOK)
        if self._wishes:
            return 128 + self._wishes[0] if failed else 0
        if failed and not status:  # the last one has ended
            status = self._say(self._first(statuses, store), statuses)
        return status

    def _first(self, statuses: Sequence[int | None], store: Store) -> int:
        """The rank that failed first. The processes of others, which failed because of it, may end earlier."""
        for size, rank in store.left:
            if size == self._size and statuses[rank] != 0:
                return rank
        return next(rank for rank, status in enumerate(statuses) if status)

    def _say(self, rank: int, statuses: Sequence[int | None]) -> int:
        """Say how a rank has ended, and return the exit status for it."""
        status = statuses[rank]
        assert status
        how = f"ended with status {status}" if status > 0 else f"was killed by {signal.Signals(-status).name}"
        process = self._ranks[rank].pid
        rest = "; the other ranks are ended" if self._size > 1 else ""
        print(f"renga: rank {rank} of {self._size} (process {process}) {how}{rest}", file=sys.stderr, flush=True)
        return status if status > 0 else 128 - status

    def _tell(self, number: int) -> None:
        for process in self._ranks:
            with suppress(ProcessLookupError):
                process.send_signal(number)

    def kill(self) -> None:
        """Kill all at once."""
        self._tell(signal.SIGKILL)
        for process in self._ranks:
            process.wait()


def _own_device(rank: int, variables: Mapping[str, str]) -> dict[str, str]:
    """Let a rank see one GPU only, if `OWN_DEVICE` is set."""
    if not variables.get(OWN_DEVICE):
        return {}
    devices = variables[OWN_DEVICE].split(",")
    return {_VISIBLE: devices[rank % len(devices)]}


def _check_devices(variables: Mapping[str, str], count: int) -> None:
    devices = variables.get(OWN_DEVICE, "").split(",")
    if variables.get(OWN_DEVICE) and len(devices) < count:
        raise RengaError(
            f"{OWN_DEVICE} lists {len(devices)} GPUs, and {count} processes start; each needs its own, spares too. "
            "Next: start fewer (-n, --spares), or use --respawn, whose processes take the GPUs of dead ones"
        )


def _prepare(parent: int) -> Callable[[], None]:
    """Return a function that a new rank calls first: the rank ends when its launcher does."""
    libc = ctypes.CDLL(None)

    def prepare() -> None:
        if sys.platform == "linux":
            libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM))
            if os.getppid() != parent:  # the launcher has ended already
                os.kill(os.getpid(), signal.SIGTERM)

    return prepare
