"""Programs on the stand-in for libnccl: ranks are processes, which call it by ctypes."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fake_libnccl
import numpy as np

UNHANDLED_CUDA_ERROR, SYSTEM_ERROR, INVALID_ARGUMENT, INVALID_USAGE, REMOTE_ERROR, IN_PROGRESS = 1, 2, 4, 5, 6, 7
NOT_READY, LAUNCH_FAILURE = 600, 719
OPS = {"sum": 0, "prod": 1, "max": 2, "min": 3, "avg": 4}
TYPES = {
    name: i for i, name in enumerate(["int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32"])
}
TYPES |= {"float64": 8, "bfloat16": 9}
UNDEFINED = -(2**31)


class UniqueId(ctypes.Structure):
    """``ncclUniqueId``: passed by value."""

    _fields_ = (("internal", ctypes.c_char * 128),)


class Config(ctypes.Structure):
    """``ncclConfig_t`` of NCCL 2.29."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("magic", ctypes.c_uint),
        ("version", ctypes.c_uint),
        ("blocking", ctypes.c_int),
        ("numbers", ctypes.c_int * 3),
        ("net_name", ctypes.c_char_p),
        ("more", ctypes.c_int * 2),
        ("name", ctypes.c_char_p),
        ("rest", ctypes.c_int * 8),
    )

    def __init__(self, blocking: int = UNDEFINED) -> None:
        super().__init__(ctypes.sizeof(Config), 0xCAFEBEEF, fake_libnccl.NEWEST, blocking)
        for field in (self.numbers, self.more, self.rest):
            field[:] = [UNDEFINED] * len(field)


class Rank:
    """One rank: its number, the library, its first communicator and stream, and a folder it shares with the others."""

    def __init__(self, number: int, size: int, path: Path, folder: Path) -> None:
        self.number, self.size, self.folder = number, size, folder
        self.lib = ctypes.CDLL(str(path))
        self.lib.ncclGetLastError.restype = ctypes.c_char_p
        self.lib.ncclGetErrorString.restype = ctypes.c_char_p
        self.comm = ctypes.c_void_p()
        self.stream: ctypes.c_void_p | None = None

    def ok(self, result: int) -> None:
        """Raises RuntimeError unless a call succeeded."""
        if result:
            raise RuntimeError(f"result {result}: {self.error()}")

    def error(self) -> str:
        """The last error's text."""
        return (self.lib.ncclGetLastError(self.comm) or b"").decode()

    def say(self, name: str, value: bytes = b"") -> None:
        """Leaves a value for the other ranks."""
        own = self.folder / f".{name}.{self.number}"
        own.write_bytes(value)
        own.rename(self.folder / name)

    def hear(self, name: str) -> bytes:
        """Waits for the value that a rank leaves under this name."""
        while not (self.folder / name).exists():
            time.sleep(0.002)
        return (self.folder / name).read_bytes()

    def meet(self, name: str) -> None:
        """Waits for all ranks."""
        self.say(f"{name}-{self.number}")
        for other in range(self.size):
            self.hear(f"{name}-{other}")

    def unique_id(self, name: str = "id", root: int = 0) -> UniqueId:
        """A unique id that rank ``root`` makes."""
        made = UniqueId()
        if self.number == root:
            self.ok(self.lib.ncclGetUniqueId(ctypes.byref(made)))
            self.say(name, bytes(bytearray(made)))
        return UniqueId.from_buffer_copy(self.hear(name))

    def join(self, name: str = "id", config: Config | None = None, device: int | None = None) -> ctypes.c_void_p:
        """Makes a communicator of all ranks, on the device of the rank's number."""
        self.ok(self.lib.fakecudaSetDevice(self.number if device is None else device))
        comm = ctypes.c_void_p()
        pointer = ctypes.byref(config) if config else None
        result = self.lib.ncclCommInitRankConfig(
            ctypes.byref(comm), self.size, self.unique_id(name), self.number, pointer
        )
        if result != IN_PROGRESS:
            self.ok(result)
        self.comm = comm
        return comm

    def new_stream(self) -> ctypes.c_void_p:
        """A stream that does not wait for the default one."""
        stream = ctypes.c_void_p()
        self.ok(self.lib.fakecudaStreamCreateWithFlags(ctypes.byref(stream), 1))
        return stream

    def call(self, name: str, *arguments: object, comm: Any = None, stream: Any = None) -> int:
        """Calls a function for communication; converts arrays to pointers, the other arguments to numbers."""
        values: list[object] = []
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                values.append(ctypes.c_void_p(argument.ctypes.data))
            elif isinstance(argument, str):
                values.append(OPS[argument] if argument in OPS else TYPES[argument])
            elif isinstance(argument, np.integer | int):
                values.append(ctypes.c_size_t(int(argument)))
            else:
                values.append(argument)
        function: Callable[..., int] = getattr(self.lib, name)
        return function(*values, comm or self.comm, stream or self.stream)

    def synchronize(self, stream: Any = None) -> int:
        """Waits for a stream; its error."""
        result: int = self.lib.fakecudaStreamSynchronize(stream or self.stream)
        return result

    def asynchronous_error(self, comm: Any = None) -> int:
        """Result of ``ncclCommGetAsyncError``."""
        state = ctypes.c_int()
        self.ok(self.lib.ncclCommGetAsyncError(comm or self.comm, ctypes.byref(state)))
        return state.value

    def wait_for_state(self, *states: int, comm: Any = None) -> int:
        """Waits until the communicator is in one of these states."""
        while (state := self.asynchronous_error(comm)) not in states:
            time.sleep(0.002)
        return state


@dataclass(frozen=True)
class Outcome:
    """How a rank ended.

    Attributes:
        status: Exit status of its process; -9 if it was killed, None if it still ran at the time limit.
        value: What the program returned.
        error: The traceback of its exception, or "".
        stderr: What it wrote to its standard error.
    """

    status: int | None
    value: Any
    error: str
    stderr: str


def _run(rank: Rank, program: Callable[[Rank], Any]) -> int:
    """Run the program in a forked process, and store its return value; return the exit status."""
    with open(rank.folder / f"stderr-{rank.number}", "wb") as stream:
        os.dup2(stream.fileno(), 2)
    try:
        result = (program(rank), "")
    except BaseException:
        result = (None, traceback.format_exc())
    (rank.folder / f"result-{rank.number}").write_bytes(pickle.dumps(result))
    return bool(result[1])


def _launch(file: str, program: str, size: str, ranks: str, library: str, folder: str) -> None:
    """Forks the ranks, which is quicker than starting them one by one, and notes how each of them ended."""
    specification = importlib.util.spec_from_file_location("programs", file)
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    numbers = {}
    for number in json.loads(ranks):
        child = os.fork()
        if not child:
            rank = Rank(number, int(size), Path(library), Path(folder))
            os._exit(_run(rank, getattr(module, program)))
        numbers[child] = number
    while numbers:
        child, status = os.wait()
        Path(folder, f"status-{numbers.pop(child)}").write_text(str(os.waitstatus_to_exitcode(status)))


def run_ranks(
    file: str,
    program: str,
    size: int,
    *,
    environment: Mapping[str, str] | None = None,
    ranks: Sequence[int] | None = None,
    library: Path | None = None,
    limit: float = 120,
) -> list[Outcome]:
    """Run ``program(rank)`` of a file in one process per rank; kill processes that still run at the time limit.

    Args:
        file: the Python file, usually the test's own.
        program: Name of a function in the file that takes a `Rank`; its result is pickled.
        size: Number of ranks.
        environment: variables of the processes.
        ranks: which ranks to start, if not all.
        library: the library; the newest by default.
        limit: seconds.
    """
    numbers = list(range(size) if ranks is None else ranks)
    with tempfile.TemporaryDirectory() as folder:
        arguments = [file, program, str(size), json.dumps(numbers), str(library or fake_libnccl.library()), folder]
        launcher = subprocess.Popen(
            [sys.executable, __file__, *arguments],
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **(environment or {})},
            start_new_session=True,
        )
        try:
            launcher.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(launcher.pid, signal.SIGKILL)
            launcher.wait()
        return [_outcome(Path(folder), number) for number in numbers]


def _outcome(folder: Path, number: int) -> Outcome:
    status, result, stderr = (folder / f"{name}-{number}" for name in ("status", "result", "stderr"))
    value, error = pickle.loads(result.read_bytes()) if result.exists() else (None, "")
    written = stderr.read_text() if stderr.exists() else ""
    return Outcome(int(status.read_text()) if status.exists() else None, value, error, written)


if __name__ == "__main__":
    _launch(*sys.argv[1:])
