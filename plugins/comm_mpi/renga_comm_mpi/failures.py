"""A failing rank ends all ranks within seconds and prints the reason; else the others would wait forever.

MPI notices that a process was killed. It does not notice an uncaught exception, or ``sys.exit(1)``, on one rank: the
others wait for it in a collective, and it waits in ``MPI_Finalize``. So, with several ranks:

- An uncaught exception in any thread, also KeyboardInterrupt, is printed with the rank and its host; then all ranks are
  ended. A hook that the program has put into `sys.excepthook` is called first. If all ranks have the same error
  (KeyboardInterrupt or `MismatchError`), only the first one prints it.
- A rank that exits by `sys.exit`, `exit` or `quit` with a nonzero status waits `GRACE` seconds for the others to exit,
  too, as they do if all find the same error. Then it ends them.
- SIGUSR1, which ``mpiexec`` passes on to all ranks, acts like Ctrl-C, unless the program handles it.
- A rank that ends in any other way waits until all have ended, as MPI demands. If this takes long, it prints one
  message. Ranks that then call a collective, or wait for its messages, get an error (`serve_at_exit`).

With a single rank, only the handling of SIGUSR1 differs from a normal Python program.
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
"""Seconds that a rank exiting with a nonzero status gives the others to end by themselves."""
PATIENCE = 30.0
"""Seconds after which an ended rank prints that it waits for the others."""
_SHARED = 1.0
"""Seconds that other ranks wait for rank 0 to print an error of all ranks, and to end them."""
_INTERRUPTED = 130  # a shell's status for a program ended by SIGINT
_FORCED = ("CHAINERMN_FORCE_ABORT_ON_EXCEPTIONS", "CHAINERMN_FORCE_ABORT_ON_EXCEPTION")
"""ChainerMN's documentation has the first name, its code the second."""

_lock = threading.Lock()
_process: int | None = None
"""The process in which the hooks act; forked children are not ranks."""
_hook: Callable[..., Any] | None = None
"""The hook that `install` has put into `sys.excepthook`."""
_status = 0
"""The last argument of `sys.exit` in the main thread."""
_channels: list[tuple[Any, Callable[[], None], Callable[[], None]]] = []
_services: list[Callable[[], Iterator[None]]] = []
_alone: tuple[Callable[[int | None], None], Callable[[], None]] | None = None
"""If failing ranks end alone: functions to call at a failure, and at a normal end."""


def install() -> None:
    """Make failures of this rank end all ranks. Every communicator calls it; repeated calls have no effect.

    With a single rank, it only handles SIGUSR1, unless ``CHAINERMN_FORCE_ABORT_ON_EXCEPTIONS`` is set, as ChainerMN
    documents it: then uncaught exceptions call ``MPI_Abort``.
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
    """From now on a failing rank kills itself only, and the others continue without it.

    Args:
        failed: Called with the status of a failing rank, before it ends.
        ended: Called at a normal exit; waits for the others as long as needed.
    """
    global _alone
    _alone = failed, ended


def ends_alone() -> bool:
    """Whether `let_others_go_on` has been called."""
    return _alone is not None


def forget() -> None:
    """Forget the ranks to wait for and to inform at exit, because ranks have changed."""
    _channels.clear()
    _services.clear()


def services() -> list[Iterator[None]]:
    """The services that `advance` runs while this rank waits for the others at exit."""
    return [service() for service in _services]


def meet_at_exit(channel: Any, finished: Callable[[], None], left: Callable[[], None]) -> None:
    """Make this rank wait at exit for the others of a group; they can see that it has ended.

    Args:
        channel: An mpi4py communicator used only for this and by the caller.
        finished: Called first.
        left: Called when all have ended, or at once if MPI is already finalized.
    """
    _channels.append((channel, finished, left))


def serve_at_exit(service: Callable[[], Iterator[None]]) -> None:
    """Run a service at this rank's exit until all ranks have ended; it tells them that this rank has ended.

    It does not run after a nonzero status: then all ranks are ended.

    Args:
        service: Returns an iterator, which is advanced regularly; each step returns at once.
    """
    _services.append(service)


def this_rank() -> str:
    """Return ``rank 1 of 4 (host name, process 123)``."""
    return f"rank {world().rank} of {world().size} ({socket.gethostname()}, process {os.getpid()})"


def say(text: str) -> None:
    """Write to standard error, at once and in one piece, so that lines of several ranks do not mix."""
    with suppress(OSError, ValueError):  # standard error may be closed; this must not prevent the end
        sys.stdout.flush()
        sys.stderr.flush()
    with suppress(OSError, ValueError):
        os.write(sys.stderr.fileno(), f"\n{text.rstrip()}\n".encode(errors="backslashreplace"))


def end_all(status: int) -> NoReturn:
    """End all ranks now; ``mpiexec`` returns `status`.

    After `let_others_go_on`, end only this rank.
    """
    if _alone is not None:
        _alone[0](status)
        os.kill(os.getpid(), signal.SIGKILL)
    # If aborting fails, MPI notices that this process was killed, and ends the others.
    last_resort = threading.Timer(5.0, os.kill, (os.getpid(), signal.SIGKILL))
    last_resort.daemon = True
    last_resort.start()
    may_call = not MPI.Is_finalized() and (MPI.Query_thread() >= MPI.THREAD_SERIALIZED or MPI.Is_thread_main())
    if may_call:
        MPI.COMM_WORLD.Abort(status)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("unreachable")


def _listen() -> None:
    in_main_thread = threading.current_thread() is threading.main_thread()  # only it may set handlers
    if in_main_thread and signal.getsignal(STOP) == signal.SIG_DFL:
        signal.signal(STOP, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    if not _is_rank():  # a forked child of a rank
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):  # not by a signal, which may be blocked, as `job` does for ``mpiexec``
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
    """At exit: end the others if this rank failed; otherwise wait until they end."""
    if not _is_rank():
        return
    # If the program has replaced the hook: Python sets this before it calls a hook.
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
    """Advance services, and remove ended ones from the list."""
    running[:] = [service for service in running if next(service, True) is None]
