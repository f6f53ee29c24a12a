"""Random numbers on a GPU whose state can be saved.

CuPy's own generators cannot give their state, and lack ``normal`` and ``permutation``. This one computes each number
from a key and a counter (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011; Philox4x32-10), so that
its whole state is two integers, and the numbers depend neither on the GPU nor on how the work is divided.

A *block* is one value of the counter: 128 random bits, of which each thread makes one. A call takes the blocks from
`position` on, as many as it needs: 4 floats, or 2 doubles or integers, from each.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import cupy
import numpy as np

from renga_core.backend import Array

__all__ = ["PHILOX", "PhiloxGenerator"]

_NAME = "philox4x32-10"

PHILOX = """
struct Block { unsigned int w[4]; };

static __device__ inline unsigned int high_word(unsigned int a, unsigned int b) {
  return (unsigned int)(((unsigned long long)a * b) >> 32);
}

static __device__ inline Block philox(unsigned long long key, unsigned long long counter) {
  unsigned int k0 = (unsigned int)key, k1 = (unsigned int)(key >> 32);
  unsigned int c0 = (unsigned int)counter, c1 = (unsigned int)(counter >> 32), c2 = 0, c3 = 0;
  for (int round = 0; round < 10; ++round) {
    const unsigned int h0 = high_word(0xD2511F53u, c0), l0 = 0xD2511F53u * c0;
    const unsigned int h1 = high_word(0xCD9E8D57u, c2), l1 = 0xCD9E8D57u * c2;
    c0 = h1 ^ c1 ^ k0; c1 = l1; c2 = h0 ^ c3 ^ k1; c3 = l0;
    k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
  }
  Block made; made.w[0] = c0; made.w[1] = c1; made.w[2] = c2; made.w[3] = c3;
  return made;
}

static __device__ inline unsigned long long two_words(const Block& block, int half) {
  return (unsigned long long)block.w[2 * half + 1] << 32 | block.w[2 * half];
}

// In [0, 1): the 24 or 53 highest bits, all that the type can hold.
static __device__ inline float unit_float(unsigned int word) { return (word >> 8) * 5.9604644775390625e-8f; }
static __device__ inline double unit_double(unsigned long long word) {
  return (word >> 11) * 1.1102230246251565404e-16;
}

static __device__ inline unsigned long long high_product(unsigned long long a, unsigned long long b) {
  const unsigned long long al = a & 0xffffffffull, ah = a >> 32, bl = b & 0xffffffffull, bh = b >> 32;
  const unsigned long long low = al * bl, middle = ah * bl + (low >> 32);
  const unsigned long long other = al * bh + (middle & 0xffffffffull);
  return ah * bh + (middle >> 32) + (other >> 32);
}
"""

_IN = "uint64 key, uint64 position, raw uint64 shift, int64 count"

_BLOCK = "const Block block = philox(key, position + shift[0] + i);"


def _kernel(name: str, values: int, out: str, more: str, value: str) -> Any:
    """A kernel in which each thread makes one block and writes `values` numbers, `value` computing number `k`."""
    code = f"""
        {_BLOCK}
        for (int k = 0; k < {values}; ++k) {{
          const long long at = (long long)i * {values} + k;
          if (at < count) {{ {value} }}
        }}"""
    return cupy.ElementwiseKernel(_IN + more, f"raw {out} out", code, f"renga_{name}", preamble=PHILOX)


_UNIT = {
    np.dtype(np.float32): (4, _kernel("random_f", 4, "float32", "", "out[at] = unit_float(block.w[k]);")),
    np.dtype(np.float64): (2, _kernel("random_d", 2, "float64", "", "out[at] = unit_double(two_words(block, k));")),
}

# Box and Muller, A Note on the Generation of Random Normal Deviates (1958): two uniform numbers make two normal ones.
# The first is taken from (0, 1], so that its logarithm is finite.
_NORMAL = {
    np.dtype(np.float32): (
        4,
        _kernel(
            "normal_f",
            4,
            "float32",
            "",
            """const float radius = sqrtf(-2 * logf(unit_float(block.w[k & 2]) + 5.9604644775390625e-8f));
            const float angle = 6.2831853071795864769f * unit_float(block.w[(k & 2) + 1]);
            out[at] = radius * (k & 1 ? sinf(angle) : cosf(angle));""",
        ),
    ),
    np.dtype(np.float64): (
        2,
        _kernel(
            "normal_d",
            2,
            "float64",
            "",
            """const double radius = sqrt(-2 * log(unit_double(two_words(block, 0)) + 1.1102230246251565404e-16));
            const double angle = 6.2831853071795864769 * unit_double(two_words(block, 1));
            out[at] = radius * (k ? sin(angle) : cos(angle));""",
        ),
    ),
}

# 64 bits times the range, of which the upper half counts (Lemire, arXiv:1805.10941, without the rejection: the
# probabilities of two results differ by range / 2**64 at most). A range of 0 stands for 2**64.
_INTEGERS = (
    2,
    _kernel(
        "integers",
        2,
        "int64",
        ", int64 low, uint64 range",
        """const unsigned long long word = two_words(block, k);
        out[at] = (long long)((unsigned long long)low + (range ? high_product(word, range) : word));""",
    ),
)

Size = int | Sequence[int] | None


class PhiloxGenerator:
    """A generator with the methods of NumPy's that Renga uses; their results are CuPy arrays on the current device.

    The numbers are not NumPy's. Threads may share a generator.

    Args:
        seed: A non-negative integer of any size.

    Attributes:
        key: What the seed was made into, 64 bits.
        position: Number of the next block.
    """

    def __init__(self, seed: int) -> None:
        self.key = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
        self.position = 0
        self._lock = threading.Lock()
        self._shifts: dict[int, Array] = {}

    @property
    def state(self) -> dict[str, Any]:
        """Key and position, as data that JSON can hold."""
        return {"bit_generator": _NAME, "key": self.key, "position": self.position}

    @state.setter
    def state(self, state: Mapping[str, Any]) -> None:
        if state.get("bit_generator") != _NAME:
            raise ValueError(f"this is the state of generator {state.get('bit_generator')!r}; expected {_NAME!r}")
        self.key, self.position = int(state["key"]), int(state["position"])

    def random(self, size: Size = None, dtype: Any = np.float64) -> Array:
        """Numbers from 0 up to but not including 1, in float32 or float64."""
        return self._floats(_UNIT, "random", size, dtype)

    def standard_normal(self, size: Size = None, dtype: Any = np.float64) -> Array:
        """Normal numbers with mean 0 and standard deviation 1, in float32 or float64."""
        return self._floats(_NORMAL, "standard_normal", size, dtype)

    def uniform(self, low: float = 0.0, high: float = 1.0, size: Size = None) -> Array:
        """Numbers from `low` up to `high`, in float64."""
        x = self.random(size)
        x *= high - low
        x += low
        return x

    def normal(self, loc: float = 0.0, scale: float = 1.0, size: Size = None) -> Array:
        """Normal numbers with mean `loc` and standard deviation `scale`, in float64."""
        x = self.standard_normal(size)
        x *= scale
        x += loc
        return x

    def integers(
        self, low: int, high: int | None = None, size: Size = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Array:
        """Integers from `low` (0, if `high` is None) up to but not including `high`, or including it with `endpoint`.

        Raises:
            ValueError: There are no such integers, or `dtype` cannot represent them.
        """
        first, last = (0, low) if high is None else (low, high)
        last -= not endpoint
        limits = np.iinfo(dtype)
        if not limits.min <= first <= last <= min(limits.max, np.iinfo(np.int64).max):
            raise ValueError(f"there are no integers from {first} to {last} in {np.dtype(dtype)}")
        drawn = self._draw(_INTEGERS, np.dtype(np.int64), size, first, np.uint64((last - first + 1) % 2**64))
        return drawn.astype(dtype, copy=False)

    def permutation(self, x: int | Array) -> Array:
        """The integers below `x`, or the rows of an array, in random order.

        Made by sorting random keys of 64 bits.
        """
        length = int(x) if isinstance(x, (int, np.integer)) else x.shape[0]
        order = cupy.argsort(self.integers(np.iinfo(np.int64).min, np.iinfo(np.int64).max, length, endpoint=True))
        return order if isinstance(x, (int, np.integer)) else x[order]

    # --- replay --------------------

    def shift(self, blocks: int) -> None:
        """Let kernels that are replayed, on the current device, take blocks that many further on than when captured.

        Queued on the current stream. Set it back to 0 afterwards: calls that are not replayed count by `position`.
        """
        self._shift().fill(np.uint64(blocks))

    def advance(self, blocks: int) -> int:
        """Pass over that many blocks, and return the position before."""
        with self._lock:
            before = self.position
            self.position += blocks
        return before

    def take(self, blocks: int) -> tuple[np.uint64, np.uint64, Array]:
        """Take that many blocks, for a kernel that makes numbers itself (by ``philox(key, position + shift[0] + i)``).

        Returns:
            key, position and shift, the first three arguments of such a kernel. It may be launched any number of times
            with them: the numbers are the same.
        """
        return np.uint64(self.key), np.uint64(self.advance(blocks)), self._shift()

    def _floats(self, kernels: Mapping[Any, tuple[int, Any]], name: str, size: Size, dtype: Any) -> Array:
        wanted = np.dtype(dtype)
        if wanted not in kernels:
            raise TypeError(f"{name} supports float32 and float64, not {wanted}")
        return self._draw(kernels[wanted], wanted, size)

    def _draw(self, kernel: tuple[int, Any], dtype: np.dtype[Any], size: Size, *args: Any) -> Array:
        values, launch = kernel
        shape = () if size is None else (size,) if isinstance(size, (int, np.integer)) else tuple(size)
        count = math.prod(shape)
        out = cupy.empty(shape, dtype=dtype)
        blocks = -(-count // values)
        if blocks:
            launch(*self.take(blocks), count, *args, out, size=blocks)
        return out

    def _shift(self) -> Array:
        device = cupy.cuda.Device().id
        found = self._shifts.get(device)
        if found is None:
            found = self._shifts[device] = cupy.zeros(1, dtype=np.uint64)
        return found
