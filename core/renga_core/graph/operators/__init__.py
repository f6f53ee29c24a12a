"""The functions behind the operators and methods of Variables; `backward` itself uses them.

- `arithmetic`: ``+ - * / **`` with broadcasting, and negation and absolute value. `product`: ``@``.
- `shape`: reshape, transpose, broadcast_to, sum_to, squeeze, indexing, cast.
- `reduction`: sum and mean. `axes`: checking axes, and sums of arrays.
- `methods`: the mixin that gives them to `Variable`.

All other functions live in plugins.
"""

from renga_core.graph.operators.arithmetic import absolute, add, divide, multiply, negative, power, subtract
from renga_core.graph.operators.product import matmul
from renga_core.graph.operators.reduction import mean, sum
from renga_core.graph.operators.shape import broadcast_to, cast, get_item, reshape, squeeze, sum_to, transpose

__all__ = [
    "absolute",
    "add",
    "broadcast_to",
    "cast",
    "divide",
    "get_item",
    "matmul",
    "mean",
    "multiply",
    "negative",
    "power",
    "reshape",
    "squeeze",
    "subtract",
    "sum",
    "sum_to",
    "transpose",
]
