"""Rearranging channels as pixels, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import reshape, transpose
from renga_nn.functions.checks import as_integer, require_floating

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["depth2space", "space2depth"]


def depth2space(X: Any, r: int) -> Variable:
    """Rearrange each group of ``r * r`` channels as a square of pixels (Shi et al. 2016, "sub-pixel convolution").

    ``y[n, c, h * r + i, w * r + j] = X[n, (i * r + j) * C + c, h, w]``.

    Args:
        X: Variable or array ``(N, r * r * C, H, W)`` of a floating dtype.
        r: Factor by which height and width grow.

    Returns:
        Variable ``(N, C, r * H, r * W)``.

    Raises:
        InvalidType: `X` has other axes, or its number of channels is not divisible by ``r * r``.
        ValueError: `r` is less than 1.

    >>> import numpy as np
    >>> depth2space(np.arange(4.0).reshape(1, 4, 1, 1), 2).array.tolist()
    [[[[0.0, 1.0], [2.0, 3.0]]]]
    """
    r = _checked("depth2space", X, r)
    n, channels, height, width = X.shape
    if channels % (r * r):
        raise InvalidType("depth2space", "X", f"a number of channels divisible by {r * r}", describe_array(X))
    c = channels // (r * r)
    split = transpose(reshape(X, (n, r, r, c, height, width)), (0, 3, 4, 1, 5, 2))
    return reshape(split, (n, c, height * r, width * r))


def space2depth(X: Any, r: int) -> Variable:
    """Rearrange each square of ``r * r`` pixels as a group of channels: the inverse of `depth2space`.

    Args:
        X: Variable or array ``(N, C, r * H, r * W)`` of a floating dtype.
        r: Factor by which height and width shrink.

    Returns:
        Variable ``(N, r * r * C, H, W)``.

    Raises:
        InvalidType: `X` has other axes, or its height or width is not divisible by `r`.
        ValueError: `r` is less than 1.

    >>> import numpy as np
    >>> space2depth(np.arange(4.0).reshape(1, 1, 2, 2), 2).array.reshape(-1).tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    r = _checked("space2depth", X, r)
    n, c, height, width = X.shape
    if height % r or width % r:
        raise InvalidType("space2depth", "X", f"a height and a width divisible by {r}", describe_array(X))
    split = transpose(reshape(X, (n, c, height // r, r, width // r, r)), (0, 3, 5, 1, 2, 4))
    return reshape(split, (n, r * r * c, height // r, width // r))


def _checked(function: str, X: Any, r: int) -> int:
    require_floating(function, "X", X)
    if X.ndim != 4:
        raise InvalidType(function, "X", "images (N, C, H, W)", describe_array(X))
    return as_integer(function, "r", r, least=1)
