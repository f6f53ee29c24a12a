"""Kernels of one block that keep a dynamic loss scale on the GPU, for the updates of a captured step.

The *state* is two numbers in float64: the loss scale, and how many updates have been skipped. A truth value says
whether the gradients of the update that is being made are finite.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from renga_core.backend import Array

__all__ = ["FINITE", "NUMBER", "SCALE", "adjust", "choose_numbers", "scale_as"]

NUMBER, FINITE, SCALE = 0.0, 1.0, 2.0
"""The kinds of a column of numbers: it is in the table; whether gradients are finite; the loss scale."""

_MODULE = cupy.RawModule(
    code=f"""
#include <cuda_fp16.h>
#include <cuda_bf16.h>
typedef __half float16;
typedef __nv_bfloat16 bfloat16;

// A float that is rounded to float16 as `x` is, in one step: where something is cut off, its last bit is 1. x > 0.
static __device__ float cut(double x) {{
  union {{
    float value;
    unsigned int bits;
  }} made;
  made.value = (float)x;
  if ((double)made.value == x) return made.value;
  if ((double)made.value > x) made.bits -= 1;
  made.bits |= 1;
  return made.value;
}}

extern "C" __global__ void loss_scale_float16(const double* state, float16* scale) {{ *scale = (float16)cut(*state); }}
extern "C" __global__ void loss_scale_bfloat16(const double* state, bfloat16* scale) {{
  *scale = (bfloat16)(float)*state;
}}
extern "C" __global__ void loss_scale_float32(const double* state, float* scale) {{ *scale = (float)*state; }}
extern "C" __global__ void loss_scale_float64(const double* state, double* scale) {{ *scale = *state; }}

extern "C" __global__ void choose_numbers(const double* state, const unsigned char* finite, const double* table,
                                          double* numbers) {{
  const long long width = (long long)table[0], row = (long long)(state[1] - table[1]);
  const double* const kinds = table + 2;
  const double* const values = kinds + width * (1 + row);
  for (long long k = threadIdx.x; k < width; k += blockDim.x) {{
    numbers[k] = kinds[k] == {FINITE} ? (double)*finite : kinds[k] == {SCALE} ? state[0] : values[k];
  }}
}}

extern "C" __global__ void adjust_loss_scale(double* state, unsigned char* finite, double growth, double highest) {{
  const double adjusted = state[0] * (*finite ? growth : 0.5);
  state[0] = adjusted < 1 ? 1 : adjusted > highest ? highest : adjusted;
  if (!*finite) state[1] += 1;
  *finite = 1;
}}
"""
)


def scale_as(state: Array, dtype: Any, shape: tuple[int, ...]) -> Array:
    """The loss scale in an array of one element, rounded like a Python number that becomes an array of this dtype."""
    made = cupy.empty(shape, dtype=dtype)
    _MODULE.get_function(f"loss_scale_{np.dtype(dtype).name}")((1,), (1,), (state, made))
    return made


def choose_numbers(state: Array, finite: Array, table: Array, numbers: Array) -> None:
    """Bring the numbers of an update to where its kernels read them.

    Args:
        state, finite: See the module.
        table: In float64: the number of columns; how many updates were skipped where row 0 holds; the kind of each
            column; and for each update skipped since then one row more.
        numbers: Where they go, one for each column.
    """
    _MODULE.get_function("choose_numbers")((1,), (256,), (state, finite, table, numbers))


def adjust(state: Array, finite: Array, growth: float, highest: float) -> None:
    """End an update: adapt the scale like `DynamicLossScale.adjust`, count if it was skipped, begin the next one."""
    numbers = np.float64(growth), np.float64(highest)
    _MODULE.get_function("adjust_loss_scale")((1,), (1,), (state, finite, *numbers))
