"""One step of an LSTM in one launch forward and one backward; the reference has some thirty.

Each thread looks after one cell.
"""

from __future__ import annotations

import math

import cupy

from renga_backend_cupy.kernels.layout import FLOATING, WIDE, Indexed
from renga_core.backend import Array

__all__ = ["LSTM", "supports"]

_PREAMBLE = f"""{WIDE}
template <class W> static __device__ inline W gate(W v) {{ return (tanh(v * (W)0.5) + 1) * (W)0.5; }}
"""

# Cell (row, unit, pixel) has its gates at (row, 4 * unit + gate, pixel) of x, if the sequence of its row goes on.
_GATES = """
    typedef typename Wide<T>::type W;
    const Index unit = id / pixels % units, row = id / (pixels * units);
    const Index at = (row * units + unit) * 4 * pixels + id % pixels;
    const bool goes_on = row < rows;
    const W a = goes_on ? tanh((W)x[at]) : 0, in = goes_on ? gate((W)x[at + pixels]) : 0;
    const W forget = goes_on ? gate((W)x[at + 2 * pixels]) : 0, out = goes_on ? gate((W)x[at + 3 * pixels]) : 0;
"""

_SIZES = "index rows, index units, index pixels"

_FORWARD = Indexed(
    f"raw T c_prev, raw T x, {_SIZES}",
    "raw T c, raw T h",
    f"""
    {_GATES}
    if (goes_on) {{
      const W made = a * in + forget * (W)c_prev[i];
      c[i] = (T)made;
      h[i] = (T)(tanh(made) * out);
    }} else {{
      c[i] = c_prev[i];
    }}
    """,
    "renga_lstm",
    preamble=_PREAMBLE,
)

_BACKWARD = Indexed(
    f"raw T c_prev, raw T x, raw T c, raw T gc, raw T gh, int32 by_cell, int32 by_output, {_SIZES}",
    "raw T gc_prev, raw T gx",
    f"""
    {_GATES}
    W here = by_cell ? (W)gc[i] : 0;
    if (goes_on) {{
      W by_out = 0;  // Without a gradient of the output, what is not finite there does not count.
      if (by_output) {{
        const W g = (W)gh[i], t = tanh((W)c[i]);
        here += g * out * (1 - t * t);
        by_out = g * t * out * (1 - out);
      }}
      gx[at] = (T)(here * in * (1 - a * a));
      gx[at + pixels] = (T)(here * a * in * (1 - in));
      gx[at + 2 * pixels] = (T)(here * (W)c_prev[i] * forget * (1 - forget));
      gx[at + 3 * pixels] = (T)by_out;
      here *= forget;
    }}
    gc_prev[i] = (T)here;
    """,
    "renga_lstm_gradient",
    preamble=_PREAMBLE,
)


def supports(c_prev: Array, x: Array) -> bool:
    """Whether the numbers are floating, and of one dtype."""
    return x.dtype.name in FLOATING and bool(c_prev.dtype == x.dtype)


class LSTM:
    """Operation ``lstm``. Half precision is computed in single, and rounded at the end."""

    @staticmethod
    def forward(c_prev: Array, x: Array) -> tuple[Array, Array]:
        """Like the reference."""
        c = cupy.empty(c_prev.shape, dtype=x.dtype)
        h = cupy.empty((x.shape[0], *c_prev.shape[1:]), dtype=x.dtype)
        if c.size:
            _FORWARD(_flat(c_prev), _flat(x), *_sizes(c_prev, x), c.reshape(-1), h.reshape(-1), size=c.size)
        return c, h

    @staticmethod
    def backward(c_prev: Array, x: Array, c: Array, gc: Array | None, gh: Array | None) -> tuple[Array, Array]:
        """Like the reference."""
        gc_prev, gx = cupy.empty(c_prev.shape, dtype=x.dtype), cupy.empty(x.shape, dtype=x.dtype)
        if c.size:
            # A gradient that is not there is not looked at; some array has to be given.
            given = [_flat(c if g is None else g.astype(x.dtype, copy=False)) for g in (gc, gh)]
            _BACKWARD(
                _flat(c_prev),
                _flat(x),
                _flat(c),
                *given,
                int(gc is not None),
                int(gh is not None),
                *_sizes(c_prev, x),
                gc_prev.reshape(-1),
                gx.reshape(-1),
                size=c.size,
            )
        return gc_prev, gx


def _sizes(c_prev: Array, x: Array) -> tuple[int, int, int]:
    return x.shape[0], c_prev.shape[1], math.prod(c_prev.shape[2:])


def _flat(x: Array) -> Array:
    return cupy.ascontiguousarray(x).reshape(-1)
