"""CuPy as a backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import cupy
import numpy as np
from cupy.lib.stride_tricks import as_strided

from renga_backend_cupy.generator import PhiloxGenerator
from renga_backend_cupy.placing import follow_arrays
from renga_backend_cupy.probe import unavailable
from renga_backend_cupy.transfers import unpinned
from renga_core.backend import Array, Backend
from renga_core.backend.special import floating_dtype

__all__ = ["CupyBackend"]

_DLPACK_CPU = 1
"""``kDLCPU`` of DLPack's device types."""


class CupyBackend(Backend):
    """Arrays in the memory of NVIDIA GPUs.

    Work is queued on CuPy's current stream of the current device (``with cupy.cuda.Stream(): …``), and memory comes
    from CuPy's pools, so that programs use streams and pools as CuPy documents them.

    Raises:
        RuntimeError: There is no GPU that CuPy could use.
    """

    name = "cupy"
    xp = cupy
    array_types = (cupy.ndarray,)

    def __init__(self) -> None:
        reason = unavailable()
        if reason is not None:
            raise RuntimeError(f"backend 'cupy' cannot be used: {reason}. `renga plugins list` shows other backends.")
        if self.device_count() > 1:
            follow_arrays()

    # --- devices --------------------

    def device_count(self) -> int:  # noqa: D102 - the protocol's
        return int(cupy.cuda.runtime.getDeviceCount())

    def device_name(self, index: int) -> str:
        """``cupy:0``, even if there is only one GPU: a program names the same device on every machine."""
        return f"{self.name}:{index}"

    def device_index(self, array: Array) -> int:  # noqa: D102
        return int(array.device.id)

    def use_device(self, index: int) -> AbstractContextManager[object]:  # noqa: D102
        device: AbstractContextManager[object] = cupy.cuda.Device(index)
        return device

    def synchronize(self) -> None:
        """Wait for all streams of the current device."""
        cupy.cuda.Device().synchronize()

    def memory_info(self, index: int = 0) -> Mapping[str, int]:
        """Bytes of the device, and of CuPy's pools.

        Returns:
            ``used`` and ``total`` of the device, by anybody; ``pool_used``, by arrays of this process; ``pool_total``,
            what its pool holds, arrays and free blocks; ``pinned_free_blocks``, a number of blocks in host memory.
        """
        device = cupy.cuda.Device(index)
        with device:
            free, total = device.mem_info
            pool = cupy.get_default_memory_pool()
            return {
                "used": int(total - free),
                "total": int(total),
                "pool_used": int(pool.used_bytes()),
                "pool_total": int(pool.total_bytes()),
                "pinned_free_blocks": int(cupy.get_default_pinned_memory_pool().n_free_blocks()),
            }

    # --- transfers --------------------

    def asarray(self, value: object, index: int = 0) -> Array:
        """See the protocol. Host arrays go through pinned memory: the copy runs in the background."""
        if isinstance(value, cupy.ndarray) and value.device.id != index:
            return _copy_to_device(value, index)
        with cupy.cuda.Device(index):
            return cupy.asarray(unpinned(value))

    def to_host(self, array: Array) -> np.ndarray[Any, Any]:
        """See the protocol. Waits for earlier work on the current stream."""
        host: np.ndarray[Any, Any] = cupy.asnumpy(array)
        return host

    def from_dlpack(self, array: Any) -> Array:
        """See the protocol. What lives on the host is copied to the current device."""
        if array.__dlpack_device__()[0] == _DLPACK_CPU:
            return cupy.asarray(np.from_dlpack(array))
        return cupy.from_dlpack(array)

    def upload(self, array: np.ndarray[Any, Any], index: int = 0, stream: Any = None) -> Callable[[], Array]:
        """See the protocol: through pinned memory, on `stream` (a ``cupy.cuda.Stream``) or one for all uploads."""
        from renga_backend_cupy.transfers import upload

        return upload(array, index, stream)

    # --- random numbers --------------------

    def make_generator(self, seed: int) -> PhiloxGenerator:  # noqa: D102
        return PhiloxGenerator(seed)

    def generator_state(self, generator: PhiloxGenerator) -> dict[str, Any]:  # noqa: D102
        return generator.state

    def set_generator_state(self, generator: PhiloxGenerator, state: Mapping[str, Any]) -> None:  # noqa: D102
        generator.state = state

    # --- primitives --------------------

    def assign(self, target: Array, value: Any) -> None:
        """See the protocol: on the device of `target`, in order with its current stream."""
        with target.device:
            super().assign(target, value)

    def scatter_add(self, target: Array, index: Any, values: Array) -> None:
        """See the protocol: by atomic additions: their order, and so a sum's last bits, differ from run to run."""
        cupy.add.at(target, index, values)

    def sliding_windows(  # noqa: D102
        self, x: Array, window: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
    ) -> Array:
        first = x.ndim - len(window)
        outputs, outer, inner = [], [], []
        for axis, (k, s, d) in enumerate(zip(window, stride, dilation, strict=True), first):
            outputs.append((x.shape[axis] - d * (k - 1) - 1) // s + 1)
            outer.append(x.strides[axis] * s)
            inner.append(x.strides[axis] * d)
        if min(outputs) < 1:
            raise ValueError(f"a window of {tuple(window)} does not fit into {x.shape[first:]}")
        shape = (*x.shape[:first], *outputs, *window)
        return as_strided(x, shape, (*x.strides[:first], *outer, *inner))

    def special(self, name: str) -> Callable[..., Array]:
        """See the protocol. CuPy computes the function if it has it, else the host does."""
        import cupyx.scipy.special  # compiled code for many functions that few programs use

        function = getattr(cupyx.scipy.special, name, None)
        if name.startswith("_") or not callable(function):
            return super().special(name)

        def call(*values: Any) -> Array:
            dtype = floating_dtype(*values)
            # Not all of CuPy's take scalars; a fraction must not make a computation one in double precision.
            arrays = [cupy.asarray(v, dtype if isinstance(v, float) else None) for v in values]
            return function(*arrays).astype(dtype, copy=False)

        call.__name__ = name
        return call


def _copy_to_device(array: Array, index: int) -> Array:
    """A copy on another device, in order with the current streams of both: neither overtakes the copy."""
    source, target = array.device, cupy.cuda.Device(index)
    with source:
        array = cupy.ascontiguousarray(array)  # CuPy would do it in the copy, where nobody waits for it
        made = cupy.cuda.Event(disable_timing=True)
        made.record()
    with target:
        cupy.cuda.get_current_stream().wait_event(made)
        copy = array.copy()
        copied = cupy.cuda.Event(disable_timing=True)
        copied.record()
    with source:
        cupy.cuda.get_current_stream().wait_event(copied)
    return copy
