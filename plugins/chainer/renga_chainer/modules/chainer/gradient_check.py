"""``chainer.gradient_check``: Renga's functions, and the class behind `check_backward`, which test helpers use."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from renga_core.graph import Variable, grad
from renga_testing import gradient_check as renga
from renga_testing.gradient_check import Arrays

__all__ = ["check_backward", "numerical_grad"]


@functools.wraps(renga.numerical_grad)
def numerical_grad(f: Any, inputs: Any, grad_outputs: Any, eps: float = 1e-3, *args: Any, **options: Any) -> Any:
    """Like Renga's.

    Raises:
        AssertionError: `eps` is not positive.
    """
    assert eps > 0, f"eps is {eps}"
    return renga.numerical_grad(f, inputs, grad_outputs, eps, *args, **options)


@functools.wraps(renga.check_backward)
def check_backward(func: Callable[..., Any], x_data: Any, y_grad: Any, *args: Any, **options: Any) -> None:
    """Like Renga's.

    Raises:
        RuntimeError: An input that `no_grads` excludes receives a gradient.
    """
    renga.check_backward(func, x_data, y_grad, *args, **options)
    no_grads = (args[4] if len(args) > 4 else options.get("no_grads")) or ()
    if not any(no_grads):
        return
    xs = [None if x is None else Variable(x) for x in _as_tuple(x_data)]
    ys = [y for y in _as_tuple(func(*xs)) if y is not None]
    left_out = [x for x, skip in zip(xs, no_grads, strict=True) if skip and x is not None]
    gys = [Variable(y.xp.ones_like(y.array)) for y in ys]
    if any(gx is not None for gx in grad(ys, left_out, gys)):
        raise RuntimeError("gradient of int variable must be None: an input that no_grads excludes received one")


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


_check_backward_with_params = check_backward
"""The name that programs' tests of links use."""


class _CheckBackward:
    """`check_backward` in two steps.

    Args:
        func, x_data, y_grad, params, eps, atol, rtol, dtype, detect_nondifferentiable: See `check_backward`.
        no_gxs: See `no_grads` of `check_backward`.
        is_immutable_params: Has no effect.
    """

    def __init__(
        self,
        func: Callable[..., Any],
        x_data: Arrays,
        y_grad: Arrays | None,
        params: Variable | Sequence[Variable],
        eps: float,
        atol: float,
        rtol: float,
        no_gxs: Sequence[bool] | None,
        dtype: Any,
        detect_nondifferentiable: bool,
        is_immutable_params: bool,
    ) -> None:
        self._check = functools.partial(
            check_backward, func, x_data, y_grad, params, eps, atol, rtol, no_gxs, dtype, detect_nondifferentiable
        )

    def run(self) -> None:
        """Compare the gradients.

        Raises:
            AssertionError: The gradients are wrong.
        """
        self._check()
