"""The methods of every communicator, as ChainerMN documents them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from renga_core.communicator.errors import MismatchError
from renga_core.communicator.request import Request

if TYPE_CHECKING:
    from renga_core.backend import Array

__all__ = ["CommunicatorBase"]


class CommunicatorBase(ABC):
    """A group of processes that run the same program, each with its own rank and usually its own device.

    Every rank calls collective methods in the same order. Arrays may be non-contiguous or empty. Results are new arrays
    on the device of the input. Objects can be anything that pickles, and must come from processes of the same group.
    Methods for arrays raise TypeError for other arguments, before they send anything.

    If ranks call different collectives, or with different shapes, dtypes or roots, every rank raises `MismatchError`,
    and none waits for the others.

    Attributes:
        default_config: The entries of `set_config` and their defaults. ``allreduce_grad_dtype``: the dtype in which
            gradients are sent, ``"float16"``, ``"bfloat16"``, ``"float32"`` or ``"float64"``; None: their own.
            ``bucket_bytes``: `multi_node_mean_grad` sends gradients in buckets of this many bytes; 0: one by one; None:
            all together. ``batched_copy``: accepted for ChainerMN's programs, without effect: gradients of a bucket are
            always copied together.
        overlaps: Whether `imean` can communicate while the caller computes; this needs another thread that may call
            collectives of a group made by `split`.
    """

    default_config: ClassVar[Mapping[str, Any]]
    overlaps: ClassVar[bool] = False

    @property
    @abstractmethod
    def rank(self) -> int:
        """The number of this process in the group, from 0."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of processes in the group."""

    @property
    @abstractmethod
    def intra_rank(self) -> int:
        """The number of this process among the group's processes on the same machine."""

    @property
    @abstractmethod
    def intra_size(self) -> int:
        """The number of the group's processes on this machine."""

    @property
    @abstractmethod
    def inter_rank(self) -> int:
        """The number of this machine among the machines of the group."""

    @property
    @abstractmethod
    def inter_size(self) -> int:
        """The number of machines of the group."""

    @abstractmethod
    def split(self, color: int, key: int) -> CommunicatorBase:
        """Split the group: processes with equal `color` form a new group, ordered by `key`, then by their rank here."""

    @abstractmethod
    def send(self, data: Array | tuple[Array, ...], dest: int, tag: int) -> None:
        """Send an array, or a tuple of arrays, to rank `dest`, which calls `recv` with the same tag."""

    @abstractmethod
    def recv(self, source: int, tag: int) -> Any:
        """Wait for the array or tuple of arrays that rank `source` sends with this tag, and return it."""

    @abstractmethod
    def bcast(self, data: Array, max_buf_len: int | None = None, root: int = 0) -> Array:
        """Return the array of rank `root` on every rank.

        Args:
            data: The array; ignored on other ranks.
            max_buf_len: The largest number of bytes to send at a time; None: the communicator chooses.
            root: The rank that sends.
        """

    @abstractmethod
    def gather(self, data: Array, root: int = 0) -> tuple[Array, ...] | None:
        """Return the arrays of all ranks on rank `root`, and None on the others."""

    @abstractmethod
    def allgather(self, x: Array) -> tuple[Array, ...]:
        """Return the arrays of all ranks, on every rank."""

    @abstractmethod
    def alltoall(self, xs: Sequence[Array]) -> tuple[Array, ...]:
        """Send the i-th array to rank i; return the arrays received from all ranks, in their order.

        Raises:
            ValueError: The number of arrays differs from the number of ranks.
        """

    @abstractmethod
    def scatter(self, xs: Sequence[Array], root: int = 0) -> Array:
        """Return on rank i the i-th array of rank `root`.

        Raises:
            ValueError: The number of arrays differs from the number of ranks.
        """

    @abstractmethod
    def allreduce(self, data: Array) -> Array:
        """Return the sum of the arrays of all ranks, on every rank. For bool it is the logical or, as in NumPy.

        Raises:
            MismatchError: Shapes or dtypes differ between ranks; a ValueError, raised on every rank.
            TypeError: This dtype has no sum (text, objects); raised on every rank.
        """

    @abstractmethod
    def send_obj(self, obj: Any, dest: int, tag: int = 0) -> None:
        """Send an object to rank `dest`."""

    @abstractmethod
    def recv_obj(self, source: int, tag: int = 0) -> Any:
        """Wait for the object that rank `source` sends with this tag, and return it."""

    @abstractmethod
    def bcast_obj(self, obj: Any, max_buf_len: int | None = None, root: int = 0) -> Any:
        """Return the object of rank `root` on every rank; arguments as for `bcast`."""

    @abstractmethod
    def gather_obj(self, obj: Any, root: int = 0) -> list[Any] | None:
        """Return the objects of all ranks on rank `root`, and None on the others."""

    @abstractmethod
    def allreduce_obj(self, obj: Any) -> Any:
        """Return the objects of all ranks added by ``+`` in the order of ranks, on every rank."""

    @abstractmethod
    def reduce_scatter(self, data: Array) -> Array:
        """Return this rank's share of the sum of the arrays of all ranks (reduce-scatter).

        Args:
            data: One-dimensional array. `share` defines the shares: consecutive, the first ones longer by one element.

        Raises:
            MismatchError: Shapes or dtypes differ between ranks; raised on every rank.
        """

    # --- configuration ------------------------------------------------------------------------------------------------

    @abstractmethod
    def set_config(self, name: str, value: Any = True) -> None:
        """Set an entry of `default_config`; every rank must set the same value.

        Raises:
            ValueError: The entry does not exist, gradients cannot be sent in this dtype, or `value` is not a size.
        """

    @abstractmethod
    def get_config(self, name: str | None = None) -> Any:
        """Return an entry of the configuration, or, without a name, a dict of all entries.

        Raises:
            ValueError: The entry does not exist.
        """

    @abstractmethod
    def copy_config(self, config: Mapping[str, Any]) -> None:
        """Copy the configuration of another communicator, as returned by its `get_config`."""

    # --- means and whole models --------------------------------------------------------------------------------------

    @abstractmethod
    def mean(self, arrays: Sequence[Array]) -> list[Array]:
        """Return the means of arrays over all ranks. They are sent together, in ``allreduce_grad_dtype``.

        Args:
            arrays: Floating or complex arrays, with the same shapes and dtypes on every rank. They are not changed.

        Returns:
            A mean for each array, in its dtype. Means may be views of one new block of memory.

        Raises:
            MismatchError: Shapes or dtypes differ between ranks; raised on every rank.
            TypeError: An array is of integers or bools; raised on every rank.
        """

    def mean_of_donated(self, arrays: Sequence[Array]) -> list[Array]:
        """Like `mean`, for arrays that the caller no longer uses: their memory may be used for the result."""
        return self.mean(arrays)

    @abstractmethod
    def imean(self, arrays: Sequence[Array]) -> Request:
        """Start `mean` and return at once; `Request.wait` returns the same result as `mean`, bit for bit.

        Every rank starts the same calls in the same order. `arrays` must not change before `wait` returns. Other
        collectives may be called meanwhile. The first `imean` of a communicator calls `duplicate`, which is itself a
        collective. If `overlaps` is False, the mean is computed before this method returns.
        """

    @abstractmethod
    def bcast_data(self, model: Any) -> None:
        """Overwrite the parameters of a Link with the parameters of rank 0.

        Raises:
            MismatchError: Ranks have different parameters; raised on every rank, before anything is sent.
        """

    def broadcast_data(self, model: Any) -> None:
        """`bcast_data`, under the name that ChainerMN used before 1.0."""
        self.bcast_data(model)

    @abstractmethod
    def multi_node_mean_grad(self, model: Any, zero_fill: bool = False) -> None:
        """Replace the gradients of a Link's parameters with their means over all ranks.

        Args:
            model: The Link. The same parameters must have gradients on every rank.
            zero_fill: Use zero for missing gradients, and store the mean there. Otherwise parameters without a gradient
                are skipped.

        Raises:
            MismatchError: Ranks have gradients of different parameters, shapes or dtypes; raised on every rank. Some
                gradients may be means already.
        """

    def allreduce_grad(self, model: Any, zero_fill: bool = False) -> None:
        """`multi_node_mean_grad`, under the name that ChainerMN used before 7."""
        self.multi_node_mean_grad(model, zero_fill)

    @abstractmethod
    def finalize(self) -> None:
        """Release the communicator's resources; do not use it afterwards."""

    # --- built on the above; override for speed ---------------------------------------------------------

    def allgather_obj(self, obj: Any) -> list[Any]:
        """Return the objects of all ranks, on every rank."""
        found: list[Any] = self.bcast_obj(self.gather_obj(obj))
        return found

    def barrier(self) -> None:
        """Wait until every rank has called this."""
        self.allgather_obj(None)

    def agree(self, what: str, detail: object) -> None:
        """Check that all ranks do the same.

        Args:
            what: What the ranks are doing, for the message.
            detail: Details; anything that can be pickled, with a readable `repr`.

        Raises:
            MismatchError: Ranks passed different `what` or `detail`; raised on every rank.
        """
        given = self.allgather_obj((what, detail))
        if any(one != given[0] for one in given):
            raise MismatchError(given, self.rank)

    def share(self, length: int, rank: int | None = None) -> tuple[int, int]:
        """Return the start and end of a rank's share of this many elements; of this rank if `rank` is None."""
        rank = self.rank if rank is None else rank
        each, longer = divmod(length, self.size)
        begin = each * rank + min(rank, longer)
        return begin, begin + each + (rank < longer)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return itself: a copy of a link or iterator that communicates belongs to the same group."""
        return self
