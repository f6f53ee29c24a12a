"""Converting arguments of users to initializers."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

from renga_core.backend import Array
from renga_core.errors import did_you_mean
from renga_nn.initializers.constant import Constant, Identity, NaN, One, Zero
from renga_nn.initializers.initializer import Initializer
from renga_nn.initializers.normal import GlorotNormal, HeNormal, LeCunNormal, Normal
from renga_nn.initializers.orthogonal import Orthogonal
from renga_nn.initializers.sampling import DownsamplingConvFilter, UpsamplingDeconvFilter
from renga_nn.initializers.uniform import GlorotUniform, HeUniform, LeCunUniform, Uniform

__all__ = ["get_initializer", "with_dtype"]

_BY_NAME: dict[str, Callable[[], Any]] = {
    "downsampling_conv_filter": DownsamplingConvFilter,
    "glorot_normal": GlorotNormal,
    "glorot_uniform": GlorotUniform,
    "he_normal": HeNormal,
    "he_uniform": HeUniform,
    "identity": Identity,
    "lecun_normal": LeCunNormal,
    "lecun_uniform": LeCunUniform,
    "nan": NaN,
    "normal": Normal,
    "one": One,
    "orthogonal": Orthogonal,
    "uniform": Uniform,
    "upsampling_deconv_filter": UpsamplingDeconvFilter,
    "zero": Zero,
}


def get_initializer(given: Any = None) -> Any:
    """Return the initializer for a link's argument.

    Args:
        given: None for `LeCunNormal`; a number or an array for `Constant`; a name such as ``"he_normal"``, which is
            useful in files of settings; or a callable that fills an array in place.

    Raises:
        ValueError: No initializer has this name.
        TypeError: The argument has another type.

    >>> get_initializer("he_normal")
    HeNormal(scale=1.0, fan_option='fan_in')
    """
    if given is None:
        return LeCunNormal()
    if isinstance(given, str):
        if given not in _BY_NAME:
            hint = did_you_mean(given, _BY_NAME)
            raise ValueError(f"no initializer is named {given!r}; there are: {', '.join(_BY_NAME)}.{hint}")
        return _BY_NAME[given]()
    if callable(given):
        return given
    if isinstance(given, numbers.Number) or hasattr(given, "dtype"):
        return Constant(given)
    raise TypeError(
        f"an initializer must be a callable that fills an array, a number, an array, a name or None, not {given!r}"
    )


def with_dtype(initializer: Any, dtype: Any) -> Any:
    """An initializer that does the same for `dtype`; the same one if it has a dtype already."""
    return initializer if getattr(initializer, "dtype", None) is not None else _WithDtype(initializer, dtype)


class _WithDtype(Initializer):
    """Wraps an initializer, without changing it, and adds a dtype."""

    def __init__(self, initializer: Callable[[Array], object], dtype: Any) -> None:
        super().__init__(dtype)
        self.initializer = initializer

    def __call__(self, array: Array) -> None:
        self.initializer(array)
