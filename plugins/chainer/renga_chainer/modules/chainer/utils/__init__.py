"""``chainer.utils``: Renga's, and helpers that programs and tests for Chainer use."""

from __future__ import annotations

import collections.abc as collections_abc
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from renga_chainer.backend import is_arrays_compatible

__all__ = ["collections_abc", "experimental"]


def experimental(api_name: str) -> None:
    """Warn that a feature is experimental, unless ``chainer.disable_experimental_feature_warning`` is set."""
    if not sys.modules["chainer"].disable_experimental_feature_warning:
        warnings.warn(
            f"{api_name} is experimental. The interface can change in the future.", FutureWarning, stacklevel=3
        )


def _format_array_props(arrays: Sequence[Any]) -> str:
    """Return shapes and dtypes of arrays as text: ``(2, 3) float32, None``."""
    return ", ".join(str(None) if x is None else f"{x.shape}:{x.dtype.name}" for x in arrays)


def _repr_with_named_data(inst: Any, **kwargs: Any) -> str:
    """Return ``<module.Class name=value …>``."""
    data = " ".join(f"{name}={value}" for name, value in kwargs.items())
    return f"<{type(inst).__module__}.{type(inst).__qualname__} {data}>"


def _check_arrays_forward_compatible(arrays: Sequence[Any], label: str | None = None) -> None:
    """Check that all arrays belong to one library.

    Raises:
        TypeError: They do not.
    """
    if not is_arrays_compatible(arrays):
        of = "" if label is None else f" ({label})"
        kinds = ", ".join(str(type(x)) for x in arrays)
        raise TypeError(f"incompatible array types are mixed in the forward input{of}.\nActual: {kinds}")


def _raise_from(exc_type: type[Exception], message: str, orig_exc: BaseException) -> NoReturn:
    """Raise an error that quotes its cause."""
    error = exc_type(f"{message}\n\n(caused by)\n{type(orig_exc).__name__}: {orig_exc}\n")
    raise error.with_traceback(orig_exc.__traceback__) from None
