"""What `resilient_nccl` and the groups that `split` makes from it have in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from renga_comm_base.resilience import RanksLost, ResilientHost
from renga_comm_nccl import watchdog
from renga_comm_nccl.calls import NcclError
from renga_comm_nccl.handle import Handle
from renga_comm_nccl.pure import PureNcclCommunicator
from renga_comm_nccl.resilient.connecting import connected
from renga_comm_nccl.stream import Lane, Queued, is_capturing
from renga_core.communicator import CommunicatorBase, MismatchError, RankFailed
from renga_core.errors import RengaError

__all__ = ["ResilientNcclGroup"]


class ResilientNcclGroup(PureNcclCommunicator):
    """A group whose calls raise `RanksLost` when a rank of the job has died, or NCCL has failed on one.

    It computes as `pure_nccl` does. Its collectives cannot be captured in a CUDA graph: a recorded one would use the
    NCCL communicator of a former group.

    Args:
        whole: The communicator of the hosts for the whole job.
        host: The communicator of the hosts for this group.
    """

    name: ClassVar[str] = "resilient_nccl"

    def __init__(self, whole: ResilientHost, host: CommunicatorBase) -> None:
        self._whole = whole
        self._parts: list[ResilientNcclGroup] = []
        self._old: Handle | None = None
        self._key = b""
        self._begin(host, None, None)

    def split(self, color: int, key: int) -> ResilientNcclGroup:
        """See `CommunicatorBase`. A process that joined later gets the groups that others made before, in order."""
        part = ResilientNcclGroup(self._whole, self._host.split(color, key))
        self._parts.append(part)
        return part

    def finalize(self) -> None:  # noqa: D102
        try:
            super().finalize()
        finally:
            self._set_aside("it is finalized")
            if self._old is not None:
                self._old.abort("it is finalized")

    # --- failures -----------------------------------------------------------------------------------------------------

    def _alive(self, what: str) -> None:
        if self._handle is not None and (why := self._handle.aborted):
            self._whole.revoke(why)
            raise RanksLost(f"rank {self.rank} of {self.size}: {what} is not possible: {why}. Next: call recover()")

    @contextmanager
    def _losing(self, what: str) -> Iterator[None]:
        """Turn failures of NCCL, and errors that follow from a loss, into `RanksLost`, on all ranks."""
        try:
            yield
        except (RanksLost, MismatchError):
            raise
        except (NcclError, RankFailed) as error:
            self._whole.revoke(f"{what} has failed on rank {self._whole.rank}: {error}")
            raise RanksLost(f"{what} has failed: {error}. Next: call recover()") from error
        except Exception as error:
            if why := self._whole.loss():
                raise RanksLost(f"{why}; this rank was in {what}. Next: call recover()") from error
            raise

    def _watch(self, handle: Handle) -> None:
        def act(handle: Handle, why: str) -> None:
            self._whole.revoke(why)  # first, so that a program that sees wrong results can know why
            handle.stop(why)

        watchdog.watch(handle, self.name, act, self._whole.loss)

    @contextmanager
    def _queue(self, what: str, array: Any = None) -> Iterator[tuple[Lane, Queued]]:
        if is_capturing():
            raise RengaError(
                f"{what} of communicator {self.name!r} cannot be captured in a CUDA graph: the group may change. "
                "Next: use pure_nccl, or do not capture it"
            )
        with self._losing(what), super()._queue(what, array) as queued:
            yield queued

    def _new_handle(self) -> Handle:
        old, self._old = self._old, None
        made, self._key = connected(self._host, old, self._key, self._whole.loss)
        return made

    # --- changes of the group -----------------------------------------------------------------------------------------

    def _drain(self) -> None:
        """Wait until the device has finished the collectives of this group and its parts.

        Raises:
            RanksLost: It cannot finish them.
        """
        for group in self._groups():
            if group._handle is not None:
                watchdog.drain(group._handle)
                group._alive("the wait for the device")
        if why := self._whole.loss():
            raise RanksLost(f"{why}; this rank waited for its device. Next: call recover()")

    def _set_aside(self, why: str = "") -> None:
        """Connect the devices again when the next array is sent, of this group and its parts.

        Args:
            why: Reason to stop running collectives; "": they have ended.
        """
        for group in self._groups():
            handle, group._handle, group._device = group._handle, None, None
            group._messages.forget()
            if handle is not None:
                watchdog.forget(handle)
                group._old = handle
            if group._old is not None and why:
                group._old.stop(why)

    def _groups(self) -> Iterator[ResilientNcclGroup]:
        yield self
        for part in self._parts:
            yield from part._groups()
