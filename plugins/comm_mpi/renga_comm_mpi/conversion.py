"""Conversion to and from 16 bits, block by block in the processor's cache.

The results equal those of `narrow` and `widen` in `renga_comm_base.half`, but faster. NumPy converts float16 one number
at a time. From float16, moving bits is faster; to float16, rounding makes it slower.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from renga_comm_base.half import narrow, widen

__all__ = ["largest_magnitude", "narrow_into", "widen_into"]

_BLOCK = 2**16


def narrow_into(array: Any, scale: float, wire: str, out: Any) -> None:
    """Multiply an array, and convert it to float16 or, for ``bfloat16``, to its bits as uint16."""
    if array.dtype != np.float32:
        for block in _blocks(len(array)):
            out[block] = narrow(array[block] * scale, wire)
        return
    room = np.empty(min(_BLOCK, len(array)), np.float32)
    spare = np.empty(len(room), np.uint32)
    for block in _blocks(len(array)):
        part = room[: block.stop - block.start]
        np.multiply(array[block], np.float32(scale), out=part)
        if wire == "float16":
            out[block] = part
        else:
            _to_bfloat16(part, spare[: len(part)], out[block])


def widen_into(array: Any, divide_by: float, wire: str, out: Any) -> None:
    """The reverse: divide, and convert to an array of 32 bits or more."""
    for block in _blocks(len(array)):
        part = out[block]
        if out.dtype != np.float32:
            part[...] = widen(array[block], wire, out.dtype)
        elif wire == "float16":
            _from_float16(array[block], part)
        else:
            bits = part.view(np.uint32)
            np.copyto(bits, array[block])
            np.left_shift(bits, 16, out=bits)
        if divide_by != 1.0:
            part /= divide_by


def _to_bfloat16(part: Any, spare: Any, out: Any) -> None:
    bits = part.view(np.uint32)
    with np.errstate(over="ignore", invalid="ignore"):  # the sum itself is not needed
        finite = np.isfinite(part.sum())
    if not finite:
        out[...] = narrow(part, "bfloat16")
        return
    np.right_shift(bits, 16, out=spare)
    np.bitwise_and(spare, 1, out=spare)
    np.add(spare, 0x7FFF, out=spare)
    np.add(bits, spare, out=bits)
    np.right_shift(bits, 16, out=out, casting="unsafe")


def _from_float16(array: Any, part: Any) -> None:
    """Move exponent and mantissa into place; the result is 2**112 times too small, also for subnormal numbers."""
    bits = part.view(np.int32)
    np.copyto(bits, array.view(np.int16))
    np.left_shift(bits, 13, out=bits)
    np.bitwise_and(bits, np.int32(-0x70002000), out=bits)  # keeps the first copy of the sign
    np.multiply(part, np.float32(2.0**112), out=part)
    if np.abs(part).max() >= 65536.0:  # infinite or NaN before
        part[...] = widen(array, "float16", part.dtype)


def largest_magnitude(array: Any) -> float:
    """Return the largest magnitude of an array's finite numbers, or 0 without any."""
    largest = 0.0
    for block in _blocks(len(array)):
        part = array[block]
        own = max(float(part.max()), -float(part.min()))
        if not np.isfinite(own):
            own = float(np.abs(part[np.isfinite(part)]).max(initial=0.0))
        largest = max(largest, own)
    return largest


def _blocks(length: int) -> Iterator[slice]:
    for begin in range(0, length, _BLOCK):
        yield slice(begin, min(begin + _BLOCK, length))
