"""`Communicator`: implements everything except how ranks exchange messages."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from renga_comm_base.arguments import check_arrays
from renga_comm_base.background import Background, Done
from renga_comm_base.half import half_sum, is_half, is_wide
from renga_comm_base.packing import buckets, pack, unpack
from renga_core.backend import get_device_of
from renga_core.communicator import CommunicatorBase, Request
from renga_core.errors import did_you_mean

if TYPE_CHECKING:
    from renga_core.backend import Array

__all__ = ["Communicator"]


class Communicator(CommunicatorBase):
    """A communicator with a configuration, and with means that use its collectives.

    A subclass implements the remaining abstract methods. To make means faster it overrides `mean_flat`.
    """

    default_config: ClassVar[Mapping[str, Any]] = {
        "allreduce_grad_dtype": None,
        "bucket_bytes": 25 * 2**20,
        "batched_copy": True,
    }
    _config: dict[str, Any] | None = None
    _background: Background | None = None

    def reduce_scatter(self, data: Array) -> Array:  # noqa: D102
        check_arrays("reduce_scatter", data)
        begin, end = self.share(len(data))
        return self.allreduce(data)[begin:end].copy()

    # --- configuration ------------------------------------------------------------------------------------------------

    def set_config(self, name: str, value: Any = True) -> None:  # noqa: D102
        if name not in self.default_config:
            known = ", ".join(sorted(self.default_config))
            hint = did_you_mean(name, self.default_config)
            raise ValueError(f"communicators have no configuration {name!r}.{hint} Known: {known}")
        if name == "allreduce_grad_dtype":
            value = _wire_dtype(value)
        if name == "bucket_bytes" and not (value is None or (isinstance(value, int) and value >= 0)):
            raise ValueError(f"bucket_bytes is {value!r}; it must be a number of bytes, 0 or more, or None: no limit")
        self._config = {**self.get_config(), name: value}

    def get_config(self, name: str | None = None) -> Any:  # noqa: D102
        entries = dict(self.default_config) if self._config is None else self._config
        if name is None:
            return dict(entries)
        if name not in entries:
            raise ValueError(f"communicators have no configuration {name!r}. Known: {', '.join(sorted(entries))}")
        return entries[name]

    def copy_config(self, config: Mapping[str, Any]) -> None:  # noqa: D102
        self._config = dict(config)

    # --- means, and whole models --------------------------------------------------------------------------------------

    def mean(self, arrays: Sequence[Array]) -> list[Array]:  # noqa: D102
        check_arrays("mean", *arrays)
        given = [(tuple(array.shape), str(array.dtype)) for array in arrays]
        self.agree("mean", given)
        self._refuse_integers(given)
        if self.size == 1:
            return [array.copy() for array in arrays]
        wire = self.get_config("allreduce_grad_dtype")
        means = []
        for flat in pack(arrays):
            wide = is_wide(wire, flat.dtype)
            means.append(self.mean_flat(flat.astype(wire)).astype(flat.dtype) if wide else self.mean_flat(flat))
        return unpack(means, arrays)

    def _refuse_integers(self, given: Sequence[tuple[Any, str]]) -> None:
        """Raise TypeError, after `agree`, unless arrays with these shapes and dtypes have means."""
        if whole := sorted({dtype for _, dtype in given if "int" in dtype or "bool" in dtype}):
            raise TypeError(f"means need floating or complex arrays, not {', '.join(whole)}")

    def mean_flat(self, flat: Array) -> Array:
        """The mean of one block; `flat` has one axis, and `mean` has checked that all ranks' blocks match.

        The caller of `mean` may still need the array, so it must not be changed.
        """
        wire = self.get_config("allreduce_grad_dtype")
        if is_half(wire, flat.dtype):
            return half_sum(self, flat, wire, divide_by=self.size)
        total = self.allreduce(flat)
        total /= self.size
        return total

    def imean(self, arrays: Sequence[Array]) -> Request:  # noqa: D102
        check_arrays("imean", *arrays)
        if not self.overlaps or self.size == 1:
            return Done(self.mean(arrays))
        if self._background is None:
            self._background = Background(self.duplicate())
            # A communicator that is not finalized must not leave its thread behind.
            weakref.finalize(self, self._background.end)
        return self._background.begin(arrays, self.get_config())

    def duplicate(self) -> CommunicatorBase:
        """A group of the same ranks for `imean`, so that its thread and other callers use separate groups."""
        return self.split(0, self.rank)

    def bcast_data(self, model: Any) -> None:  # noqa: D102
        named = [(path, param) for path, param in sorted(model.namedparams()) if param.is_initialized]
        self.agree("bcast_data", [(path, tuple(param.shape), str(param.dtype)) for path, param in named])
        for _, param in named:
            with get_device_of(param.array).use():  # another device may be current, whose streams do not wait
                param.array[...] = self.bcast(param.array)

    def multi_node_mean_grad(self, model: Any, zero_fill: bool = False) -> None:  # noqa: D102
        named = []
        for path, param in sorted(model.namedparams()):
            if param.is_initialized and param.grad is None and zero_fill:
                param.zerograd()
            if param.is_initialized and param.grad is not None:
                named.append((path, param))
        self.agree("multi_node_mean_grad", [path for path, _ in named])
        params = [param for _, param in named]
        for bucket in buckets([param.grad for param in params], self.get_config("bucket_bytes")):
            means = self.mean_of_donated([params[i].grad for i in bucket])
            for i, mean in zip(bucket, means, strict=True):
                params[i].grad = mean

    def finalize(self) -> None:  # noqa: D102
        if self._background is not None:
            self._background.close()
            self._background = None


def _wire_dtype(dtype: Any) -> str | None:
    """The name of a dtype in which gradients can be sent; None for None.

    Raises:
        ValueError: Gradients cannot be sent in it.
    """
    known = ("float16", "bfloat16", "float32", "float64")
    if dtype is None:
        return None
    name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", None) or str(dtype)
    if name not in known:
        raise ValueError(f"allreduce_grad_dtype is {dtype!r}; it must be one of {', '.join(known)}, or None")
    return name
