"""Compares results of a provider with correct ones; its messages differ from those of errors in a test."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import get_backend
from renga_testing.every_backend import first_difference

__all__ = ["compare"]


def compare(got: Any, right: Any, what: str, tolerance: float = 0.0, *, exact: bool = False) -> None:
    """Assert that an array of any backend, or a scalar, has the correct shape, dtype and values.

    Args:
        got: What was computed.
        right: A host array or scalar.
        what: Name of the value in the message.
        tolerance: Absolute and relative.
        exact: Bit for bit, NaN included; the tolerance does not count.

    Raises:
        AssertionError: It is wrong; the message says how.
    """
    # Use the backend that owns it: `to_host` need not accept subclasses of NumPy's arrays.
    host = np.asarray(get_backend(got).to_host(got) if hasattr(got, "dtype") else got)
    right, what = np.asarray(right), what.rstrip(",")
    assert host.shape == right.shape, f"{what}: shape {host.shape} instead of {right.shape}"
    same_dtype = host.dtype == right.dtype or host.dtype.kind == right.dtype.kind in "iu"
    assert same_dtype, f"{what}: dtype {host.dtype} instead of {right.dtype}"
    if exact:
        wrong = (host != right) & ((host == host) | (right == right))  # NaN equals NaN here
    else:
        host, right = host.astype(np.float64), right.astype(np.float64)
        wrong = ~np.isclose(host, right, rtol=tolerance, atol=tolerance, equal_nan=True)
    assert not wrong.any(), f"{what}: {first_difference(host, right, wrong)}"
