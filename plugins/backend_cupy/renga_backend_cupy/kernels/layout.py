"""Arrays as their memory lies: what the kernels here are given, and what they return.

A kernel of one thread for each element need not know which axis is which, as long as its arrays lie alike. So that
neither transposed images nor images with channels last are copied, the axes are taken in the order in which they lie.
"""

from __future__ import annotations

from typing import Any

import cupy

from renga_core.backend import Array

__all__ = ["FLOATING", "FOUR", "WIDE", "Indexed", "dense", "empty", "in_fours", "memory_order"]

Ints = tuple[int, ...]

FLOATING = ("float16", "bfloat16", "float32", "float64")

WIDE = """
template <class T> struct Wide { typedef T type; };
template <> struct Wide<float16> { typedef float type; };
template <> struct Wide<bfloat16> { typedef float type; };
"""
"""For the preamble of kernels: ``typename Wide<T>::type`` is what to compute in."""

FOUR = """
template <class T> struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) Four { T of[4]; };
"""
"""Source of four elements that a thread reads or writes at once, 8 or 16 bytes at a time; see `in_fours`."""

_ALIGNMENT = 16

_NARROW = 2**31
"""Arrays of fewer elements are indexed by 32 bits."""


class Indexed:
    """An elementwise kernel with 32-bit indexes, or 64-bit ones for large arrays, because dividing them is slow.

    Args:
        inputs, outputs: See ``cupy.ElementwiseKernel``; ``index`` is the type of sizes.
        code: Source in C++, in which `Index` is that type, and `id` the number of the thread.
        name: Name for profilers.
        preamble: Source before the kernel.
    """

    def __init__(self, inputs: str, outputs: str, code: str, name: str, preamble: str = WIDE) -> None:
        self.narrow, self.wide = (
            cupy.ElementwiseKernel(
                inputs.replace("index ", f"{dtype} "),
                outputs,
                f"typedef {index} Index; const Index id = (Index)i; {code}",
                name,
                preamble=preamble,
            )
            for dtype, index in (("int32", "int"), ("int64", "long long"))
        )

    def __call__(self, *args: Any, size: int) -> None:
        """Launch it on arrays without gaps and numbers, in `size` threads."""
        largest = max(x.size for x in args if isinstance(x, cupy.ndarray))
        (self.narrow if largest < _NARROW else self.wide)(*args, size=size)


def in_fours(*arrays: Array) -> bool:
    """Whether the addresses of these arrays allow to read four elements at once."""
    return all(x.data.ptr % _ALIGNMENT == 0 for x in arrays)


def memory_order(x: Array) -> Ints:
    """The axes, the outermost in memory first."""
    return tuple(sorted(range(x.ndim), key=lambda axis: -x.strides[axis]))


def dense(x: Array, order: Ints) -> Array:
    """All elements with the axes in that order, as one axis; copied if they do not lie so."""
    return cupy.ascontiguousarray(x.transpose(order)).reshape(-1)


def empty(shape: Ints, order: Ints, dtype: Any) -> tuple[Array, Array]:
    """Return a new array whose axes have that order in memory: as one axis, for writing, and in its shape."""
    made = cupy.empty(tuple([shape[axis] for axis in order]), dtype=dtype)
    back = [order.index(axis) for axis in range(len(shape))]
    return made.reshape(-1), made.transpose(back)
