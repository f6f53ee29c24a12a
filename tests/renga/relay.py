"""A third party's communicator and its launcher: ranks are forked, and talk through a process that passes messages on.

The test installs this file, and the class that ``renga new communicator`` writes, as a distribution of its own.
"""

import os
import signal
import tempfile
import threading
import time
from collections import defaultdict, deque
from functools import partial
from multiprocessing.connection import Client, Listener

from renga_relay.communicator import RelayCommunicator as Written

from renga_core.communicator import RankFailed

KEY = b"relay"


class RelayCommunicator(Written):
    """Of the ranks that `launch` has started; elsewhere, of one."""

    rank = property(lambda self: self._members.index(self._me))
    size = property(lambda self: len(self._members))
    intra_rank, intra_size = rank, size

    def __init__(self, parent=None, group=(), members=None):
        super().__init__()
        self._me = int(os.environ.get("RELAY_RANK", "0"))
        self._members = members or list(range(int(os.environ.get("RELAY_SIZE", "1"))))
        self._group, self._count = group, 0
        self._connection = parent._connection if parent else None
        if parent is None and self.size > 1:
            self._connection = Client(os.environ["RELAY_ADDRESS"], authkey=KEY)
            self._connection.send(self._me)

    def _exchange(self, obj):
        if self.size == 1:
            return super()._exchange(obj)
        self._count += 1
        for other in self._members:
            self._connection.send(("put", (self._group, self._count, self._me, other), obj))
        return [self._wait((self._group, self._count, other, self._me)) for other in self._members]

    def _put(self, obj, dest, tag):
        if self.size == 1:
            super()._put(obj, dest, tag)
        else:
            self._connection.send(("put", (self._group, "to", self._me, self._members[dest], tag), obj))

    def _get(self, source, tag):
        if self.size == 1:
            return super()._get(source, tag)
        return self._wait((self._group, "to", self._members[source], self._me, tag))

    def _wait(self, key):
        self._connection.send(("get", key, None))
        found, obj = self._connection.recv()
        if not found:
            raise RankFailed("another rank has failed")
        return obj

    def split(self, color, key):
        places = self._exchange((color, key))
        chosen = sorted((k, rank) for rank, (c, k) in enumerate(places) if c == color)
        members = [self._members[rank] for _, rank in chosen]
        return RelayCommunicator(self, (*self._group, self._count, color), members)


class Hub:
    """Keeps what is put until it is got."""

    def __init__(self, address, size):
        self._listener = Listener(address, authkey=KEY)
        self._boxes = defaultdict(deque)
        self._changed = threading.Condition()
        self._failed = False
        for _ in range(size):
            threading.Thread(target=self._accept, daemon=True).start()

    def fail(self):
        with self._changed:
            self._failed = True
            self._changed.notify_all()

    def _accept(self):
        connection = self._listener.accept()
        connection.recv()
        try:
            while True:
                what, key, obj = connection.recv()
                with self._changed:
                    if what == "put":
                        self._boxes[key].append(obj)
                        self._changed.notify_all()
                    else:
                        self._changed.wait_for(partial(self._is_there, key))
                        connection.send((True, self._boxes[key].popleft()) if self._boxes[key] else (False, None))
        except (EOFError, OSError):
            pass

    def _is_there(self, key):
        return self._boxes[key] or self._failed


def launch(command, size, environment):
    """Fork the ranks; when one fails, tell the others, and end them a second later."""
    with tempfile.TemporaryDirectory() as folder:
        address = os.path.join(folder, "hub")
        more = {"RELAY_SIZE": str(size), "RELAY_ADDRESS": address}
        pids = []
        for rank in range(size):
            pid = os.fork()
            if pid == 0:
                while not os.path.exists(address):
                    time.sleep(0.01)
                os.execvpe(command[0], command, {**environment, **more, "RELAY_RANK": str(rank)})
            pids.append(pid)
        hub = Hub(address, size)  # its threads begin when all are forked
        worst = 0
        while pids:
            pid, status = os.wait()
            pids.remove(pid)
            code = os.waitstatus_to_exitcode(status)
            if code and not worst:
                worst = code if code > 0 else 128 - code
                hub.fail()
                time.sleep(1.0)
                for other in pids:
                    os.kill(other, signal.SIGKILL)
        return worst
