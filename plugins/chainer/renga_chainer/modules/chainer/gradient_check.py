"""``chainer.gradient_check``: besides Renga's, the class behind `check_backward`, which helpers of tests make."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from renga_core.graph import Variable
from renga_core.testing.gradient_check import Arrays, check_backward

__all__: list[str] = []


class _CheckBackward:
    """`check_backward` in two steps.

    Args:
        func, x_data, y_grad, params, eps, atol, rtol, dtype, detect_nondifferentiable: As of `check_backward`.
        no_gxs: Its `no_grads`.
        is_immutable_params: Without effect.
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
        """Check.

        Raises:
            AssertionError: The gradients are wrong.
        """
        self._check()
