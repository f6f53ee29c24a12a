"""Watches for failures of NCCL and collectives that take too long; then aborts, prints why, and ends the process.

After a failure of a rank or the network, NCCL's kernels wait forever, and so does any wait for the device. A thread
asks every communicator for errors fifty times a second (``ncclCommGetAsyncError``). If the setting
``distributed.timeout`` (``RENGA_DISTRIBUTED_TIMEOUT``) is a number of seconds, it also checks how long the first queued
collective takes.

The results of an aborted collective are invalid, but the program would continue with them. So the process ends, and its
launcher then ends all others. A communicator whose group can recover passes a function that does otherwise.
"""

from __future__ import annotations

import atexit
import os
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from renga_comm_nccl.handle import Handle
from renga_comm_nccl.stream import Queued
from renga_core.settings import lookup

__all__ = ["drain", "expect", "finish", "forget", "watch"]

_PERIOD = 0.02
_SHORTEST, _PAUSE = 5e-6, 1e-4
_STATUS = 1


class _Watched:
    def __init__(self, handle: Handle, name: str, act: Callable[[Handle, str], None], loss: Callable[[], str]) -> None:
        self.handle, self.name, self.act, self.loss = handle, name, act, loss
        self.queue: deque[Queued] = deque()
        self.since = time.monotonic()


def _end_process(handle: Handle, why: str) -> None:
    handle.abort(why)
    _say(
        handle,
        f"{why}. NCCL is aborted, and this process ends, because its arrays may be invalid. Next: look for "
        "the first error of another rank; RENGA_DISTRIBUTED_TIMEOUT sets how long ranks wait",
    )
    os._exit(_STATUS)


def _say(handle: Handle, what: str) -> None:
    where = f"{handle.who} ({socket.gethostname()}, process {os.getpid()})"
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        os.write(2, f"renga: {where}: {what}\n".encode())


def _at_exit() -> None:
    """Finalize communicators that the program left open. After an error, report it if NCCL may be the reason."""
    failed = getattr(sys, "last_type", None) is not None
    for watched in list(_watched.values()):
        handle = watched.handle
        error = handle.error()
        if error and not handle.aborted:  # the thread reports aborted ones
            _say(handle, f"NCCL has failed: {error}. Next: look for the first error of another rank")
        if failed or error:
            handle.abort("the program has ended with an error")
        finish(handle)
        handle.close()


_lock = threading.Lock()
_looking = threading.RLock()
"""Held while the thread looks at a communicator."""
_watched: dict[int, _Watched] = {}
_thread: threading.Thread | None = None
_process = 0
_wake = threading.Event()


def watch(
    handle: Handle,
    name: str,
    act: Callable[[Handle, str], None] | None = None,
    loss: Callable[[], str] = lambda: "",
) -> None:
    """Start to watch an NCCL communicator.

    Args:
        handle: The NCCL communicator.
        name: Registered name of the communicator that uses it.
        act: Called in the watchdog's thread with the reason, when the communicator must end; then it is no longer
            watched. None: abort it, print the reason, and end the process.
        loss: Returns another reason to end it, such as the death of a rank; "" if there is none.
    """
    global _thread, _process, _wake
    with _lock:
        if _process != os.getpid():  # a process that was forked has neither the thread nor the communicators
            _watched.clear()
            _process, _thread = os.getpid(), None
            atexit.register(_at_exit)
        _watched[id(handle)] = _Watched(handle, name, act or _end_process, loss)
        if _thread is None:
            _wake = threading.Event()
            _thread = threading.Thread(target=_work, args=(_wake,), name="renga-nccl-watchdog", daemon=True)
            _thread.start()


def expect(handle: Handle, queued: Queued) -> None:
    """Record work queued by this communicator."""
    with _lock:
        watched = _watched.get(id(handle))
        if watched is not None and not queued.captured:
            if not watched.queue:
                watched.since = time.monotonic()
            watched.queue.append(queued)


def drain(handle: Handle) -> None:
    """Wait until the device has finished the queued work, or the communicator was stopped, or has lost a rank."""
    watched, pause = _watched.get(id(handle)), _SHORTEST
    while watched is not None and not handle.aborted and not watched.loss():
        with _lock:
            work = list(watched.queue)
        if all(queued.ended() for queued in work):
            return
        time.sleep(pause)
        pause = min(1.5 * pause, _PAUSE)


def finish(handle: Handle) -> None:
    """`drain`, and stop watching the communicator."""
    drain(handle)
    forget(handle)


def forget(handle: Handle) -> None:
    """Stop watching a communicator. After the last one, the thread ends."""
    global _thread
    with _lock:
        _watched.pop(id(handle), None)
        idle = None if _watched else _thread
        if idle is not None:
            _thread = None
            _wake.set()
    with _looking:  # a look that has begun may still use it
        pass
    if idle is not None and idle is not threading.current_thread():
        idle.join()


def _work(wake: threading.Event) -> None:
    while not wake.wait(_PERIOD):
        timeout = float(lookup("distributed.timeout").value)
        for key, watched in list(_watched.items()):
            with _looking:
                why = _failure(watched, timeout) if _watched.get(key) is watched else ""
                if why:
                    watched.act(watched.handle, why)
            if why:
                forget(watched.handle)


def _failure(watched: _Watched, timeout: float) -> str:
    """Return the reason to abort a communicator; "" if there is none."""
    with _lock:
        while watched.queue and watched.queue[0].ended():
            watched.queue.popleft()
            watched.since = time.monotonic()
        first = watched.queue[0].what if watched.queue else ""
        waits = time.monotonic() - watched.since
    if watched.handle.ended:
        return ""
    if loss := watched.loss():
        return loss
    if not watched.handle.aborted and (error := watched.handle.error()):
        at = f"{first} has failed" if first else f"communicator {watched.name!r} has failed"
        return f"{at}: {error}"
    if first and timeout and waits > timeout:
        return f"{first} has not ended in {timeout:g} s: another rank does not take part in it, or has died"
    return ""
