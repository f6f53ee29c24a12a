"""A compiled function, as a program calls it."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from renga_backend_numpy.arrays import address
from renga_compile.fused import compiling
from renga_compile.fused.groups import Group
from renga_compile.fused.kernel_source import StageSource, sources_of
from renga_compile.fused.stages import places
from renga_compile.fused.statements import Spec
from renga_kernels_numba import threads

__all__ = ["Kernel", "kernel_of"]

_SHORT = 1 << 18  # bytes of arrays


def kernel_of(group: Group, specs: Mapping[str, Spec]) -> Kernel:
    """A compiled function that takes the inputs of a group, then its outputs.

    Raises:
        Exception: It cannot be compiled, or a library is missing.
    """
    arrays = [*group.inputs, *[each.result for each in group.outputs]]
    return Kernel(sources_of(group, specs), {name: specs[name].order for name in arrays}, compiling.compiled)


class Kernel:
    """Computes a group: its stages, one after the other.

    Args:
        sources: Sources of the stages.
        arrays: Arrays of a call by name, with their strides.
        compiled: Function from source and signature to the address of the machine code.

    Raises:
        Exception: A source cannot be compiled.
    """

    def __init__(
        self,
        sources: Sequence[StageSource],
        arrays: Mapping[str, tuple[int, ...]],
        compiled: Callable[[str, str], int],
    ) -> None:
        uses = [dict(zip(source.arguments, source.sizes, strict=True)) for source in sources]
        own = [{name: size for name, size in used.items() if name not in arrays} for used in uses]
        found, self._memory = places(own)
        self._offsets = tuple(found.values())
        self._strides = tuple(arrays.values())
        names = [*arrays, *found]
        self._stages = [_Stage(source, names, compiled(source.text, source.signature)) for source in sources]

    def __call__(self, *arrays: Any) -> None:
        """Compute the group. All arrays have the shapes and dtypes of the recorded ones.

        Args:
            arrays: Inputs, then outputs.
        """
        # An input whose memory order differs from the recorded one is copied.
        arrays = tuple(
            [
                x if x.strides == strides and type(x) is np.ndarray else _in_order(x, strides)
                for x, strides in zip(arrays, self._strides, strict=True)
            ]
        )
        addresses = list(map(address, arrays))
        if self._memory:
            memory = np.empty(self._memory, np.uint8)
            start = address(memory)
            addresses += [start + offset for offset in self._offsets]
        for stage in self._stages:
            stage(addresses)


class _Stage:
    def __init__(self, source: StageSource, names: Sequence[str], code: int) -> None:
        count = len(source.arguments)
        self._pieces = source.pieces
        self._pack = struct.Struct(f"{count + 2}q").pack
        self._data = (ctypes.c_char * (8 * count + 16)).from_buffer_copy
        take = itemgetter(*[names.index(name) for name in source.arguments])
        self._take = take if count > 1 else lambda addresses: (take(addresses),)
        # Short work holds the GIL: releasing it would take longer.
        short = source.pieces == 1 and sum(source.sizes) < _SHORT
        self._function = (ctypes.PYFUNCTYPE if short else ctypes.CFUNCTYPE)(None, ctypes.c_void_p)(code)

    def __call__(self, addresses: Sequence[int]) -> None:
        data = self._data(self._pack(0, self._pieces, *self._take(addresses)))
        if self._pieces == 1:
            self._function(data)
        else:
            threads.in_parallel(self._function, data, self._pieces)


def _in_order(x: Any, strides: tuple[int, ...]) -> Any:
    """Return an array with these strides, copied if necessary; strides of axes of length 1 do not matter."""
    if type(x) is np.ndarray and all(a == b or n == 1 for a, b, n in zip(x.strides, strides, x.shape, strict=True)):
        return x
    last = sum([(length - 1) * stride for length, stride in zip(x.shape, strides, strict=True)])
    copy = as_strided(np.empty(last // x.itemsize + 1, x.dtype), x.shape, strides)
    copy[...] = x
    return copy
