"""Signal processing: windows, Fourier transforms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from renga_core.backend import get_array_module
from renga_nn import functions as F
from renga_onnx.load.operators.table import operator
from renga_onnx.load.operators.values import affordable, axis_of, dtype_of, number, same_as

__all__: list[str] = []


def _window(*names_and_terms: Any) -> None:
    for name, terms in names_and_terms:
        _enter_window(name, terms)


def _enter_window(name: str, terms: tuple[float, ...]) -> None:
    @operator(name, host=(0,))
    def compute(size: Any, *, output_datatype: int = 1, periodic: int = 1) -> Any:
        (n,) = affordable([number(size)], np.float64)
        at = 2 * np.pi * np.arange(n) / max(n if periodic else n - 1, 1)
        made = sum(term * np.cos(i * at) for i, term in enumerate(terms))
        return np.asarray(made, dtype_of(output_datatype)).reshape(n)


_window(
    ("HannWindow", (0.5, -0.5)),
    ("HammingWindow", (25 / 46, -21 / 46)),
    ("BlackmanWindow", (0.42, -0.5, 0.08)),
)


def _waves(length: int, points: int, onesided: bool, inverse: bool, like: Any) -> tuple[Any, Any]:
    """Cosine and sine matrices ``(length, frequencies)`` of a discrete Fourier transform."""
    bins = points // 2 + 1 if onesided and not inverse else points
    affordable([length, bins], np.float64)
    angle = -2 * np.pi * (np.outer(np.arange(length), np.arange(bins)) % points) / points
    return same_as(like, np.cos(angle)), same_as(like, np.sin(-angle if inverse else angle))


def _transform(x: Any, points: int, onesided: bool, inverse: bool) -> Any:
    """Transform ``(..., length, 1 or 2)`` along the axis before the last, as a matrix product."""
    if x.shape[-2] > points:
        x = x[..., :points, :]
    length = x.shape[-2]
    if inverse and onesided:  # the other half is the complex conjugate, mirrored
        cos, sin = _waves(length, points, False, True, x)
        twice = np.full(length, 2.0)
        twice[0] = 1.0
        if points % 2 == 0:
            twice[-1] = 1.0
        weighted = x * same_as(x, twice[:, None])
        real = (weighted[..., 0] @ cos - weighted[..., 1] @ sin) / points
        return real.reshape((*real.shape, 1))
    cos, sin = _waves(length, points, onesided, inverse, x)
    real, imaginary = x[..., 0] @ cos, x[..., 0] @ sin
    if x.shape[-1] == 2:
        real, imaginary = real - x[..., 1] @ sin, imaginary + x[..., 1] @ cos
    y = F.stack([real, imaginary], axis=-1)
    return y / points if inverse else y


@operator("DFT", host=(1, 2))
def dft(x: Any, dft_length: Any = None, axis: Any = None, *, inverse: int = 0, onesided: int = 0) -> Any:
    """Discrete Fourier transform along an axis, as a matrix product; the last axis holds real and imaginary part.

    Up to opset 19 the axis is an attribute (default 1), then an input (default -2).
    """
    along = axis_of(-2 if axis is None else int(np.asarray(axis)), x.ndim)
    order = [i for i in range(x.ndim) if i not in (along, x.ndim - 1)] + [along, x.ndim - 1]
    moved = x.transpose(tuple(order))
    own = (x.shape[along] - 1) * 2 if inverse and onesided else x.shape[along]
    y = _transform(moved, own if dft_length is None else int(number(dft_length)), bool(onesided), bool(inverse))
    return y.transpose(tuple(np.argsort(order).tolist()))


@operator("STFT", host=(1, 3))
def stft(signal: Any, frame_step: Any, window: Any = None, frame_length: Any = None, *, onesided: int = 1) -> Any:
    """Short-time Fourier transform of a signal ``(batch, length, 1 or 2)`` with a window."""
    x = signal if signal.ndim == 3 else signal.reshape((*signal.shape, 1))
    step = int(number(frame_step))
    n = window.shape[0] if frame_length is None else int(number(frame_length))
    count = 1 + (x.shape[1] - n) // step
    xp = get_array_module(x)
    pieces = x[:, xp.asarray(np.arange(count)[:, None] * step + np.arange(n))]
    if window is not None:
        pieces = pieces * window.reshape((1, 1, -1, 1))
    return _transform(pieces, n, bool(onesided), False)


@operator("MelWeightMatrix", host=range(5))
def mel_weight_matrix(
    num_mel_bins: Any,
    dft_length: Any,
    sample_rate: Any,
    lower_edge_hertz: Any,
    upper_edge_hertz: Any,
    *,
    output_datatype: int = 1,
) -> Any:
    """Triangular filters over the frequencies of a spectrum, at equal distances on the mel scale."""
    bands, points, rate = int(number(num_mel_bins)), int(number(dft_length)), int(number(sample_rate))
    affordable([points // 2 + 1, bands], np.float64)
    low, high = [2595 * math.log10(1 + number(edge) / 700) for edge in (lower_edge_hertz, upper_edge_hertz)]
    mels = low + np.arange(bands + 2) * ((high - low) / (bands + 2))
    edges = np.floor((points + 1) * (700 * (10 ** (mels / 2595) - 1)) / rate).astype(int)
    made = np.zeros((points // 2 + 1, bands))
    for i in range(bands):
        left, middle, right = edges[i : i + 3]
        if middle == left:
            made[middle, i] = 1
        else:
            made[left : middle + 1, i] = (np.arange(left, middle + 1) - left) / (middle - left)
        if right > middle:
            made[middle:right, i] = (right - np.arange(middle, right)) / (right - middle)
    return made.astype(dtype_of(output_datatype))
