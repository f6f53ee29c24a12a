"""The communicator `resilient_nccl`."""

from __future__ import annotations

from contextlib import suppress

from renga_comm_base.resilience import Change, RanksLost, ResilientBase
from renga_comm_nccl.hosts import resilient_host
from renga_comm_nccl.resilient.group import ResilientNcclGroup
from renga_core.errors import RengaError

__all__ = ["ResilientNcclCommunicator"]

_ATTEMPTS = 3
"""Number of recoveries in a row without a dead rank and without a commit, after which NCCL is given up."""


class ResilientNcclCommunicator(ResilientNcclGroup, ResilientBase):
    """NCCL between all ranks of a group that continues when ranks die; see `ResilientBase` for how to use it.

    Start it by ``renga launch -n 4 --communicator resilient_nccl`` (processes of one machine, connected by TCP), or by
    ``renga launch -n 4 --fault-tolerant`` (MPI, also on several machines).

    `commit` waits until the device has finished all collectives. So the results that a program uses after it are right.
    Between the death of a rank and the error that reports it, results may be wrong: do not act on them before `commit`.

    A thread notices the death of a rank while the program waits for the device: it stops NCCL's operations, so that
    the wait ends. If no rank died, and NCCL has failed, the group is connected again, three times at most.

    Raises:
        RengaError: The ranks were not started in that way, or this process has made one already.
    """

    def __init__(self) -> None:
        host = resilient_host()
        self._attempts = 0
        self._has_left = False
        super().__init__(host, host)

    @property
    def is_spare(self) -> bool:  # noqa: D102
        return self._whole.is_spare

    @property
    def is_lost(self) -> bool:  # noqa: D102
        return not self.is_spare and bool(self._whole.loss())

    def join(self) -> Change | None:  # noqa: D102
        return self._whole.join()

    def commit(self) -> bool:  # noqa: D102
        self._drain()
        changes = self._whole.commit()
        self._attempts = 0
        return changes

    def recover(self) -> Change:  # noqa: D102
        why = self._whole.loss() or "the group recovers"
        self._set_aside(why)
        change = self._whole.recover()
        self._attempts = 0 if change.lost or change.left or change.newcomers else self._attempts + 1
        if self._attempts > _ATTEMPTS:
            raise RengaError(
                f"NCCL has failed {self._attempts} times in a row, and no rank has died; last: {why}. "
                "Next: set NCCL_DEBUG=INFO to see NCCL's log"
            )
        return change

    def admit(self) -> Change | None:  # noqa: D102
        self._drain()
        self._set_aside()
        change = self._whole.admit()
        self._has_left = change is None
        return change

    def ask_to_leave(self) -> None:  # noqa: D102
        self._whole.ask_to_leave()

    def finalize(self) -> None:
        """See `CommunicatorBase`. Waits until all ranks have called it, or have died."""
        if self.is_spare or self._has_left:
            self._set_aside("it is finalized")
            self._whole.finalize()
            return
        try:
            self._drain()
            self._whole.barrier()
        except RanksLost as error:
            self._set_aside(str(error))
        with suppress(RanksLost):
            super().finalize()
        self._whole.finalize()
