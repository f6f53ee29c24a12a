"""The part of NumPy that Renga uses: names of the namespace `xp`, and methods of arrays.

Generic code, in the library and in users' programs, uses only these names, so a backend must have them. Names in
`STANDARD` belong to the array API standard (2024.12) and have its meaning. `BEYOND` and `METHODS` are NumPy's; they are
tested on backends that declare ``numpy_names`` and ``numpy_methods``. Each has an example; the kit compares its result
with NumPy's. A test reads the library's sources, and checks that the tables are complete and have no unused name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["ATTRIBUTES", "BEYOND", "CONSTANTS", "DTYPES", "ELEMENTWISE", "METHODS", "STANDARD"]

Example = Callable[[Any, Any, Any], Any]
"""Called with `xp` and two arrays of shape ``(3, 4)``, the first with values in (0.1, 0.9); returns an array."""

ELEMENTWISE: dict[str, Callable[[Any, Any], Any]] = {
    "ceil": lambda xp, x: xp.ceil(4 * x),
    "cos": lambda xp, x: xp.cos(x),
    "cosh": lambda xp, x: xp.cosh(x),
    "exp": lambda xp, x: xp.exp(x),
    "expm1": lambda xp, x: xp.expm1(x),
    "floor": lambda xp, x: xp.floor(4 * x),
    "isfinite": lambda xp, x: xp.isfinite(x),
    "isnan": lambda xp, x: xp.isnan(x),
    "log": lambda xp, x: xp.log(x),
    "log1p": lambda xp, x: xp.log1p(x),
    "log2": lambda xp, x: xp.log2(x),
    "log10": lambda xp, x: xp.log10(x),
    "maximum": lambda xp, x: xp.maximum(x, 0.5),
    "minimum": lambda xp, x: xp.minimum(x, 0.5),
    "sign": lambda xp, x: xp.sign(x - 0.5),
    "sin": lambda xp, x: xp.sin(x),
    "sinh": lambda xp, x: xp.sinh(x),
    "sqrt": lambda xp, x: xp.sqrt(x),
    "square": lambda xp, x: xp.square(x),
    "tan": lambda xp, x: xp.tan(x),
    "tanh": lambda xp, x: xp.tanh(x),
    "trunc": lambda xp, x: xp.trunc(4 * x - 2),
    "clip": lambda xp, x: xp.clip(x, 0.3, 0.6),
    "where": lambda xp, x: xp.where(x > 0.5, x, 0.0),
    "zeros_like": lambda xp, x: xp.zeros_like(x),
    "ones_like": lambda xp, x: xp.ones_like(x),
}
"""Elementwise functions of the standard: tested on all shapes, including empty and zero-dimensional ones."""


def _composed(xp: Any, values: Any, vectors: Any) -> Any:
    """A symmetric matrix from its eigenvalues and eigenvectors; the signs of the latter are arbitrary."""
    return xp.matmul(vectors * values, vectors.T)


STANDARD: dict[str, Example] = {
    "arange": lambda xp, x, y: xp.arange(2, 12, 3),
    "argmax": lambda xp, x, y: xp.argmax(x, axis=1),
    "argmin": lambda xp, x, y: xp.argmin(x, axis=0),
    "argsort": lambda xp, x, y: xp.argsort(xp.floor(3 * x)[:, ::-1], axis=1, kind="stable"),
    "asarray": lambda xp, x, y: xp.asarray([1.0, 2.0], dtype=x.dtype),
    "broadcast_to": lambda xp, x, y: xp.broadcast_to(x[:1], (5, 4)),
    "empty": lambda xp, x, y: xp.zeros_like(xp.empty((2, 3), dtype=x.dtype)),
    "empty_like": lambda xp, x, y: xp.zeros_like(xp.empty_like(x, dtype="float32")),
    "eye": lambda xp, x, y: xp.eye(3, dtype=x.dtype),
    "full": lambda xp, x, y: xp.full((2, 3), 7.0, dtype=x.dtype),
    "matmul": lambda xp, x, y: xp.matmul(x, y.T),
    "real": lambda xp, x, y: xp.real(x.astype("complex64") * (1 + 2j)),
    "stack": lambda xp, x, y: xp.stack((x, y), axis=1),
    "zeros": lambda xp, x, y: xp.zeros((2, 0, 3), dtype=x.dtype),
    "fft.fft": lambda xp, x, y: xp.real(xp.fft.fft(x.astype("complex128"))),
    "fft.ifft": lambda xp, x, y: xp.imag(xp.fft.ifft(x.astype("complex128"))),
    "imag": lambda xp, x, y: xp.imag(x.astype("complex64") * 2j),
    "linalg.cholesky": lambda xp, x, y: xp.linalg.cholesky(xp.matmul(x, x.T) + xp.eye(3, dtype=x.dtype)),
    "linalg.det": lambda xp, x, y: xp.linalg.det(xp.stack((x[:, 1:], y[:, :3]))),
    "linalg.eigh": lambda xp, x, y: _composed(xp, *xp.linalg.eigh(xp.matmul(x, x.T))),
    "linalg.inv": lambda xp, x, y: xp.linalg.inv(xp.matmul(x, x.T) + xp.eye(3, dtype=x.dtype)),
    "linalg.qr": lambda xp, x, y: xp.matmul(*xp.linalg.qr(x)),
}

BEYOND: dict[str, Example] = {
    "arccos": lambda xp, x, y: xp.arccos(x),
    "arcsin": lambda xp, x, y: xp.arcsin(x),
    "arctan": lambda xp, x, y: xp.arctan(x),
    "arctan2": lambda xp, x, y: xp.arctan2(x - 0.5, y[:1]),
    "arctanh": lambda xp, x, y: xp.arctanh(x),
    "concatenate": lambda xp, x, y: xp.concatenate((x, y), axis=1),
    "copy": lambda xp, x, y: xp.copy(x[:, ::2]),
    "cumprod": lambda xp, x, y: xp.cumprod(x, axis=1),
    "cumsum": lambda xp, x, y: xp.cumsum(x, axis=0),
    "diagonal": lambda xp, x, y: xp.diagonal(x),
}

CONSTANTS = ("inf",)

DTYPES = ("float32", "int32", "uint8")
"""Dtypes that are attributes of `xp`. Elsewhere dtypes come from arrays, or are NumPy's."""

METHODS: dict[str, Example] = {
    "T": lambda xp, x, y: x.T,
    "all": lambda xp, x, y: (x > 0.2).all(),
    "any": lambda xp, x, y: (x > 0.8).any(),
    "argmax": lambda xp, x, y: x.argmax(axis=1),
    "astype": lambda xp, x, y: x.astype("float64", copy=False),
    "copy": lambda xp, x, y: x.copy(),
    "fill": lambda xp, x, y: _filled(x.copy()),
    "item": lambda xp, x, y: x[0, 0].item(),
    "max": lambda xp, x, y: x.max(axis=1, keepdims=True),
    "mean": lambda xp, x, y: x.mean(axis=0),
    "min": lambda xp, x, y: x.min(axis=(0, 1)),
    "prod": lambda xp, x, y: x.prod(axis=(0,), keepdims=True),
    "reshape": lambda xp, x, y: x.reshape(2, -1),
    "squeeze": lambda xp, x, y: x[:1].squeeze(0),
    "sum": lambda xp, x, y: x.sum(axis=(0,), keepdims=True),
    "swapaxes": lambda xp, x, y: x.swapaxes(0, 1),
    "transpose": lambda xp, x, y: x.transpose(1, 0),
}

ATTRIBUTES = ("dtype", "ndim", "shape", "size")
"""Other attributes of arrays. A dtype equals NumPy's of the same name, and has ``kind`` and ``itemsize``."""


def _filled(x: Any) -> Any:
    x.fill(2.0)
    return x
