"""Adding values at selected positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import same_dtype
from renga_core.graph import InvalidType, as_variable
from renga_core.graph.errors import describe_array
from renga_core.graph.operators.shape import GetItemGrad
from renga_nn.functions.checks import require_array

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["scatter_add"]


def scatter_add(a: Any, slices: Any, b: Any) -> Variable:
    """A copy of `a` with `b` added at ``a[slices]``; values for repeated positions add up.

    Args:
        a: Variable or array.
        slices: An index as in brackets after an array: integers, slices, ellipsis, None, arrays of integers or
            booleans.
        b: Variable or array of the dtype of `a`, whose shape broadcasts to the shape of ``a[slices]``.

    Returns:
        Variable of the shape of `a`.

    Raises:
        InvalidType: Dtypes differ, `b` does not fit, or there are more indices than axes.
        IndexError: There are no such elements.

    >>> import numpy as np
    >>> scatter_add(np.zeros(3), np.array([0, 2, 2]), np.array([1.0, 2.0, 3.0])).array.tolist()
    [1.0, 0.0, 5.0]
    """
    require_array("scatter_add", "a", a)
    require_array("scatter_add", "b", b)
    if not same_dtype(a, b):
        raise InvalidType("scatter_add", "b", f"the dtype of a: {describe_array(a)}", describe_array(b))
    indices = slices if isinstance(slices, tuple) else (slices,)
    if sum(index is not None and index is not Ellipsis for index in indices) > a.ndim:
        raise InvalidType("scatter_add", "slices", f"at most {a.ndim} indices for a: {describe_array(a)}", f"{slices}")
    try:
        added = GetItemGrad(slices, tuple(a.shape)).apply((b,))[0]
    except ValueError as error:
        expected = f"a shape that broadcasts to a[slices] for a: {describe_array(a)}"
        raise InvalidType("scatter_add", "b", expected, describe_array(b)) from error
    return as_variable(a) + added
