"""Mathematical functions: elementwise functions, reductions, products, linear algebra.

Elementwise functions of one array (`exp`, `sin`, `erf` …) return a Variable of the same shape and dtype. They raise
`InvalidType` for dtypes that are not floating; only `absolute` and rounding functions accept integers.

- From the core: `absolute`, `sum`. `arithmetic`: `add` of several arrays, `linear_interpolate`; `scale` and `bias`
  along named axes; `matmul` and `batch_matmul` with transposed factors. `square`: also `squared_difference`,
  `batch_l2_norm_squared`.
- `exponential`: `exp`, `expm1`, `log`, `log1p`, `log2`, `log10`, `sqrt`, `rsqrt`. `trigonometric`: `sin`, `cos`, `tan`,
  and their inverses `arcsin`, `arccos`, `arctan`, `arctan2`. `hyperbolic`: `sinh`, `cosh`, `arctanh`.
- `rounding`: `floor`, `ceil`, `fix`, `sign`, which have no gradient, and `fmod`.
- `extremes`: `maximum` and `minimum` of two arrays, `clip`.
- `reduction`: `average`, also called `mean`, `max`, `min`, `logsumexp`. `argmax`: also `argmin`.
- `cumulative`: `cumsum`, `cumprod`, and `prod`.
- `einsum`: general products and sums; also `tensordot`. `sparse_matmul`: products with a matrix of `renga_nn.sparse`.
- `linear_algebra`: `inv` and `det`, also of batches, and `cholesky`. `fourier`: `fft`, `ifft`.
- `error_function`: `erf`, `erfc`, `erfcx`, `erfinv`, `erfcinv`. `normal_distribution`: `ndtr`, `log_ndtr`, `ndtri`.
  `gamma_function`: `lgamma`, `digamma`, `polygamma`, `zeta`.
"""

from renga_core.graph.operators import absolute, sum
from renga_nn.functions.math.argmax import argmax, argmin
from renga_nn.functions.math.arithmetic import add, batch_matmul, bias, linear_interpolate, matmul, scale
from renga_nn.functions.math.cumulative import cumprod, cumsum, prod
from renga_nn.functions.math.einsum import einsum, tensordot
from renga_nn.functions.math.error_function import erf, erfc, erfcinv, erfcx, erfinv
from renga_nn.functions.math.exponential import exp, expm1, log, log1p, log2, log10, rsqrt, sqrt
from renga_nn.functions.math.extremes import clip, maximum, minimum
from renga_nn.functions.math.fourier import fft, ifft
from renga_nn.functions.math.gamma_function import digamma, lgamma, polygamma, zeta
from renga_nn.functions.math.hyperbolic import arctanh, cosh, sinh
from renga_nn.functions.math.linear_algebra import batch_det, batch_inv, cholesky, det, inv
from renga_nn.functions.math.normal_distribution import log_ndtr, ndtr, ndtri
from renga_nn.functions.math.reduction import average, logsumexp, max, mean, min
from renga_nn.functions.math.rounding import ceil, fix, floor, fmod, sign
from renga_nn.functions.math.sparse_matmul import sparse_matmul
from renga_nn.functions.math.square import batch_l2_norm_squared, square, squared_difference
from renga_nn.functions.math.trigonometric import arccos, arcsin, arctan, arctan2, cos, sin, tan

__all__ = [
    "absolute",
    "add",
    "arccos",
    "arcsin",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "average",
    "batch_det",
    "batch_inv",
    "batch_l2_norm_squared",
    "batch_matmul",
    "bias",
    "ceil",
    "cholesky",
    "clip",
    "cos",
    "cosh",
    "cumprod",
    "cumsum",
    "det",
    "digamma",
    "einsum",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp",
    "expm1",
    "fft",
    "fix",
    "floor",
    "fmod",
    "ifft",
    "inv",
    "lgamma",
    "linear_interpolate",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_ndtr",
    "logsumexp",
    "matmul",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "ndtr",
    "ndtri",
    "polygamma",
    "prod",
    "rsqrt",
    "scale",
    "sign",
    "sin",
    "sinh",
    "sparse_matmul",
    "sqrt",
    "square",
    "squared_difference",
    "sum",
    "tan",
    "tensordot",
    "zeta",
]
