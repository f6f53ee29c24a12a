"""The store: the process that all messages pass through. It notices when a rank ends.

A client sends one request at a time: a *meeting* of all ranks of its group, which ends when all have come, a message
for one rank, or a wait for a message. If a rank can no longer come, meetings and waits end with the reason, so that no
rank waits forever.
"""

from __future__ import annotations

import os
import pickle
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any, Self

from renga_comm_nccl.tcp.groups import Client, Group
from renga_comm_nccl.tcp.handshake import accepted
from renga_comm_nccl.tcp.resilient.job import Job

__all__ = ["FAILED", "FINE", "LOST", "MISMATCH", "Store"]

FINE, MISMATCH, FAILED, LOST = "fine", "mismatch", "failed", "lost"
"""Status of a request; with it comes the answer, what each rank called, or the reason in words: for `LOST`, why the
group of a `Job` must recover."""
_MORE_PATIENCE = 1.5
_LOOK = 0.2
"""Interval in seconds between checks for meetings that take too long."""


class Store:
    """Serves ranks in a thread of this process until `close`.

    Args:
        address: Address to listen on: host and port, or a path.
        key: The secret of the ranks.
        timeout: Time in seconds that a meeting waits for all ranks; 0: no limit. Later that of the ranks: a run file
            sets it only there.
        job: Its ranks continue when others die.

    Attributes:
        left: Size of the group and rank of those that are no longer there, in order.
    """

    def __init__(
        self, address: tuple[str, int] | str, key: bytes, timeout: float = 0.0, job: Job | None = None
    ) -> None:
        self._timeout, self._job = timeout, job
        self.left: list[tuple[int, int]] = []
        if job is not None:
            job.attach(self._answer, self._revoke)
        self._groups: dict[str, Group] = {}
        self._clients: dict[Connection[Any, Any], Client] = {}
        self._accepted: deque[Connection[Any, Any]] = deque()
        self._calls: deque[Callable[[], None]] = deque()
        self._reading, self._writing = os.pipe()
        self._closing = threading.Event()
        self._key = key
        self._server = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
        if not isinstance(address, str):
            self._server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._server.bind(address)
            self._server.listen(1024)
        except OSError:
            self._server.close()
            for end in (self._reading, self._writing):
                os.close(end)
            raise
        self._threads = [
            threading.Thread(target=work, name="renga-store", daemon=True) for work in (self._accept, self._serve)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def address(self) -> Any:
        """Address of the store."""
        return self._server.getsockname()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self, patience: float = 0.0) -> None:
        """End the store when all ranks have left, or after `patience` seconds."""
        deadline = time.monotonic() + patience
        while self._clients and time.monotonic() < deadline:
            time.sleep(0.01)
        self._closing.set()
        for thread in self._threads:
            thread.join()
        self._server.close()
        for connection in self._clients:
            connection.close()
        for end in (self._reading, self._writing):
            os.close(end)

    def call(self, function: Callable[[], None]) -> None:
        """Call a function soon in the thread that serves, such as methods of `Job`."""
        self._calls.append(function)
        os.write(self._writing, b"x")

    def _accept(self) -> None:
        # A separate thread: a client that does not answer the challenge must not block the others.
        while not self._closing.is_set():
            if not wait([self._server], _LOOK):
                continue
            connection = accepted(self._server, self._key)
            if connection is None:
                continue
            self._accepted.append(connection)
            os.write(self._writing, b"x")

    def _serve(self) -> None:
        while not self._closing.is_set():
            for one in wait([self._reading, *self._clients], _LOOK):
                if one == self._reading:
                    os.read(self._reading, 1)
                    while self._accepted:
                        connection = self._accepted.popleft()
                        self._clients[connection] = Client(connection)
                    while self._calls:
                        self._calls.popleft()()
                elif isinstance(one, Connection) and one in self._clients:
                    self._read(self._clients[one])
            self._look_for_late_ones()

    def _read(self, client: Client) -> None:
        try:
            request = pickle.loads(client.connection.recv_bytes())
        except (EOFError, OSError):
            self._end(client, "has died, or ended without leaving the group", died=True)
            return
        what, *more = request
        if what == "job":
            getattr(self._job, f"do_{more[0]}")(client, *more[1:])
        else:
            getattr(self, f"_do_{what}")(client, *more)

    # --- requests -----------------------------------------------------------------------------------------------------

    def _do_enter(
        self,
        client: Client,
        name: str,
        rank: int,
        size: int,
        where: str,
        part_of: tuple[int, int] | None,
        timeout: float,
    ) -> None:
        self._timeout = timeout
        if self._job is not None:
            self._job.timeout = timeout
        epoch, client.number = (None, -1) if part_of is None else part_of
        if why := self._why_lost(epoch):
            self._answer(client, LOST, why)
            return
        group = self._groups.setdefault(name, Group(name, size, epoch))
        client.group, client.rank, client.where = group, rank, where
        if rank in group.clients or rank in group.gone or size != group.size:
            self._answer(
                client, FAILED, f"the group has {group.size} ranks, and rank {rank} of {size} is there already"
            )
            return
        group.clients[rank] = client
        self._answer(client, FINE, None)

    def _do_leave(self, client: Client) -> None:
        self._end(client, "has ended its part in the group")

    def _do_meet(
        self, client: Client, call: tuple[bytes, bytes], brought: bytes, root: int | None, root_gives: bool
    ) -> None:
        group = client.group
        assert group is not None
        if why := self._why_lost(group.epoch):
            self._answer(client, LOST, why)
            return
        if not group.came:
            group.since = time.monotonic()
        group.came[client.rank] = (call, brought, root, root_gives)
        if len(group.came) == group.size:
            self._end_meeting(group)
        elif group.gone:
            self._break_up(group)

    def _end_meeting(self, group: Group) -> None:
        came, group.came = group.came, {}
        calls = [came[rank][0][1] for rank in range(group.size)]
        same = len({came[rank][0][0] for rank in came}) == 1
        # Rank 0 runs the store and may end after its answer, so it is answered last.
        for rank in reversed(range(group.size)):
            _, _, root, root_gives = came[rank]
            if not same:
                self._answer(group.clients[rank], MISMATCH, calls)
            elif root is None:
                self._answer(group.clients[rank], FINE, [came[one][1] for one in range(group.size)])
            elif root_gives:
                self._answer(group.clients[rank], FINE, came[root][1])
            else:
                everybody = [came[one][1] for one in range(group.size)] if rank == root else None
                self._answer(group.clients[rank], FINE, everybody)

    def _do_send(self, client: Client, dest: int, tag: int, message: bytes) -> None:
        group = client.group
        assert group is not None
        if group.receiving.get(dest, ())[:2] == (client.rank, tag):
            del group.receiving[dest]
            self._answer(group.clients[dest], FINE, message)
        else:
            group.mail.setdefault((client.rank, dest, tag), deque()).append(message)

    def _do_recv(self, client: Client, source: int, tag: int) -> None:
        group = client.group
        assert group is not None
        if why := self._why_lost(group.epoch):
            self._answer(client, LOST, why)
            return
        mail = group.mail.get((source, client.rank, tag))
        if mail:
            self._answer(client, FINE, mail.popleft())
        elif source in group.gone:
            self._answer(client, FAILED, group.gone[source])
        else:
            group.receiving[client.rank] = (source, tag, time.monotonic())

    # --- ends ---------------------------------------------------------------------------------------------------------

    def _end(self, client: Client, how: str, died: bool = False) -> None:
        """Record that a rank has ended, and answer all who wait for it."""
        self._clients.pop(client.connection, None)
        client.connection.close()
        group = client.group
        if died and client.number >= 0 and self._job is not None:
            self._job.died(client.number)
        if group is None or group.clients.get(client.rank) is not client:
            return
        del group.clients[client.rank]
        group.came.pop(client.rank, None)
        group.receiving.pop(client.rank, None)
        group.gone[client.rank] = f"rank {client.rank} ({client.where}) {how}"
        self.left.append((group.size, client.rank))
        if group.came:
            self._break_up(group)
        for rank, (source, *_) in list(group.receiving.items()):
            if source == client.rank:
                del group.receiving[rank]
                self._answer(group.clients[rank], FAILED, group.gone[source])
        if len(group.gone) == group.size:
            self._groups.pop(group.name, None)

    def _why_lost(self, epoch: int | None) -> str:
        return "" if epoch is None or self._job is None else self._job.why_lost(epoch)

    def _revoke(self, epoch: int, why: str) -> None:
        """End all meetings and waits in the groups of an epoch of the job."""
        for group in [group for group in self._groups.values() if group.epoch == epoch]:
            waiting, group.came, group.receiving = {*group.came, *group.receiving}, {}, {}
            for rank in waiting:
                self._answer(group.clients[rank], LOST, why)
            del self._groups[group.name]

    def _break_up(self, group: Group) -> None:
        """End a meeting to which some ranks can no longer come, and waits for messages from them."""
        came, group.came = group.came, {}
        waiting = [rank for rank, (source, *_) in group.receiving.items() if source in group.gone]
        for rank in waiting:
            del group.receiving[rank]
        for rank in {*came, *waiting}:
            self._answer(group.clients[rank], FAILED, "; ".join(group.gone.values()))

    def _look_for_late_ones(self) -> None:
        if self._job is not None:
            self._job.look()
        for group in list(self._groups.values()) if self._timeout else ():
            if group.epoch is not None:
                self._expel(group)
            elif late := group.late(self._timeout):
                for rank in late:
                    where = group.clients[rank].where if rank in group.clients else "never came"
                    group.gone.setdefault(rank, f"rank {rank} ({where}) has not come in {self._timeout:g} s")
                self._break_up(group)

    def _expel(self, group: Group) -> None:
        """Take late ranks of the job for dead, but not those that wait in another group themselves.

        A rank that waits for its device reports that itself after the timeout, so the store waits longer.
        """
        assert self._job is not None
        late = group.late(_MORE_PATIENCE * self._timeout)
        if not late:
            return
        how = f"has not come in {_MORE_PATIENCE * self._timeout:g} s"
        waiting = set().union(*(one.waiting() for one in self._groups.values() if one.epoch == group.epoch))
        numbers = {group.clients[rank].number for rank in late if rank in group.clients} - waiting
        for number in numbers:
            self._job.expel(number, how)
        if not numbers:
            self._job.lose(f"rank {', '.join(map(str, late))} of group {group.name} {how}")

    def _answer(self, client: Client, how: str, answer: Any) -> None:
        with suppress(OSError):  # it has ended; its connection reports that
            client.connection.send_bytes(pickle.dumps((how, answer)))
