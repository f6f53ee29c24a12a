"""A process's connection to its job: it asks for places in the group, and gets news of losses."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import socket
import threading
from contextlib import suppress
from typing import Any

from renga_comm_base.members import Role
from renga_comm_base.resilience import TooFew
from renga_comm_nccl.tcp.address import Address
from renga_comm_nccl.tcp.connecting import connect
from renga_comm_nccl.tcp.resilient.told import EXPELLED, FEW, GROUP, LOST, OUT, WAITING, Place

__all__ = ["Membership"]


class Membership:
    """This process among all of its job.

    A thread receives the messages of the job, so that a loss is known while the program waits for a device. If the
    connection ends, or the others take this process for dead, the thread kills the process: it cannot continue, and it
    must not continue alone.

    Args:
        address: Address of the store; its rank is the number of this process in the job.

    Attributes:
        place: The place in the group; None for a process without one.
        waiting: For each process that waits for a place, the number of groups that it has made by `split`.
        total: Number of places, taken or vacant.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._connection = connect(address)
        self._lock = threading.Lock()
        self._answers: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._loss = ""
        self._ended = False
        self.place: Place | None = None
        self.waiting: list[int] = []
        self.total = 0
        self._send("enroll", address.rank, (socket.gethostname(), os.getpid()))
        threading.Thread(target=self._listen, name="renga-membership", daemon=True).start()

    def settle(self, role: Role, splits: int, has_state: bool) -> Place | None:
        """Wait until all ranks that are alive have called this, and return the new place.

        Args:
            role: Role that this process wants from now on.
            splits: Number of groups that it has made by `split`.
            has_state: Whether it has the state of the run.

        Returns:
            Its place; None if it is not in the group, and will not be.

        Raises:
            TooFew: Fewer ranks are left than the job needs.
        """
        self._send("settle", int(role), splits, has_state)
        kind, content = self._answers.get()
        self.place = content if kind == GROUP else None
        if kind == FEW:
            raise TooFew(content)
        return self.place

    def loss(self) -> str:
        """Return why the present group must recover; "" if it need not."""
        return self._loss

    def revoke(self, why: str) -> None:
        """Make all ranks of the present group recover."""
        place = self.place
        if place is not None:
            self._loss = self._loss or why
            self._send("revoke", place.epoch, why)

    def end(self) -> None:
        """Tell the job that this process has come to the end of its program."""
        self._ended = True
        self._send("end")
        self._connection.close()

    def _send(self, *request: Any) -> None:
        with self._lock, suppress(OSError):  # the thread sees the end of the connection
            self._connection.send_bytes(pickle.dumps(("job", *request)))

    def _listen(self) -> None:
        while True:
            try:
                kind, content = pickle.loads(self._connection.recv_bytes())
            except (EOFError, OSError, TypeError):
                self._leave("the connection to the launcher has ended")
                return
            if kind == EXPELLED:
                self._leave(f"the other ranks go on without this process, because it {content}")
            elif kind == LOST:
                place = self.place
                if place is None or content[0] >= place.epoch:
                    self._loss = content[1]
            elif kind == WAITING:
                splits, self.total = content
                self.waiting.append(splits)
            else:
                if kind == GROUP:
                    self._loss, self.waiting, self.total = "", list(content.waiting), content.total
                assert kind in (GROUP, OUT, FEW)
                self._answers.put((kind, content))

    def _leave(self, why: str) -> None:
        if self._ended:
            return
        text = f"renga: process {os.getpid()} (started as rank {self._address.rank}) ends: {why}\n"
        with suppress(OSError):
            os.write(2, text.encode())
        os.kill(os.getpid(), signal.SIGKILL)
