"""Filters for upsampling and downsampling images by linear interpolation."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from renga_core.backend import Array, get_device
from renga_nn.initializers.initializer import Initializer

__all__ = ["DownsamplingConvFilter", "UpsamplingDeconvFilter"]


class _SamplingFilter(Initializer):
    """The base class: each channel has its own filter, and channels are independent."""

    def __init__(self, interpolation: Literal["linear"] = "linear", dtype: Any = None) -> None:
        super().__init__(dtype)
        if interpolation != "linear":
            raise ValueError(f"{type(self).__name__}: interpolation must be 'linear', not {interpolation!r}")
        self.interpolation = interpolation

    def __call__(self, array: Array) -> None:
        """Fill `array` in place.

        Raises:
            ValueError: `array` does not contain filters ``(C, C, k, ...)`` or ``(C, 1, k, ...)`` of equal size along
                all axes.
        """
        name, shape = type(self).__name__, tuple(array.shape)
        if array.ndim < 3 or shape[1] not in (1, shape[0]) or len(set(shape[2:])) > 1:
            raise ValueError(f"{name} can fill only filters (C, C, k, ...) or (C, 1, k, ...), not {shape}")
        filters = np.zeros(shape)
        channels = np.arange(shape[0])
        filters[channels, channels if shape[1] > 1 else 0] = self._scaled(_tent(shape[2], array.ndim - 2))
        array[...] = get_device(array).send(filters.astype(str(array.dtype)))

    def _scaled(self, tent: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        raise NotImplementedError


class UpsamplingDeconvFilter(_SamplingFilter):
    """Fill the filters of a deconvolution so that it upsamples images (Long et al. 2015, section 3.3).

    With a stride of ``(ksize + 1) // 2``, new pixels are interpolated linearly.

    Args:
        interpolation: ``"linear"``.
        dtype: See `Initializer`.

    Raises:
        ValueError: There is no such interpolation.

    >>> import numpy as np
    >>> W = np.empty((1, 1, 3))
    >>> UpsamplingDeconvFilter()(W)
    >>> W.tolist()
    [[[0.5, 1.0, 0.5]]]
    """

    def _scaled(self, tent: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return tent


class DownsamplingConvFilter(_SamplingFilter):
    """Fill the filters of a convolution so that it downsamples images, by means weighted by distance.

    Use a stride of ``(ksize + 1) // 2``.

    Args:
        interpolation: ``"linear"``.
        dtype: See `Initializer`.

    Raises:
        ValueError: There is no such interpolation.

    >>> import numpy as np
    >>> W = np.empty((1, 1, 3))
    >>> DownsamplingConvFilter()(W)
    >>> W.tolist()
    [[[0.25, 0.5, 0.25]]]
    """

    def _scaled(self, tent: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.asarray(tent / tent.sum())


def _tent(size: int, n_axes: int) -> np.ndarray[Any, Any]:
    """A product over the axes of weights that decrease linearly from the center."""
    factor = (size + 1) // 2
    centre = (size - 1) / 2
    slope = 1 - np.abs(np.arange(size) - centre) / factor
    tent = np.ones((size,) * n_axes)
    for axis in range(n_axes):
        tent *= slope.reshape(-1, *(1,) * axis)
    return tent
