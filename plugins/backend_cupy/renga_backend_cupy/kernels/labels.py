"""Labels of cross entropy: classes, weights, and whether all are in range, in one launch of one block."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from renga_backend_cupy.kernels.rows import module
from renga_core.backend import Array

__all__ = ["LabelWeights", "supports"]

_LARGEST = 1 << 16
"""Entries that one block goes through in less time than the launches that it saves."""

_THREADS = 256

_SOURCE = """
struct Found {
  long long counted;
  int in_range;
};

static __device__ Found joined(const Found& a, const Found& b) {
  Found made;
  made.counted = a.counted + b.counted, made.in_range = a.in_range && b.in_range;
  return made;
}

// A label that is out of range makes its weight NaN: no kernel looks up its class.
template <class I, class W> static __device__ void label_weights(
    const I* labels, long long* found, W* weight, unsigned char* in_range, long long size, long long classes,
    long long ignore, long long number) {
  const Place place(1, 1);
  Found mine;
  mine.counted = 0, mine.in_range = 1;
  for (long long k = threadIdx.x; k < size; k += blockDim.x) {
    const long long label = labels[k];
    mine.counted += label != ignore;
    mine.in_range = mine.in_range && (label == ignore || (label >= 0 && label < classes));
  }
  const Found all = joined_of_team(mine, place);
  const W divisor = number ? (W)number : (W)(all.counted > 1 ? all.counted : 1);
  for (long long k = threadIdx.x; k < size; k += blockDim.x) {
    const long long label = labels[k];
    const bool counts = label != ignore, fits = label >= 0 && label < classes;
    found[k] = counts && fits ? label : 0;
    weight[k] = counts ? (fits ? 1 / divisor : (W)0 / (W)0) : (W)0;
  }
  if (threadIdx.x == 0) in_range[0] = all.in_range;
}
"""

_ENTRIES = "".join(
    f"""
extern "C" __global__ void label_weights_{integer}_{wide}(
    const {i}* labels, long long* found, {w}* weight, unsigned char* in_range, long long size, long long classes,
    long long ignore, long long number) {{
  label_weights<{i}, {w}>(labels, found, weight, in_range, size, classes, ignore, number);
}}
"""
    for integer, i in (("int32", "int"), ("int64", "long long"))
    for wide, w in (("float32", "float"), ("float64", "double"))
)

_MODULE = module(_SOURCE + _ENTRIES)


def supports(labels: Array, classes: int, ignore_label: int, number: int, check: bool, dtype: Any) -> bool:
    """Whether labels are integers, and not too many for one block."""
    known = labels.dtype.name in ("int32", "int64") and np.dtype(dtype).name in ("float32", "float64")
    return known and 0 < labels.size <= _LARGEST


class LabelWeights:
    """Operation ``label_weights``."""

    @staticmethod
    def forward(
        labels: Array, classes: int, ignore_label: int, number: int, check: bool, dtype: Any
    ) -> tuple[Array, Array, Array | None]:
        """Like the reference; but a label out of range has class 0, and NaN as its weight."""
        found = cupy.empty(labels.shape, dtype=np.int64)
        weight = cupy.empty(labels.shape, dtype=dtype)
        in_range = cupy.empty((), dtype=np.uint8)
        numbers = [np.int64(n) for n in (labels.size, classes, ignore_label, number)]
        function = _MODULE.get_function(f"label_weights_{labels.dtype.name}_{np.dtype(dtype).name}")
        function((1,), (_THREADS,), (cupy.ascontiguousarray(labels), found, weight, in_range, *numbers))
        return found, weight, in_range.view(np.bool_) if check else None
