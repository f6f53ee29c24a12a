"""`forget`: saves memory by recomputation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_core.graph import Variable
from renga_core.graph.errors import require_array
from renga_nn.functions.util.recomputation import recomputed

__all__ = ["forget"]


def forget(func: Callable[..., Any], *xs: Any) -> Any:
    """Call a function without keeping intermediate results, and call it again in backward.

    Only `xs` are kept. In backward `func` is called again with the same arrays, random numbers and mode
    (``config.train``). Its results are freed during the pass. If a deep network is forgotten piece by piece, training
    needs a fraction of the memory, for one more forward pass (Chen et al. 2016). Gradients of parameters and other
    variables that `func` uses are as if it had been called directly, and can be differentiated.

    `func` must compute the same when it is called again. Links that remember their last call (`renga.links.LSTM`) do
    not. Batch normalization does, and updates its averages only once. A function of your own with side effects should
    test ``config.in_recomputing``, and read changed values through `recomputation.remembered`. During the recomputation
    no other thread may draw random numbers.

    Args:
        func: Takes a Variable for each of `xs`; returns a Variable or a tuple of Variables.
        xs: Variables or arrays.

    Returns:
        The result of `func`: a Variable or a tuple.

    Raises:
        InvalidType: One of `xs` is not an array.
        TypeError: `func` is not callable, or returns something else.

    >>> import numpy as np
    >>> x, y = Variable(np.array([2.0])), Variable(np.array([3.0]))
    >>> z = forget(lambda a, b: (a + b) * a, x, y)
    >>> z.backward()
    >>> x.grad.tolist(), y.grad.tolist()
    ([7.0], [2.0])
    """
    if not callable(func):
        raise TypeError(f"forget: func is a {type(func).__name__}; it must be something to call with xs")
    for i, x in enumerate(xs):
        require_array("forget", f"xs[{i}]", x)
    alone = True

    def part(*arguments: Variable) -> tuple[Variable, ...]:
        nonlocal alone
        returned = func(*arguments)
        alone = not isinstance(returned, tuple)
        ys = (returned,) if alone else returned
        for i, y in enumerate(ys):
            if not isinstance(y, Variable):
                raise TypeError(f"forget: output {i} of func is a {type(y).__name__}; it must be a Variable")
        return ys

    ys = recomputed(part, *xs)
    return ys[0] if alone else ys
