"""Parts of a communicator that the communicator of the hosts implements: ranks and objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_comm_base import Communicator
from renga_core.communicator import CommunicatorBase

__all__ = ["OnHosts"]


class OnHosts(Communicator):
    """Ranks and objects of the communicator `_host`."""

    _host: CommunicatorBase

    @property
    def rank(self) -> int:  # noqa: D102
        return self._host.rank

    @property
    def size(self) -> int:  # noqa: D102
        return self._host.size

    @property
    def intra_rank(self) -> int:  # noqa: D102
        return self._host.intra_rank

    @property
    def intra_size(self) -> int:  # noqa: D102
        return self._host.intra_size

    @property
    def inter_rank(self) -> int:  # noqa: D102
        return self._host.inter_rank

    @property
    def inter_size(self) -> int:  # noqa: D102
        return self._host.inter_size

    def send_obj(self, obj: Any, dest: int, tag: int = 0) -> None:  # noqa: D102
        self._host.send_obj(obj, dest, tag)

    def recv_obj(self, source: int, tag: int = 0) -> Any:  # noqa: D102
        return self._host.recv_obj(source, tag)

    def bcast_obj(self, obj: Any, max_buf_len: int | None = None, root: int = 0) -> Any:  # noqa: D102
        return self._host.bcast_obj(obj, max_buf_len, root)

    def gather_obj(self, obj: Any, root: int = 0) -> list[Any] | None:  # noqa: D102
        return self._host.gather_obj(obj, root)

    def allgather_obj(self, obj: Any) -> list[Any]:  # noqa: D102
        return self._host.allgather_obj(obj)

    def allreduce_obj(self, obj: Any) -> Any:  # noqa: D102
        return self._host.allreduce_obj(obj)

    def barrier(self) -> None:  # noqa: D102
        self._host.barrier()

    def _mean_of_host(self, arrays: Sequence[Any]) -> list[Any]:
        self._host.set_config("allreduce_grad_dtype", self.get_config("allreduce_grad_dtype"))
        return self._host.mean(arrays)

    def _check_rank(self, name: str, rank: int) -> None:
        if not 0 <= rank < self.size:
            raise ValueError(f"{name} is {rank}; ranks go from 0 to {self.size - 1}")

    def _check_count(self, count: int) -> None:
        if count != self.size:
            raise ValueError(f"{count} arrays were given for {self.size} ranks; one for each is needed")
