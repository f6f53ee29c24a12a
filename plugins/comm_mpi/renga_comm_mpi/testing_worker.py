"""One rank of a `RankPool`: ``python -m renga_comm_mpi.testing_worker ADDRESS``, started by it."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pickle
import queue
import sys
import threading
import traceback
from multiprocessing.connection import Client, Connection
from operator import attrgetter
from typing import Any

from renga_comm_mpi.mpi import MPI
from renga_comm_mpi.testing import Function

__all__: list[str] = []


def main(address: str) -> None:
    """Run what comes over the socket, until there is no more."""
    connection = Client(address, family="AF_UNIX", authkey=bytes.fromhex(os.environ["RENGA_RANK_POOL_KEY"]))
    connection.send((MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size, os.getpid()))
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(connection, tasks), daemon=True).start()
    while task := tasks.get():
        connection.send_bytes(_answer(task, MPI.COMM_WORLD.rank))


def _listen(connection: Connection[Any, Any], tasks: queue.SimpleQueue[bytes]) -> None:
    """Hand tasks to the main thread; end this process as soon as the other end is gone, whatever that thread does."""
    task = b"first"
    while task:
        try:
            task = connection.recv_bytes()
        except (EOFError, OSError):
            os._exit(1)  # mpiexec then ends the other ranks
        tasks.put(task)


def _answer(task: bytes, rank: int) -> bytes:
    """Return the pickle of ``(True, value)`` or ``(False, exception)``."""
    try:
        function, args = pickle.loads(task)
        return pickle.dumps((True, _find(function)(*args)))
    except BaseException as error:
        note = f"On rank {rank}:\n{''.join(traceback.format_exception(error)).rstrip()}"
        error.__traceback__ = None
        error.add_note(note)
        try:
            answer = pickle.dumps((False, error))
            pickle.loads(answer)  # an __init__ of its own may not take what __reduce__ gives
        except Exception:
            plain = RuntimeError(f"{type(error).__qualname__}: {error}")
            plain.add_note(note)
            return pickle.dumps((False, plain))
        return answer


def _find(function: Function) -> Any:
    """Import the module, by its name or from its file, and return the function."""
    if function.module not in sys.modules and not _is_importable(function):
        spec = importlib.util.spec_from_file_location(function.module, function.path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[function.module] = module  # first, as `import` does
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[function.module]
            raise
    return attrgetter(function.qualname)(importlib.import_module(function.module))


def _is_importable(function: Function) -> bool:
    try:
        spec = importlib.util.find_spec(function.module)
    except ModuleNotFoundError:  # its package
        return False
    return spec is not None and spec.origin == function.path


if __name__ == "__main__":
    main(sys.argv[1])
