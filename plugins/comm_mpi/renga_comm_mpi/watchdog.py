"""Finds ranks for which the others wait too long, names them and what each of them does, and ends all.

Off unless the setting ``distributed.timeout`` (``RENGA_DISTRIBUTED_TIMEOUT``) is a number of seconds. Then each rank
has a thread that tells the others where this one is, over a communicator of its own. It can do so while the rank waits
or computes; it cannot when the process is stopped or dead, so a rank that does not answer is named for that.

Who makes a communicator calls `register` with its mpi4py communicator, and puts `waiting` around whatever blocks.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import sysconfig
import threading
import time
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NamedTuple

from renga_comm_mpi import failures
from renga_comm_mpi.agreement import agree_to_make
from renga_comm_mpi.connection_timeout import Clock
from renga_comm_mpi.mpi import MPI
from renga_comm_mpi.processes import has_thread, name_this_thread, rank_processes, starter, why_silent
from renga_comm_mpi.world import ranks_in_world, world
from renga_core.communicator import MismatchError
from renga_core.settings import lookup

__all__ = ["NO_GROUP", "Channel", "Group", "channel_of", "forget", "making", "register", "waiting"]

ANSWER_TIMEOUT = 2.0
"""Seconds that a rank has to say where it is; its thread looks for questions every `_PERIOD`."""
_PERIOD = 0.1
_NAME = "renga-watchdog"
_QUESTION, _ANSWER = 1, 2


class Group(NamedTuple):
    """The ranks of a communicator, as all of them know it.

    Attributes:
        name: What the communicator is called.
        number: The same on all its ranks, and another one for each communicator that shares ranks with it.
        ranks: Which of the world (`world`) they are.
    """

    name: str
    number: tuple[int, int]
    ranks: tuple[int, ...]


class BlockingCall(NamedTuple):
    """What a thread waits for.

    Attributes:
        what: ``allreduce``.
        group: Of which communicator.
        number: How many collectives of it this is, from 1; 0: between two ranks only.
        peer: The other one of these, in the world.
        since: `_clock` at its begin.
    """

    what: str
    group: Group
    number: int
    peer: int | None
    since: float


class Channel(NamedTuple):
    """A communicator of the watchdog's own, its ranks in the world, and the host and process of each."""

    mpi_comm: Any
    ranks: tuple[int, ...]
    homes: tuple[tuple[str, int], ...]

    def home(self, rank: int) -> str:
        """Say where a rank of the world runs."""
        host, process = self.homes[self.ranks.index(rank)]
        return f"rank {rank} ({host}, process {process})"


NO_GROUP = Group("", (0, 0), ())
"""What `waiting` takes where there is nobody to wait for."""
_NOTHING = nullcontext()

_timeout = 0.0
_serial = 0
_channels: list[Channel] = []
_blocking_calls: dict[int, BlockingCall] = {}
"""By the thread that waits."""
_counts: dict[tuple[int, int], int] = {}
_last: tuple[str, float] | None = None
"""The last collective of the main thread, in words, and its end."""
_finished: float | None = None
_stop = threading.Event()
_thread: threading.Thread | None = None
_clock = Clock()
"""The watchdog asks it all the time."""
_lock = threading.Lock()
"""Held while the watchdog uses channels."""


def register(mpi_comm: Any, name: str, *, serves_program: bool, channel: Channel | None = None) -> Group:
    """Tell who takes part in a communicator that is being made, for `waiting`; and see to it that failures end all.

    Collective over `mpi_comm`, which is not kept. The shortest timeout that any of the ranks was told holds.

    Args:
        mpi_comm: An intracommunicator of mpi4py.
        name: What to call the communicator in messages.
        serves_program: It is the program that makes it and calls its collectives, not a thread of its own.
        channel: Where its ranks find each other; None: make one if there is none.

    Raises:
        MismatchError: Ranks make different communicators, or one waits in a collective of another one instead; raised
            on every rank.
    """
    global _serial
    failures.install()
    if mpi_comm.size == 1:
        return NO_GROUP
    if channel is not None:
        _add(channel)
    ranks = ranks_in_world(mpi_comm)
    own_timeout = float(lookup("distributed.timeout").value)
    speaks = world().rank == min(ranks)
    if own_timeout > 0.0:
        _start(own_timeout, speaks)
    with making(Group(name, (min(ranks), 0), ranks)):
        if serves_program:
            agree_to_make(mpi_comm, name)
        covered = any(set(channel.ranks) >= set(ranks) for channel in _channels)
        found = mpi_comm.allgather((covered, _serial, own_timeout, name))
        all_cover, serials, timeouts, names = zip(*found, strict=True)
        if len(set(names)) > 1:
            raise MismatchError([("create_communicator", {"name": one}) for one in names], mpi_comm.rank)
        _serial = max(serials) + 1
        if any(timeouts):
            _start(min(timeout for timeout in timeouts if timeout > 0.0), speaks)
        if not all(all_cover):
            own = mpi_comm.Dup()
            homes = tuple(own.allgather((socket.gethostname(), os.getpid())))
            _add(Channel(own, ranks, homes))
    return Group(name, (min(ranks), _serial), ranks)


def forget() -> None:
    """Forget all groups: their ranks have changed, and they are registered anew. Their channels may be freed then."""
    with _lock:
        _channels.clear()
        _unfinished.clear()


def _add(channel: Channel) -> None:
    _channels.append(channel)
    failures.meet_at_exit(channel.mpi_comm, _finish, _leave)


def channel_of(group: Group) -> Channel | None:
    """Return a communicator that is never freed, and has all ranks of the group; None before `register` has ended."""
    return next((channel for channel in _channels if set(channel.ranks) >= set(group.ranks)), None)


def making(group: Group) -> AbstractContextManager[None]:
    """Return a context in which this thread waits for other ranks to make a communicator; it is none of its calls."""
    return waiting("create_communicator", group._replace(number=(group.number[0], 0)))


def waiting(what: str, group: Group, peer: int | None = None) -> AbstractContextManager[None]:
    """Return a context in which this thread waits for other ranks.

    Args:
        what: The name of the collective, or of a call that waits for one rank.
        group: Of which communicator, as `register` returned it.
        peer: The rank in the group that alone is waited for; None: all.
    """
    if _timeout == 0.0 or not group.ranks:
        return _NOTHING
    return _Waiting(what, group, peer)


class _Waiting:
    def __init__(self, what: str, group: Group, peer: int | None) -> None:
        self._what, self._group, self._peer = what, group, peer
        self._thread = threading.get_ident()
        self._outer = self._thread not in _blocking_calls  # one that is made of others is what the program called

    def __enter__(self) -> None:
        if not self._outer:
            return
        number, peer = 0, None
        if self._peer is None:
            number = _counts[self._group.number] = _counts.get(self._group.number, 0) + 1
        else:
            peer = self._group.ranks[self._peer]
        _blocking_calls[self._thread] = BlockingCall(self._what, self._group, number, peer, _clock())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        global _last
        if self._outer:
            call = _blocking_calls.pop(self._thread)
            if self._thread == threading.main_thread().ident:
                _last = (_describe(call), _clock())


def _start(timeout: float, speaks: bool) -> None:
    """Start to watch, with the shortest timeout that was ever given."""
    global _thread, _timeout
    _timeout = min(timeout, _timeout or timeout)
    if _thread is None:
        if speaks and MPI.Query_thread() < MPI.THREAD_MULTIPLE:
            failures.say(
                "renga: this MPI does not let two threads communicate (MPI_THREAD_MULTIPLE). The watchdog can name the "
                "collective that waits too long, but not the ranks that are late."
            )
        _thread = threading.Thread(target=_watch, name=_NAME, daemon=True)
        _thread.start()


def _finish() -> None:
    global _finished
    if _finished is None:
        _finished = _clock()


def _leave() -> None:
    _stop.set()
    if _thread is not None:
        _thread.join()


def _watch() -> None:
    name_this_thread(_NAME)  # for those who cannot ask yet
    talks = MPI.Query_thread() >= MPI.THREAD_MULTIPLE
    not_before = 0.0
    while not _stop.wait(_PERIOD):
        if MPI.Is_finalized():
            return
        now = _clock()
        if talks:
            _answer_questions()
        overdue = [call for call in list(_blocking_calls.values()) if now - call.since > _timeout]
        if overdue and now > not_before:
            _report(min(overdue, key=lambda call: call.since), talks)
            not_before = now + 2 * ANSWER_TIMEOUT  # the rank that is to report may have died of it


def _answer_questions() -> None:
    with _lock, suppress(MPI.Exception):  # where ranks may die, a channel is of no use until there is another one
        for channel in list(_channels):
            while channel.mpi_comm.Iprobe(tag=_QUESTION):
                asker = channel.mpi_comm.recv(tag=_QUESTION)
                # Not waited for: who asked may be gone by now.
                _unfinished.append(channel.mpi_comm.isend(_state(), asker, tag=_ANSWER))
        _unfinished[:] = [request for request in _unfinished if not request.Test()]


_unfinished: list[Any] = []


class State(NamedTuple):
    """What a rank does, as it tells others."""

    calls: list[tuple[BlockingCall, str]]
    """With how long, and where in the program, in words; `BlockingCall.since` means nothing to others."""
    overdue: bool
    otherwise: str
    """What it does unless it waits."""


def _state() -> State:
    now = _clock()
    calls = [
        (call, f"for {now - call.since:.1f} s, {_where(thread)}") for thread, call in list(_blocking_calls.items())
    ]
    if _finished is not None:
        otherwise = f"ended its program {now - _finished:.1f} s ago"
    elif _last is None:
        otherwise = f"computes, {_where(threading.main_thread().ident)}, and has waited for nobody yet"
    else:
        what, end = _last
        otherwise = f"has computed for {now - end:.1f} s, {_where(threading.main_thread().ident)}; its last was {what}"
    overdue = any(now - call.since > _timeout - ANSWER_TIMEOUT for call, _ in calls)
    return State(calls, overdue, otherwise)


def _report(call: BlockingCall, talks: bool) -> None:
    """Say who is late and end all; return if that is left to a lower rank that waits too long itself."""
    me = world().rank
    own = next(words for waits, words in _state().calls if waits is call or waits == call)
    lines = [f"renga: {failures.this_rank()} waits in {_describe(call)} {own}."]
    late: list[int] = []
    if talks:
        channel = channel_of(call.group)
        if channel is None:  # it is about to be made
            findings, too = _findings_from_outside(call)
            if any(rank < me for rank in too) and _clock() - call.since < _timeout + ANSWER_TIMEOUT:
                return  # and look again soon
            lines += findings
        else:
            states = _ask(channel, [rank for rank in call.group.ranks if rank != me])
            if any(rank < me and state is not None and state.overdue for rank, state in states.items()):
                return
            findings, late = _findings(call, channel, states)
            lines += findings
    if not failures.ends_alone():
        lines.append(f"That is longer than distributed.timeout, {_timeout:g} s: all ranks are ended.")
        failures.say("\n".join(lines))
        failures.end_all(1)
    if late and channel in _channels:
        whose = f"rank{'s' if len(late) > 1 else ''} {', '.join(map(str, late))} {'are' if len(late) > 1 else 'is'}"
        lines.append(f"That is longer than distributed.timeout, {_timeout:g} s: {whose} ended, and the others go on.")
        failures.say("\n".join(lines))
        for host, process in (channel.homes[channel.ranks.index(rank)] for rank in late):
            if host == socket.gethostname():
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)


def _findings(call: BlockingCall, channel: Channel, states: dict[int, State | None]) -> tuple[list[str], list[int]]:
    """What to say, and which ranks keep all others waiting: those that wait for nobody, if there are any."""
    late, too = [], []
    computing: list[int] = []
    waiting: list[int] = []
    for rank, state in states.items():
        if state is None:
            computing.append(rank)
            late.append(f"{channel.home(rank)} does not answer: it was stopped, or is dead, or computes outside Python")
        elif any(_same(waits, call) for waits, _ in state.calls):
            too.append(str(rank))
        elif state.calls:
            waiting.append(rank)
            waits, words = state.calls[0]
            late.append(f"{channel.home(rank)} waits in {_describe(waits)} {words}")
        else:
            computing.append(rank)
            late.append(f"{channel.home(rank)} {state.otherwise}")
    if call.peer is not None:
        late = [line for line in late if line.startswith(f"rank {call.peer} ")]
        computing = [rank for rank in computing if rank == call.peer]
        too = []
    lines = [f"  late: {line}" for line in late]
    lines += [f"  waiting, too: rank {', '.join(too)}"] if too else []
    if not late:
        lines.append("  nobody is late: all take part, and it is slow by itself")
    return lines, computing or waiting


def _findings_from_outside(call: BlockingCall) -> tuple[list[str], list[int]]:
    """What can be said of ranks with which nobody can talk yet, and which of them wait, too."""
    there = rank_processes(starter(os.getpid()))
    lines, too = [], []
    for rank in call.group.ranks:
        silent = why_silent(there, rank)
        if silent is not None:
            lines.append(f"  late: {silent}")
        elif not any(has_thread(process.pid, _NAME) for process in there if process.rank == rank):
            lines.append(f"  late: rank {rank} has connected, and not come here: it computes, or has ended its program")
        elif rank != world().rank:
            too.append(rank)
    if too:
        lines.append(f"  waiting, too: rank {', '.join(map(str, too))}")
    return lines, too


def _same(call: BlockingCall, other: BlockingCall) -> bool:
    return call.number != 0 and (call.group.number, call.number) == (other.group.number, other.number)


def _ask(channel: Channel, ranks: list[int]) -> dict[int, State | None]:
    """Ask ranks where they are; None for those that do not say."""
    here = channel.mpi_comm.rank
    index = {channel.ranks.index(rank): rank for rank in ranks}
    for dest in index:
        with _lock, suppress(MPI.Exception):
            if channel in _channels:
                _unfinished.append(channel.mpi_comm.isend(here, dest, tag=_QUESTION))
    states: dict[int, State | None] = dict.fromkeys(ranks)
    deadline = _clock() + ANSWER_TIMEOUT
    while _clock() < deadline and None in states.values() and channel in _channels:
        _answer_questions()  # of those that ask at the same time
        status = MPI.Status()
        with _lock, suppress(MPI.Exception):
            while channel in _channels and channel.mpi_comm.Iprobe(tag=_ANSWER, status=status):
                states[index[status.Get_source()]] = channel.mpi_comm.recv(source=status.Get_source(), tag=_ANSWER)
        time.sleep(0.01)
    return states


def _describe(call: BlockingCall) -> str:
    more = f" for rank {call.peer}" if call.peer is not None else f", collective {call.number}"
    return f"{call.what}{more} of the communicator '{call.group.name}'"


_STANDARD_LIBRARY = sysconfig.get_path("stdlib")


def _where(thread: int | None) -> str:
    """Say where in the user's program a thread is; in Renga, where all of the program is Renga's."""
    frame = innermost = sys._current_frames().get(thread or 0)
    while frame is not None and not _is_program(frame):
        frame = frame.f_back
    frame = frame or innermost
    if frame is None:
        return "at an unknown place"
    path = Path(frame.f_code.co_filename)
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f"at {shown}:{frame.f_lineno} in {frame.f_code.co_qualname}"


def _is_program(frame: FrameType) -> bool:
    spec = frame.f_globals.get("__spec__")
    package = str(spec.name if spec is not None else frame.f_globals.get("__name__", "")).partition(".")[0]
    known = package in sys.stdlib_module_names or package in ("mpi4py", "numpy")
    return not (known or package == "renga" or package.startswith("renga_"))
