"""What every communicator can do, as ChainerMN documents it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from renga_core.backend import Array

__all__ = ["CommunicatorBase"]


class CommunicatorBase(ABC):
    """A group of processes that run the same program, one a device, each known by its rank.

    Collective methods are called by every rank, in the same order. Arrays may be non-contiguous or empty; results are
    arrays of their own, on the device of what was given. Objects are anything that can be pickled, and come only from
    processes of the same group.
    """

    @property
    @abstractmethod
    def rank(self) -> int:
        """This process's number in the group, from 0."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many processes there are in the group."""

    @property
    @abstractmethod
    def intra_rank(self) -> int:
        """This process's number among those of the group on the same machine."""

    @property
    @abstractmethod
    def intra_size(self) -> int:
        """How many processes of the group are on this machine."""

    @property
    @abstractmethod
    def inter_rank(self) -> int:
        """The number of this machine among those that the group spans."""

    @property
    @abstractmethod
    def inter_size(self) -> int:
        """How many machines the group spans."""

    @abstractmethod
    def split(self, color: int, key: int) -> CommunicatorBase:
        """Divide the group: processes of equal `color` form a new one, ranked by `key`, then by their rank here."""

    @abstractmethod
    def send(self, data: Array, dest: int, tag: int) -> None:
        """Send an array to rank `dest`, which receives it by `recv` with the same tag."""

    @abstractmethod
    def recv(self, source: int, tag: int) -> Array:
        """Wait for the array that rank `source` sends with this tag, and return it."""

    @abstractmethod
    def bcast(self, data: Array, max_buf_len: int | None = None, root: int = 0) -> Array:
        """Return rank `root`'s array, on every rank.

        Args:
            data: The array; what other ranks pass is not read.
            max_buf_len: Send no more than this many bytes at a time; None: as the communicator likes.
            root: Whose array.
        """

    @abstractmethod
    def gather(self, data: Array, root: int = 0) -> tuple[Array, ...] | None:
        """Return the arrays of all ranks on rank `root`, None on the others."""

    @abstractmethod
    def allgather(self, x: Array) -> tuple[Array, ...]:
        """Return the arrays of all ranks, on every rank."""

    @abstractmethod
    def alltoall(self, xs: Sequence[Array]) -> tuple[Array, ...]:
        """Give the i-th array to rank i; return what the ranks gave to this one, in their order.

        Raises:
            ValueError: There is not one array for each rank.
        """

    @abstractmethod
    def scatter(self, xs: Sequence[Array], root: int = 0) -> Array:
        """Return, on rank i, the i-th of the arrays of rank `root`.

        Raises:
            ValueError: There is not one array for each rank.
        """

    @abstractmethod
    def allreduce(self, data: Array) -> Array:
        """Return the sum of the arrays of all ranks, on every rank.

        Raises:
            ValueError: Shapes or dtypes differ between ranks; raised on every rank.
        """

    @abstractmethod
    def send_obj(self, obj: Any, dest: int, tag: int) -> None:
        """Send an object to rank `dest`."""

    @abstractmethod
    def recv_obj(self, source: int, tag: int) -> Any:
        """Wait for the object that rank `source` sends with this tag, and return it."""

    @abstractmethod
    def bcast_obj(self, obj: Any, max_buf_len: int | None = None, root: int = 0) -> Any:
        """Return rank `root`'s object, on every rank; arguments as those of `bcast`."""

    @abstractmethod
    def gather_obj(self, obj: Any, root: int = 0) -> list[Any] | None:
        """Return the objects of all ranks on rank `root`, None on the others."""

    @abstractmethod
    def allreduce_obj(self, obj: Any) -> Any:
        """Return the objects of all ranks added up by ``+`` in the order of ranks, on every rank."""

    def bcast_data(self, model: Any) -> None:
        """Overwrite the parameters of a Link by those of rank 0."""
        for _, parameter in sorted(model.namedparams()):
            if parameter.is_initialized:
                parameter.array[...] = self.bcast(parameter.array)

    def multi_node_mean_grad(self, model: Any, zero_fill: bool = False) -> None:
        """Overwrite the gradients of a Link's parameters by their means over all ranks.

        Args:
            model: The Link. The same parameters must have a gradient on every rank.
            zero_fill: Take zero for a gradient that is missing, and give the parameter one. Otherwise parameters
                without a gradient are passed over.
        """
        for _, parameter in sorted(model.namedparams()):
            if not parameter.is_initialized:
                continue
            if parameter.grad is None:
                if not zero_fill:
                    continue
                parameter.zerograd()
            parameter.grad = self.allreduce(parameter.grad) / self.size

    def finalize(self) -> None:  # noqa: B027  (most communicators hold nothing)
        """Release what the communicator holds; it is not used afterwards."""
