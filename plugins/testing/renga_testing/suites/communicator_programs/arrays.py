"""The arrays that ranks send, and comparisons of received ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_core.backend import Array, get_backend, get_device, to_host
from renga_core.kinds import ARRAY_BACKEND
from renga_core.plugin import registry
from renga_testing.suites.comparing import compare

__all__ = ["CASES", "array", "check", "check_all", "dtypes", "host", "noise", "within"]

LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x,
    "non-contiguous": lambda x: x[::2, 1:],
    "transposed": lambda x: x.T,
    "empty": lambda x: x[:0],
    "with three axes": lambda x: x.reshape(2, 2, 6),
    "zero-dimensional": lambda x: x[0, 0, ...],
}
CASES = [*(("float32", layout) for layout in LAYOUTS), ("float64", "contiguous"), ("int32", "contiguous")]
"""Dtypes and layouts that each collective is tested with; a separate program tests other dtypes."""

_EVERYWHERE = ("bool", "uint8", "int32", "int64", "float32", "float64")
_OF_NUMPY = (
    *_EVERYWHERE,
    *("int8", "int16", "uint16", "uint32", "uint64", "float16", "complex64", "complex128"),
)


def dtypes(device: str) -> tuple[str, ...]:
    """The dtypes of arrays on a device: for NumPy all dtypes, for others those that every backend has."""
    name = get_device(device).backend.name
    if name == "numpy":
        return _OF_NUMPY
    half = "float16" in registry(ARRAY_BACKEND).get(name).provider.capabilities
    return (*_EVERYWHERE, "float16") if half else _EVERYWHERE


def whole(rank: int, dtype: str) -> Any:
    """A matrix of small integers, whose sums are exact; for 64-bit integers, some that float64 cannot represent."""
    numbers = np.arange(24).reshape(4, 6) + 3 * rank
    if dtype == "bool":
        return numbers % 5 == 0
    if dtype in ("int64", "uint64"):
        numbers[1] += 2**60
    return numbers.astype(dtype) * (1 + 1j) if dtype.startswith("complex") else numbers.astype(dtype)


def host(rank: int, dtype: str, layout: str = "contiguous") -> Any:
    """A rank's array, on the host."""
    return LAYOUTS[layout](whole(rank, dtype))


def array(rank: int, dtype: str, layout: str, device: str) -> Array:
    """The same on a device."""
    return LAYOUTS[layout](get_device(device).send(whole(rank, dtype)))


def noise(rank: int, shape: tuple[int, ...], seed: int = 0, dtype: str = "float32") -> Any:
    """Random numbers of very different magnitudes, on the host: their sum depends on the order."""
    random = np.random.default_rng((seed, rank))
    return (random.normal(size=shape) * 10.0 ** random.uniform(-3, 3, shape)).astype(dtype)


def check(found: Array, given: Array, right: Any, what: str) -> None:
    """Assert that a result is bitwise correct, and has the device and dtype of `given`."""
    owner, expected = get_backend(found), get_backend(given)
    assert owner is expected, f"{what}: an array of {expected.name!r} came back as an array of {owner.name!r}"
    compare(found, right, what, exact=True)
    # `compare` accepts any integer dtype for integers.
    dtype = to_host(found).dtype
    assert dtype == np.asarray(right).dtype, f"{what}: dtype {dtype} instead of {np.asarray(right).dtype}"


def check_all(found: Any, right: list[Any], what: str, device: str) -> None:
    """Assert that a result is a tuple with the right array of each rank."""
    assert isinstance(found, tuple), f"{what}: the result is a {type(found).__name__}; expected a tuple"
    assert len(found) == len(right), f"{what}: {len(found)} arrays were returned; there are {len(right)} ranks"
    for rank, (one, expected) in enumerate(zip(found, right, strict=True)):
        check(one, get_device(device).send(np.zeros(1)), expected, f"{what} the array of rank {rank}")


def within(found: Array, right: Any, bound: Any, what: str) -> None:
    """Assert that each element is within its bound of the correct one; infinities and NaN must be equal."""
    values, expected = to_host(found).astype(np.float64), np.asarray(right, np.float64)
    assert values.shape == expected.shape, f"{what}: shape {values.shape} instead of {expected.shape}"
    with np.errstate(invalid="ignore"):  # inf - inf
        near = np.abs(values - expected) <= bound
    same = (values == expected) | (np.isnan(values) & np.isnan(expected))
    wrong = np.atleast_1d(~(near | same))
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        got, wanted = np.atleast_1d(values)[place], np.atleast_1d(expected)[place]
        raise AssertionError(f"{what}: {got:.6g} instead of {wanted:.6g} ({int(wrong.sum())} of {wrong.size} elements)")
