"""Matrices for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core import random
from renga_core.backend import get_backend

__all__ = ["generate_matrix"]


def generate_matrix(shape: Sequence[int], dtype: Any = float, **kwargs: Any) -> np.ndarray[Any, Any]:
    """Random matrices with given singular values.

    Args:
        shape: ``(..., M, N)``.
        dtype: A floating or complex dtype.
        **kwargs: ``singular_values``: non-negative numbers, in a shape that broadcasts to ``(..., min(M, N))``.

    Raises:
        TypeError: `kwargs` has other names.
        ValueError: There are fewer than two axes, or a dtype or singular value is invalid.

    >>> np.linalg.svd(generate_matrix((3, 2), singular_values=[5.0, 1.0]), compute_uv=False).round(6).tolist()
    [5.0, 1.0]
    """
    if set(kwargs) != {"singular_values"}:
        raise TypeError(f"generate_matrix takes only singular_values by name; got {sorted(kwargs)}")
    values, kind = np.asarray(kwargs["singular_values"]), np.dtype(dtype)
    if len(shape) < 2:
        raise ValueError(f"generate_matrix: shape {tuple(shape)} has fewer than two axes")
    if kind.kind not in "fc":
        raise ValueError(f"generate_matrix: dtype must be floating or complex, not {kind}")
    if values.dtype.kind == "c" or (values < 0).any():
        raise ValueError("generate_matrix: singular values must be non-negative real numbers")
    generator = random.generator(get_backend("numpy"))
    start = generator.normal(0, 1, tuple(shape))
    if kind.kind == "c":
        start = start + 1j * generator.normal(0, 1, tuple(shape))
    u, s, v = np.linalg.svd(start, full_matrices=False)
    return np.asarray((u * np.broadcast_to(values, s.shape)[..., None, :]) @ v).astype(kind)
