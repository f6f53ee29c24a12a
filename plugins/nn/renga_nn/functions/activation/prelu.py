"""Rectified linear units with a learned or random slope for negative inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from renga_core import random
from renga_core.backend import Array, get_backend, in_native_order, same_dtype
from renga_core.configuration import config
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import reshape
from renga_nn.functions.checks import as_number, require_floating
from renga_nn.functions.math.extremes import minimum

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["prelu", "rrelu"]


def prelu(x: Any, W: Any) -> Variable:
    """``x`` where positive or 0, elsewhere ``W * x`` (He et al. 2015).

    Args:
        x: Variable or array ``(N, ...)`` of a floating dtype.
        W: Slopes of the same dtype. The shape equals the first axes of `x` after the batch axis: ``()`` for one slope,
            ``(C,)`` for one slope per channel. Gradients flow to it too.

    Returns:
        Variable of the shape and dtype of `x`.

    Raises:
        InvalidType: `x` is not floating, or `W` does not fit.

    >>> import numpy as np
    >>> prelu(np.array([[-1.0, -1.0, 2.0]]), np.array([0.5, 0.25, 0.0])).array.tolist()
    [[-0.5, -0.25, 2.0]]
    """
    require_floating("prelu", "x", x)
    require_floating("prelu", "W", W)
    if not same_dtype(W, x) or tuple(W.shape) != tuple(x.shape[1 : 1 + W.ndim]):
        expected = f"{x.dtype}, in the shape of the first axes of x after the batch axis: {describe_array(x)}"
        raise InvalidType("prelu", "W", expected, describe_array(W))
    slopes = reshape(W, (1, *W.shape, *[1] * (x.ndim - 1 - W.ndim))) if W.ndim else W
    return PReLU().apply((x, slopes))[0]


@overload
def rrelu(
    x: Any,
    l: float = 1 / 8,  # noqa: E741 - Chainer's name
    u: float = 1 / 3,
    *,
    r: Array | None = None,
    return_r: Literal[False] = False,
) -> Variable: ...
@overload
def rrelu(
    x: Any,
    l: float = 1 / 8,  # noqa: E741 - Chainer's name
    u: float = 1 / 3,
    *,
    r: Array | None = None,
    return_r: Literal[True],
) -> tuple[Variable, Array]: ...
def rrelu(
    x: Any,
    l: float = 1 / 8,  # noqa: E741 - Chainer's name
    u: float = 1 / 3,
    *,
    r: Array | None = None,
    return_r: bool = False,
) -> Variable | tuple[Variable, Array]:
    """``x`` if x ≥ 0, otherwise ``r * x`` with a random slope for each element (Xu et al. 2015).

    During training the slopes are uniform between `l` and `u`; otherwise (``config.train`` is False) they are ``(l + u)
    / 2``.

    Args:
        x: Variable or array of any shape and floating dtype.
        l, u: Lower and upper bound of the slopes, ``0 <= l < u < 1``.
        r: The slopes that an earlier call returned; None: draw them. Ignored unless training.
        return_r: Also return the slopes.

    Returns:
        Variable of the shape and dtype of `x`; with `return_r` also the slopes, in that shape and dtype.

    Raises:
        InvalidType: `x` is not floating, or `r` has another shape or dtype.
        ValueError: `l` and `u` are out of range.

    >>> import numpy as np
    >>> y, r = rrelu(np.array([2.0, -1.0]), return_r=True)
    >>> bool(y.array[0] == 2 and y.array[1] == -r[1])
    True
    """
    require_floating("rrelu", "x", x)
    l, u = as_number("rrelu", "l", l), as_number("rrelu", "u", u)  # noqa: E741 - the letters of the paper
    if not 0 <= l < u < 1:
        raise ValueError(f"rrelu: bounds l={l:g} and u={u:g}; they must satisfy 0 <= l < u < 1")
    backend = get_backend(getattr(x, "array", x))
    if not config.train:
        r = backend.xp.full(x.shape, (l + u) / 2, dtype=x.dtype)
    elif r is None:
        drawn = random.generator(backend).random(x.shape, dtype=backend.xp.float32)
        r = backend.xp.asarray((drawn * (u - l) + l).astype(x.dtype))  # a scalar if `x` has no axes
    elif getattr(r, "shape", None) != x.shape or not same_dtype(r, x):
        raise InvalidType("rrelu", "r", f"the shape and dtype of x: {describe_array(x)}", describe_array(r))
    r = in_native_order(r)
    y = PReLU().apply((x, r))[0]
    return (y, r) if return_r else y


class PReLU(FunctionNode):
    """``x`` or ``W * x``, by the sign of x; W broadcasts to x."""

    fresh_gradients = True

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Add both parts; one of them is 0."""
        x, W = inputs
        self.retain_inputs((0, 1))
        xp = get_backend(x).xp
        return (xp.maximum(x, 0) + xp.minimum(x, 0) * W,)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """``gy * slope`` and ``gy * min(x, 0)``; the engine adds the latter up where W was broadcast."""
        x, W = self.saved_inputs
        (gy,) = grad_outputs
        xp = get_backend(x).xp
        return [gy * xp.minimum(x, 0) if i else gy * xp.where(x >= 0, xp.ones_like(W), W) for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable; the sign of each element is a constant."""
        x, W = self.get_retained_inputs()
        (gy,) = grad_outputs
        right = (x.array >= 0).astype(x.dtype)
        return [gy * minimum(x, 0) if i else gy * (right + W * (1 - right)) for i in target_input_indexes]
