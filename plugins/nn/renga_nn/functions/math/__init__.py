"""Mathematics: element by element, reductions, products.

- From the core: `absolute`, `sum`. `arithmetic`: `add` of several arrays, `matmul` with transposed factors.
- `exponential`: `exp`, `expm1`, `log`, `log1p`, `sqrt`. `trigonometric`: `sin`, `cos`. `square`: also
  `batch_l2_norm_squared`. `rounding`: `floor`, `ceil`, `sign`, which are constants to the graph.
- `extremes`: `maximum` and `minimum` of two arrays, `clip`.
- `reduction`: `average`, also called `mean`, `max`, `min`, `logsumexp`. `argmax`: where they are; also `argmin`.
"""

from renga_core.graph.operators import absolute, sum
from renga_nn.functions.math.argmax import argmax, argmin
from renga_nn.functions.math.arithmetic import add, matmul
from renga_nn.functions.math.exponential import exp, expm1, log, log1p, sqrt
from renga_nn.functions.math.extremes import clip, maximum, minimum
from renga_nn.functions.math.reduction import average, logsumexp, max, mean, min
from renga_nn.functions.math.rounding import ceil, floor, sign
from renga_nn.functions.math.square import batch_l2_norm_squared, square
from renga_nn.functions.math.trigonometric import cos, sin

__all__ = [
    "absolute",
    "add",
    "argmax",
    "argmin",
    "average",
    "batch_l2_norm_squared",
    "ceil",
    "clip",
    "cos",
    "exp",
    "expm1",
    "floor",
    "log",
    "log1p",
    "logsumexp",
    "matmul",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "sign",
    "sin",
    "sqrt",
    "square",
    "sum",
]
