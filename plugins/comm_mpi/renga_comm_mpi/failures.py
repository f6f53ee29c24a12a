"""A rank that fails ends all, within seconds, and says why: the others would wait for it for ever.

MPI finds that a process was killed. It does not find an uncaught exception, or ``sys.exit(1)``, on one rank: the others
go on waiting for it in a collective, and it for them in ``MPI_Finalize``. So, where there are several ranks:

- An uncaught exception, in any thread, is printed with the rank and its host; then all ranks are ended. A hook that the
  program had put into `sys.excepthook` is called before. A KeyboardInterrupt counts, too. What all ranks have (that,
  and a `MismatchError`) the first one prints for all.
- A rank that exits by `sys.exit`, `exit` or `quit` with a status that is not 0 waits `GRACE` seconds for the others to
  end, too, as they do where all find the same thing wrong. Then it ends them.
- SIGUSR1, which ``mpiexec`` passes on to all ranks, is Ctrl-C, unless the program does something else with it.
- A rank that ends in any other way waits until all do, as MPI has it. If that takes long, it says so once. Others that
  call a collective meanwhile, or wait for a message of this one, are told (`serve_at_exit`).

With a single rank, everything is as in any Python program, but for SIGUSR1.
"""

from __future__ import annotations

import atexit
import builtins
import os
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, NoReturn

from renga_comm_mpi.launching import STOP
from renga_comm_mpi.mpi import MPI
from renga_comm_mpi.world import world
from renga_core.communicator import MismatchError

__all__ = [
    "advance",
    "end_all",
    "ends_alone",
    "forget",
    "install",
    "let_others_go_on",
    "meet_at_exit",
    "say",
    "serve_at_exit",
    "services",
    "this_rank",
]

GRACE = 3.0
"""Seconds that a rank which exits with a status that is not 0 gives the others to end by themselves."""
PATIENCE = 30.0
"""Seconds after which a rank that has ended says that it waits for the others."""
_SHARED = 1.0
"""Seconds for which ranks but the first are silent of an error that all have: it says so for all, and ends them."""
_INTERRUPTED = 130  # what a shell reports for a program ended by SIGINT
_FORCED = ("CHAINERMN_FORCE_ABORT_ON_EXCEPTIONS", "CHAINERMN_FORCE_ABORT_ON_EXCEPTION")
"""ChainerMN's documentation has the first name, its code the second."""

_lock = threading.Lock()
_process: int | None = None
"""The process in which the hooks act: one that it forks is not a rank."""
_hook: Callable[..., Any] | None = None
"""What `install` has put into `sys.excepthook`."""
_status = 0
"""What the main thread last gave to `sys.exit`."""
_channels: list[tuple[Any, Callable[[], None], Callable[[], None]]] = []
_services: list[Callable[[], Iterator[None]]] = []
_alone: tuple[Callable[[int | None], None], Callable[[], None]] | None = None
"""Where a rank that fails ends alone: what to call then, and what to call at the end of one that does not fail."""


def install() -> None:
    """Have failures of this rank end all. Whoever makes a communicator calls this; once is enough, more do no harm.

    With a single rank, it does no more than listen to SIGUSR1, unless ``CHAINERMN_FORCE_ABORT_ON_EXCEPTIONS`` is set to
    something, as ChainerMN documents it: then uncaught exceptions call ``MPI_Abort``.
    """
    global _process, _hook
    with _lock:
        if _process == os.getpid():
            return
        _process = os.getpid()
        _listen()
        if MPI.COMM_WORLD.size == 1 and _alone is None and not any(os.environ.get(name) for name in _FORCED):
            return
        sys.excepthook = _hook = _after(sys.excepthook, sys.__excepthook__)
        threading.excepthook = _after_thread(threading.excepthook)
        sys.exit = _remembering(sys.exit)
        for name in ("exit", "quit"):  # absent under python -S
            if hasattr(builtins, name):
                setattr(builtins, name, _remembering(getattr(builtins, name)))
        atexit.register(_leave)


def let_others_go_on(failed: Callable[[int | None], None], ended: Callable[[], None]) -> None:
    """From now on a rank that fails ends alone, killed by itself, and the others go on without it.

    Args:
        failed: Called with the status of a rank that fails, before it ends.
        ended: Called at the exit of one that does not: it waits for the others as far as it must.
    """
    global _alone
    _alone = failed, ended


def ends_alone() -> bool:
    """Whether `let_others_go_on` has been called."""
    return _alone is not None


def forget() -> None:
    """Forget whom to wait for at this rank's exit, and what to tell them: ranks have changed."""
    _channels.clear()
    _services.clear()


def services() -> list[Iterator[None]]:
    """What is to be advanced by `advance` while this rank, at its exit, waits for the others."""
    return [service() for service in _services]


def meet_at_exit(channel: Any, finished: Callable[[], None], left: Callable[[], None]) -> None:
    """Have this rank wait at its exit for the others of a group, where it can be seen that it has ended.

    Args:
        channel: An mpi4py communicator that is used for nothing but this and by who gives it.
        finished: Called first.
        left: Called when all have ended, or at once where MPI is over by then; MPI ends soon after.
    """
    _channels.append((channel, finished, left))


def serve_at_exit(service: Callable[[], Iterator[None]]) -> None:
    """Run a service at this rank's exit, until all ranks have ended: it tells them that this one has.

    Not where the program ends with a status that is not 0: then all ranks are ended.

    Args:
        service: Makes an iterator, which is advanced now and then; each step returns at once.
    """
    _services.append(service)


def this_rank() -> str:
    """Return ``rank 1 of 4 (host name, process 123)``."""
    return f"rank {world().rank} of {world().size} ({socket.gethostname()}, process {os.getpid()})"


def say(text: str) -> None:
    """Write to standard error, at once and in one piece, so that lines of several ranks do not mix."""
    with suppress(OSError, ValueError):  # nobody listens; that must not keep anybody from ending
        sys.stdout.flush()
        sys.stderr.flush()
    with suppress(OSError, ValueError):
        os.write(sys.stderr.fileno(), f"\n{text.rstrip()}\n".encode(errors="backslashreplace"))


def end_all(status: int) -> NoReturn:
    """End all ranks now, whatever they do; `status` becomes that of ``mpiexec``.

    After `let_others_go_on`, end only this one.
    """
    if _alone is not None:
        _alone[0](status)
        os.kill(os.getpid(), signal.SIGKILL)
    # Should aborting not work out, MPI finds that this process was killed, and ends the others for that.
    last_resort = threading.Timer(5.0, os.kill, (os.getpid(), signal.SIGKILL))
    last_resort.daemon = True
    last_resort.start()
    may_call = not MPI.Is_finalized() and (MPI.Query_thread() >= MPI.THREAD_SERIALIZED or MPI.Is_thread_main())
    if may_call:
        MPI.COMM_WORLD.Abort(status)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("unreachable")


def _listen() -> None:
    in_main_thread = threading.current_thread() is threading.main_thread()  # others may not set handlers
    if in_main_thread and signal.getsignal(STOP) == signal.SIG_DFL:
        signal.signal(STOP, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    if not _is_rank():  # but a process that a rank has forked
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):  # not by a signal, which may be blocked: `job` does that to ``mpiexec``
        handler(signal.SIGINT, frame)


def _is_rank() -> bool:
    return _process == os.getpid()


def _after(hook: Callable[..., Any], default: Callable[..., Any]) -> Callable[..., Any]:
    def excepthook(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        if not _is_rank():
            hook(kind, error, where)
            return
        try:
            if hook is not default:
                hook(kind, error, where)
        finally:  # even if that raised
            _end_for(error, "")

    return excepthook


def _after_thread(hook: Callable[..., Any]) -> Callable[..., Any]:
    def excepthook(arguments: threading.ExceptHookArgs) -> None:
        if not _is_rank() or issubclass(arguments.exc_type, SystemExit) or arguments.exc_value is None:
            hook(arguments)
            return
        try:
            if hook is not threading.__excepthook__:
                hook(arguments)
        finally:
            name = arguments.thread.name if arguments.thread is not None else "a thread"
            _end_for(arguments.exc_value, f" in thread {name}")

    return excepthook


def _end_for(error: BaseException, where: str) -> NoReturn:
    shared = world().rank != 0 and isinstance(error, (MismatchError, KeyboardInterrupt))
    if shared:
        time.sleep(_SHARED)
    text = "".join(traceback.format_exception(error))
    follows = "All ranks are ended for it" if _alone is None else "This rank is ended; others go on without it"
    if not (shared and _alone is not None):
        say(f"renga: nobody caught an exception on {this_rank()}{where}. {follows}:\n{text}")
    end_all(_INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1)


def _remembering(leave: Callable[..., Any]) -> Callable[..., NoReturn]:
    def exit(status: Any = None) -> NoReturn:
        global _status
        if threading.current_thread() is threading.main_thread():
            _status = status if isinstance(status, int) else int(status is not None)
        leave(status)
        raise AssertionError("unreachable")

    return exit


def _leave() -> None:
    """At exit: end the others if this rank failed, or wait until they end, too."""
    if not _is_rank():
        return
    # Where the program has put another hook in the place of ours: Python sets this before it calls it.
    error = getattr(sys, "last_value", None)
    if sys.excepthook is not _hook and isinstance(error, BaseException) and not MPI.Is_finalized():
        _end_for(error, "")
    for _, finished, _ in _channels:
        finished()
    if _alone is not None and not MPI.Is_finalized():
        if _status != 0:
            say(f"renga: {this_rank()} has ended with status {_status}, and the others go on without it.")
            end_all(_status if 0 < _status < 256 else 1)
        _alone[1]()
    elif not MPI.Is_finalized():
        _wait_for_others()
    for _, _, left in _channels:
        left()


def _wait_for_others() -> None:
    running = services() if _status == 0 else []
    advance(running)  # before others can see that this rank has ended
    requests = [channel.Ibarrier() for channel, _, _ in _channels]
    started_at, told = time.monotonic(), False
    while not MPI.Request.Testall(requests):
        advance(running)
        waited = time.monotonic() - started_at
        if _status != 0 and waited > GRACE:
            say(f"renga: {this_rank()} has ended with status {_status}, the others go on. All ranks are ended for it.")
            end_all(_status if 0 < _status < 256 else 1)
        if waited > PATIENCE and not told:
            told = True
            say(
                f"renga: {this_rank()} has ended its program {waited:.0f} s ago; others have not.\n"
                "Should they wait for this one, find out where: RENGA_DISTRIBUTED_TIMEOUT=60"
            )
        time.sleep(0.002 if waited < 0.1 else 0.05)


def advance(running: list[Iterator[None]]) -> None:
    """Advance services; those that have ended are taken out of the list."""
    running[:] = [service for service in running if next(service, True) is None]
