"""What every communicator can do, as ChainerMN documents it."""

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
    """A group of processes that run the same program, one a device, each known by its rank.

    Collective methods are called by every rank, in the same order. Arrays may be non-contiguous or empty; results are
    arrays of their own, on the device of what was given. Objects are anything that can be pickled, and come only from
    processes of the same group. What takes arrays raises TypeError if given anything else, before it sends anything.

    A collective that ranks call differently (another collective, another shape, dtype or root) raises `MismatchError`
    on every rank: none waits for the others.

    Attributes:
        default_config: What `set_config` can set, and what holds before. ``allreduce_grad_dtype``: the dtype in which
            gradients travel, ``"float16"``, ``"bfloat16"``, ``"float32"`` or ``"float64"``; None: their own.
            ``bucket_bytes``: `multi_node_mean_grad`
            sends gradients together until they are so many bytes; 0: each by itself; None: all at once.
            ``batched_copy``: kept for ChainerMN's programs, and changes nothing: gradients that travel together are
            always copied together.
        overlaps: Whether `imean` may communicate while the caller computes: collectives of a group that `split` has
            made can be called by another thread.
    """

    default_config: ClassVar[Mapping[str, Any]]
    overlaps: ClassVar[bool] = False

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
    def send(self, data: Array | tuple[Array, ...], dest: int, tag: int) -> None:
        """Send an array, or a tuple of arrays, to rank `dest`, which receives it by `recv` with the same tag."""

    @abstractmethod
    def recv(self, source: int, tag: int) -> Any:
        """Wait for the array or tuple of arrays that rank `source` sends with this tag, and return it."""

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
        """Return the sum of the arrays of all ranks, on every rank: of bool, as in NumPy, whether any is true.

        Raises:
            MismatchError: Shapes or dtypes differ between ranks; a ValueError, raised on every rank.
            TypeError: There is no sum of this dtype (text, objects); raised on every rank.
        """

    @abstractmethod
    def send_obj(self, obj: Any, dest: int, tag: int = 0) -> None:
        """Send an object to rank `dest`."""

    @abstractmethod
    def recv_obj(self, source: int, tag: int = 0) -> Any:
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

    @abstractmethod
    def reduce_scatter(self, data: Array) -> Array:
        """Return this rank's share of the sum of all ranks' arrays.

        Args:
            data: One axis. Shares are those of `share`: one after the other, the first ones one element longer.

        Raises:
            MismatchError: Shapes or dtypes differ between ranks; raised on every rank.
        """

    # --- configuration ------------------------------------------------------------------------------------------------

    @abstractmethod
    def set_config(self, name: str, value: Any = True) -> None:
        """Set what `default_config` lists, on every rank alike.

        Raises:
            ValueError: There is no such entry, gradients cannot travel in this dtype, or `value` is not a size.
        """

    @abstractmethod
    def get_config(self, name: str | None = None) -> Any:
        """Return one entry of the configuration, or, without a name, a dict of all.

        Raises:
            ValueError: There is no such entry.
        """

    @abstractmethod
    def copy_config(self, config: Mapping[str, Any]) -> None:
        """Take over the configuration of another communicator, as `get_config` returns it."""

    # --- means, and whole models --------------------------------------------------------------------------------------

    @abstractmethod
    def mean(self, arrays: Sequence[Array]) -> list[Array]:
        """Return the means of arrays over all ranks. They travel together, in ``allreduce_grad_dtype``.

        Args:
            arrays: Floating or complex; the same shapes and dtypes on every rank. They are unchanged afterwards.

        Returns:
            One for each, in its dtype; they may be views of one block of memory, which nobody else has.

        Raises:
            MismatchError: Shapes or dtypes differ between ranks; raised on every rank.
            TypeError: There are integers or bools among them; raised on every rank.
        """

    def mean_of_donated(self, arrays: Sequence[Array]) -> list[Array]:
        """`mean` of donated arrays, which the caller uses no longer: their memory may become that of the result."""
        return self.mean(arrays)

    @abstractmethod
    def imean(self, arrays: Sequence[Array]) -> Request:
        """Begin `mean` and return at once; `Request.wait` returns what `mean` would, bit for bit.

        Every rank begins the same ones in the same order. Until they are waited for, `arrays` must not change. Other
        collectives may be called meanwhile; but the first `imean` of a communicator, be it of no arrays, calls
        `duplicate`, and so has its place among them. Where `overlaps` is False, it is done before this method returns.
        """

    @abstractmethod
    def bcast_data(self, model: Any) -> None:
        """Overwrite the parameters of a Link by those of rank 0.

        Raises:
            MismatchError: Ranks have different parameters; raised on every rank, before anything is sent.
        """

    def broadcast_data(self, model: Any) -> None:
        """`bcast_data` by the name that ChainerMN had before 1.0."""
        self.bcast_data(model)

    @abstractmethod
    def multi_node_mean_grad(self, model: Any, zero_fill: bool = False) -> None:
        """Replace the gradients of a Link's parameters by their means over all ranks.

        Args:
            model: The Link. The same parameters must have a gradient on every rank.
            zero_fill: Take zero for a gradient that is missing, and give the parameter one. Otherwise parameters
                without a gradient are passed over.

        Raises:
            MismatchError: Ranks have gradients of different parameters, shapes or dtypes; raised on every rank. Some
                gradients may be means by then.
        """

    def allreduce_grad(self, model: Any, zero_fill: bool = False) -> None:
        """`multi_node_mean_grad` by the name that ChainerMN had before 7."""
        self.multi_node_mean_grad(model, zero_fill)

    @abstractmethod
    def finalize(self) -> None:
        """Release what the communicator holds; it is not used afterwards."""

    # --- built on the above; override what can be done faster ---------------------------------------------------------

    def allgather_obj(self, obj: Any) -> list[Any]:
        """Return the objects of all ranks, on every rank."""
        found: list[Any] = self.bcast_obj(self.gather_obj(obj))
        return found

    def barrier(self) -> None:
        """Wait until every rank is here."""
        self.allgather_obj(None)

    def agree(self, what: str, detail: object) -> None:
        """Make sure that all ranks do the same.

        Args:
            what: What is being done, for the message.
            detail: How; anything that can be pickled, with a `repr` that tells people.

        Raises:
            MismatchError: Ranks gave different `what` or `detail`; raised on every rank.
        """
        given = self.allgather_obj((what, detail))
        if any(one != given[0] for one in given):
            raise MismatchError(given, self.rank)

    def share(self, length: int, rank: int | None = None) -> tuple[int, int]:
        """Where a rank's share of so many elements begins and ends; this rank's if None."""
        rank = self.rank if rank is None else rank
        each, longer = divmod(length, self.size)
        begin = each * rank + min(rank, longer)
        return begin, begin + each + (rank < longer)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Itself: a copy of a link or an iterator that communicates belongs to the same group."""
        return self
