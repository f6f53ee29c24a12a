"""Activation functions: one launch forward and one backward, where the reference has up to five.

Each is two expressions: of the value ``v``, and of the gradient ``g`` with the kept value ``k`` (y or x).
They compute in single precision for half, and NaN stays NaN. A thread reads and writes 16 bytes at once, where arrays
begin at a multiple of 16; the few elements at the end, one by one.
"""

from __future__ import annotations

from typing import Any

import cupy

from renga_backend_cupy.kernels.layout import FLOATING, WIDE, dense, empty, memory_order
from renga_core.backend import Array

__all__ = [
    "Activation",
    "clipped_relu",
    "elu",
    "hard_sigmoid",
    "leaky_relu",
    "relu",
    "sigmoid",
    "softplus",
    "supports",
    "tanh",
]

_VECTOR = 16
"""Bytes that a thread reads at once."""

_PREAMBLE = f"""{WIDE}
template <class T> struct alignas({_VECTOR}) Vector {{ T of[{_VECTOR} / sizeof(T)]; }};

// Neither form can overflow.
template <class W> static __device__ inline W logistic(W v) {{
  const W e = exp(-fabs(v));
  return (v >= 0 ? 1 : e) / (1 + e);
}}
"""


def supports(x: Array, *parameters: float) -> bool:
    """Whether the numbers are floating."""
    return x.dtype.name in FLOATING


def _loop(given: tuple[str, ...], made: str, body: str) -> str:
    """The elements of a thread, in C++: `body` computes one; the element of an array is named as it, and ``_``."""
    vectors = " ".join(f"const Vector<T> {x}s = *(const Vector<T>*)&{x}[first];" for x in given)
    of_vectors = " ".join(f"const T {x}_ = {x}s.of[n];" for x in given)
    of_arrays = " ".join(f"const T {x}_ = {x}[at];" for x in given)
    return f"""
    const int together = {_VECTOR} / sizeof(T);
    const long long first = (long long)i * together;
    if (vectors && first + together <= count) {{
      {vectors}
      Vector<T> made;
      for (int n = 0; n < together; ++n) {{ {of_vectors} T& {made}_ = made.of[n]; {body} }}
      *(Vector<T>*)&{made}[first] = made;
    }} else {{
      for (long long at = first; at < first + together && at < count; ++at) {{
        {of_arrays} T& {made}_ = {made}[at]; {body}
      }}
    }}"""


class Activation:
    """The operation of an activation function.

    Args:
        name: Its name, for profilers.
        forward: ``f(v)`` in C++.
        backward: ``f'(x) * g`` in C++, by `k`.
        parameter: Name of its one parameter, if it has one; in the precision of the array.
    """

    def __init__(self, name: str, forward: str, backward: str, parameter: str = "") -> None:
        more = f", float64 {parameter}_" if parameter else ""
        given = "typedef typename Wide<T>::type W;"
        if parameter:
            given += f" const W {parameter} = (W)(T){parameter}_;"
        self._forward = cupy.ElementwiseKernel(
            f"raw T x{more}, int64 count, int32 vectors",
            "raw T y",
            f"{given} {_loop(('x',), 'y', f'const W v = (W)x_; y_ = (T)({forward});')}",
            f"renga_{name}",
            preamble=_PREAMBLE,
        )
        self._backward = cupy.ElementwiseKernel(
            f"raw T kept, raw T gy{more}, int64 count, int32 vectors",
            "raw T gx",
            f"{given} {_loop(('kept', 'gy'), 'gx', f'const W k = (W)kept_, g = (W)gy_; gx_ = (T)({backward});')}",
            f"renga_{name}_gradient",
            preamble=_PREAMBLE,
        )

    def forward(self, x: Array, *parameters: float) -> Array:
        """Like the reference."""
        order = memory_order(x)
        flat, y = empty(x.shape, order, x.dtype)
        if flat.size:
            _launch(self._forward, (dense(x, order),), parameters, flat)
        return y

    def backward(self, kept: Array, gy: Array, *parameters: float) -> Array:
        """Like the reference."""
        order = memory_order(kept)
        flat, gx = empty(kept.shape, order, kept.dtype)
        if flat.size:
            gy = gy.astype(kept.dtype, copy=False)
            _launch(self._backward, (dense(kept, order), dense(gy, order)), parameters, flat)
        return gx


def _launch(kernel: Any, given: tuple[Array, ...], parameters: tuple[float, ...], made: Array) -> None:
    vectors = all(x.data.ptr % _VECTOR == 0 for x in (*given, made))
    together = _VECTOR // made.dtype.itemsize
    kernel(*given, *parameters, made.size, int(vectors), made, size=-(-made.size // together))


relu = Activation("relu", "v <= 0 ? 0 : v", "g * (W)(k > 0)")
sigmoid = Activation("sigmoid", "logistic(v)", "g * k * (1 - k)")
tanh = Activation("tanh", "tanh(v)", "g * (1 - k * k)")
hard_sigmoid = Activation(
    "hard_sigmoid",
    "v < (W)-2.5 ? 0 : v > (W)2.5 ? 1 : v * (W)0.2 + (W)0.5",
    "g * (W)(k > 0 && k < 1) * (W)0.2",
)
clipped_relu = Activation("clipped_relu", "v < 0 ? 0 : v > z ? z : v", "g * (W)(k > 0 && k < z)", "z")
leaky_relu = Activation("leaky_relu", "v > 0 ? v : v * slope", "g * (k > 0 ? 1 : slope)", "slope")
elu = Activation("elu", "v > 0 ? v : alpha * expm1(v)", "g * (k > 0 ? 1 : alpha * exp(k))", "alpha")
softplus = Activation(
    "softplus",
    "((v * beta > 0 ? v * beta : 0) + log1p(exp(-fabs(v * beta)))) / beta",
    "g * logistic(k * beta)",
    "beta",
)
