"""One NCCL communicator: creates it, calls it, and ends it, whatever has happened to the other ranks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import byref, c_int, c_void_p

import numpy as np

from renga_comm_nccl.calls import IN_PROGRESS, SUCCESS, Config, Nccl, NcclError, UniqueId
from renga_core.communicator import RankFailed
from renga_core.settings import lookup

__all__ = ["Handle"]

_HOST_IMMEDIATE = 1
"""A scalar in host memory, which NCCL reads before the call returns."""
_SHRINK_ABORT = 1
"""Abort running operations before the communicator shrinks."""
_CLOSING = 10.0
"""Time in seconds in which the ranks end a communicator together; then each ends it alone."""


class Handle:
    """An NCCL communicator of this process, on the device that was current at its creation.

    It is nonblocking: a call that waits for other ranks returns at once, and `_settle` waits for its end, so that
    `abort` in another thread can interrupt it.

    Attributes:
        rank, size: Rank of this process, and number of ranks.
        who: ``rank 1 of 4``, for messages.
        loss: Returns the reason to stop waiting for other ranks; "" if there is none.
    """

    def __init__(self, nccl: Nccl, comm: c_void_p, rank: int, size: int, loss: Callable[[], str] = lambda: "") -> None:
        self.nccl, self.rank, self.size, self.loss = nccl, rank, size, loss
        self.who = f"rank {rank} of {size}"
        self._comm = comm
        self._averages: dict[int, int] = {}
        self._lock = threading.Lock()
        self._aborted = ""
        self._in_group = False

    # --- making -------------------------------------------------------------------------------------------------------

    @classmethod
    def make(cls, nccl: Nccl, unique_id: bytes, rank: int, size: int, loss: Callable[[], str] = lambda: "") -> Handle:
        """Create a communicator together with the other ranks that have this id.

        Raises:
            NcclError: NCCL cannot connect the ranks.
            RankFailed: They did not come in time (setting ``distributed.timeout``).
        """
        comm, config = c_void_p(), Config.non_blocking()
        handle = cls(nccl, comm, rank, size, loss)
        shared = UniqueId.from_buffer_copy(unique_id)
        try:
            handle._run("ncclCommInitRankConfig", byref(comm), size, shared, rank, byref(config))
        except NcclError:
            handle.abort("it could not be created")
            raise
        return handle

    def split(self, color: int, key: int, rank: int, size: int) -> Handle:
        """Split it like MPI_Comm_split (from NCCL 2.18); `rank` and `size` are those of this process in its part."""
        made = Handle(self.nccl, c_void_p(), rank, size, self.loss)
        self._run("ncclCommSplit", self._comm, color, key, byref(made._comm), None)
        made._settle("ncclCommSplit")
        return made

    def shrink(self, excluded: Sequence[int]) -> Handle:
        """Return a communicator of the remaining ranks after some have died (from NCCL 2.27). Aborts running
        operations."""
        left = [rank for rank in range(self.size) if rank not in excluded]
        made = Handle(self.nccl, c_void_p(), left.index(self.rank), len(left), self.loss)
        numbers = (c_int * len(excluded))(*excluded)
        made._check(
            "ncclCommShrink",
            self.nccl.call(
                "ncclCommShrink", self._comm, numbers, len(excluded), byref(made._comm), None, _SHRINK_ABORT
            ),
        )
        made._settle("ncclCommShrink")
        return made

    def revoke(self) -> None:
        """Stop running operations on this rank (from NCCL 2.28.7). Then `shrink`, `split` and `close` are possible."""
        self._run("ncclCommRevoke", self._comm, 0)

    def growth_id(self) -> bytes:
        """Return an id for new ranks (from NCCL 2.29). One rank of the group calls it, and sends it to them."""
        made = UniqueId()
        self._check("ncclCommGetUniqueId", self.nccl.call("ncclCommGetUniqueId", self._comm, byref(made)))
        return bytes(made)

    def grow(self, size: int, growth_id: bytes | None) -> Handle:
        """Grow to `size` ranks; this rank keeps its number. The caller of `growth_id` passes the id, others None."""
        made = Handle(self.nccl, c_void_p(), self.rank, size, self.loss)
        shared = None if growth_id is None else byref(UniqueId.from_buffer_copy(growth_id))
        self._check(
            "ncclCommGrow", self.nccl.call("ncclCommGrow", self._comm, size, shared, -1, byref(made._comm), None)
        )
        made._settle("ncclCommGrow")
        return made

    @classmethod
    def join(cls, nccl: Nccl, growth_id: bytes, rank: int, size: int, loss: Callable[[], str] = lambda: "") -> Handle:
        """Join a growing group as a new rank."""
        made = cls(nccl, c_void_p(), rank, size, loss)
        config, shared = Config.non_blocking(), UniqueId.from_buffer_copy(growth_id)
        made._check(
            "ncclCommGrow", nccl.call("ncclCommGrow", None, size, byref(shared), rank, byref(made._comm), byref(config))
        )
        made._settle("ncclCommGrow")
        return made

    # --- calls: addresses of device memory, numbers of elements, NCCL's numbers of dtypes -----------------------------

    def all_reduce(self, send: int, recv: int, count: int, dtype: int, op: int, stream: int) -> None:
        """Reduce the memory of all ranks, with the result on every rank."""
        self._run("ncclAllReduce", send, recv, count, dtype, op, self._comm, stream)

    def reduce_scatter(self, send: int, recv: int, count: int, dtype: int, op: int, stream: int) -> None:
        """Sum `count` times `size` elements; each rank gets its part."""
        self._run("ncclReduceScatter", send, recv, count, dtype, op, self._comm, stream)

    def all_gather(self, send: int, recv: int, count: int, dtype: int, stream: int) -> None:
        """Gather `count` elements of each rank, in order, on every rank."""
        self._run("ncclAllGather", send, recv, count, dtype, self._comm, stream)

    def broadcast(self, memory: int, count: int, dtype: int, root: int, stream: int) -> None:
        """Fill memory with the contents on rank `root`."""
        self._run("ncclBroadcast", memory, memory, count, dtype, root, self._comm, stream)

    def send(self, memory: int, count: int, dtype: int, peer: int, stream: int) -> None:
        """Send to a rank, which calls `recv` with the same count."""
        self._run("ncclSend", memory, count, dtype, peer, self._comm, stream)

    def recv(self, memory: int, count: int, dtype: int, peer: int, stream: int) -> None:
        """Receive from a rank."""
        self._run("ncclRecv", memory, count, dtype, peer, self._comm, stream)

    @contextmanager
    def group(self) -> Iterator[None]:
        """Group calls: they begin together, so that none waits for another."""
        self._check("ncclGroupStart", self.nccl.call("ncclGroupStart"))
        self._in_group = True
        try:
            yield
        finally:
            self._in_group = False
            code = self.nccl.call("ncclGroupEnd")
        self._check("ncclGroupEnd", code)
        self._settle("ncclGroupEnd")

    def average(self, dtype: int, numpy_dtype: str) -> int:
        """The operation that multiplies each summand by 1 / `size` before it is added: a mean that cannot overflow."""
        if dtype not in self._averages:
            op = c_int()
            if numpy_dtype == "bfloat16":
                scalar = (np.full(1, 1 / self.size, np.float32).view(np.uint32) + 0x8000 >> 16).astype(np.uint16)
            else:
                scalar = np.full(1, 1 / self.size, numpy_dtype)
            self._run("ncclRedOpCreatePreMulSum", byref(op), scalar.ctypes.data, dtype, _HOST_IMMEDIATE, self._comm)
            self._averages[dtype] = op.value
        return self._averages[dtype]

    # --- state and end ------------------------------------------------------------------------------------------------

    def error(self) -> str:
        """Return the asynchronous error in NCCL's words; "" if there is none."""
        if self._aborted:
            return self._aborted
        state = c_int()
        with self._lock:
            if not self._comm:
                return ""
            code = self.nccl.call("ncclCommGetAsyncError", self._comm, byref(state))
        found = code if code != SUCCESS else state.value
        return "" if found in (SUCCESS, IN_PROGRESS) else self.nccl.describe(found, self._comm)

    @property
    def aborted(self) -> str:
        """Why it was stopped or aborted; "" if it was not."""
        return self._aborted

    @property
    def ended(self) -> bool:
        """Whether it was aborted or closed, so that `shrink` is not possible either."""
        return not self._comm

    def stop(self, why: str) -> None:
        """End running operations, whose results are invalid; where NCCL can (2.28.7), `shrink` is possible then.

        Otherwise, it is aborted.
        """
        if not self.nccl.has("ncclCommRevoke"):
            self.abort(why)
            return
        with self._lock:
            if not self._comm or self._aborted:
                return
            self._aborted = why
            code = self.nccl.call("ncclCommRevoke", self._comm, 0)
        if code not in (SUCCESS, IN_PROGRESS):
            self.abort(why)

    def abort(self, why: str) -> None:
        """End it at once, without the other ranks. Running operations end, and their results are invalid."""
        with self._lock:
            if self._comm:
                self._aborted = self._aborted or why
                self.nccl.call("ncclCommAbort", self._comm)
                self._comm = c_void_p()

    def close(self) -> None:
        """End it together with the other ranks; by `abort` if one of them does not come, or has failed."""
        if self._aborted or not self._comm:
            return
        if self.error():
            self.abort("closed after an error")
            return
        try:
            self._run("ncclCommFinalize", self._comm, limit=_CLOSING)
        except (NcclError, RankFailed):
            self.abort("closed while another rank was missing")
            return
        with self._lock:
            self.nccl.call("ncclCommDestroy", self._comm)
            self._comm = c_void_p()

    # --- waiting ------------------------------------------------------------------------------------------------------

    def _run(self, name: str, *args: object, limit: float | None = None) -> None:
        """Call a function of this communicator, and wait until NCCL has accepted it."""
        if self._aborted:
            raise RankFailed(f"{self.who}: {name} is not possible: {self._aborted}")
        code = self.nccl.call(name, *args)
        self._check(name, code)
        if code == IN_PROGRESS and not self._in_group:  # a group begins when it ends
            self._settle(name, limit)

    def _check(self, name: str, code: int) -> None:
        self.nccl.check(name, code, self.who, self._comm)

    def _settle(self, name: str, limit: float | None = None) -> None:
        """Wait until all ranks that take part in a call have made it.

        Raises:
            NcclError: It has failed.
            RankFailed: It has taken longer than `limit` seconds (None: the setting ``distributed.timeout``), the
                communicator was aborted meanwhile, or `loss` returned a reason.
        """
        seconds = float(lookup("distributed.timeout").value) if limit is None else limit
        deadline = time.monotonic() + seconds if seconds else float("inf")
        state, pause = c_int(), 2e-6
        while True:
            with self._lock:
                if self._aborted:
                    raise RankFailed(f"{self.who}: {name} was ended: {self._aborted}")
                if not self._comm:
                    return
                self._check(name, self.nccl.call("ncclCommGetAsyncError", self._comm, byref(state)))
            if state.value != IN_PROGRESS:
                self._check(name, state.value)
                return
            if why := self.loss():
                self.abort(why)
                raise RankFailed(f"{self.who}: {name} was ended: {why}")
            if time.monotonic() > deadline:
                why = f"other ranks have not answered {name} in {seconds:g} s"
                self.abort(why)
                raise RankFailed(f"{self.who}: {why}. Next: look for the first error that another rank has printed")
            time.sleep(pause)
            pause = min(1.5 * pause, 1e-3)
