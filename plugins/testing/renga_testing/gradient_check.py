"""Gradients compared with numerical derivatives.

Large gradients are checked by **random projection**. Along a random direction d in the space of all inputs, the
derivative of ``<gy, f(x + t d)>`` at t = 0 is computed numerically, with two evaluations of f for any size. It is
compared with ``<gx, d>``. A wrong element is detected: the probability that d is perpendicular to the error is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, get_backend, to_host
from renga_core.graph import Variable, grad

__all__ = [
    "NondifferentiableError",
    "assert_allclose",
    "check_backward",
    "check_double_backward",
    "numerical_grad",
]

Arrays = Array | Sequence[Array | None]
Host = np.ndarray[Any, Any]


class NondifferentiableError(Exception):
    """The function is not differentiable at the given point, so its numerical derivative is meaningless."""


def assert_allclose(x: Any, y: Any, atol: float = 1e-5, rtol: float = 1e-4, verbose: bool = True) -> None:
    """Assert that two values agree; each may be an array of any backend, a Variable, a scalar or a list of these.

    The condition is ``|x - y| <= atol + rtol * |y|``.

    Args:
        x, y: Actual and expected value. A scalar matches any shape.
        atol, rtol: Absolute and relative tolerance.
        verbose: Show the arrays in the message.

    Raises:
        AssertionError: They differ.
    """
    x, y = (np.asarray(z) if isinstance(z, (list, tuple)) else to_host(z) for z in (x, y))
    np.testing.assert_allclose(x, y, atol=atol, rtol=rtol, verbose=verbose)


def numerical_grad(
    f: Callable[[], Sequence[Array | None]],
    inputs: Sequence[Array],
    grad_outputs: Sequence[Array | None],
    eps: float = 1e-3,
    detect_nondifferentiable: bool = False,
    diff_atol: float = 0.0,
    diff_rtol: float = 1e-2,
    center_outputs: Sequence[Array | None] | None = None,
) -> tuple[Array, ...]:
    """Derivatives by central differences, ``(f(x + eps) - f(x - eps)) / (2 eps)``, element by element.

    With `detect_nondifferentiable` the two points halfway are used, too: the error is of order ``eps**4``.

    Args:
        f: Function without arguments that reads `inputs`, and returns arrays.
        inputs: Arrays; one element at a time is changed in place and restored.
        grad_outputs: Weight of each output; None ignores an output.
        eps: Half the distance between the two points.
        detect_nondifferentiable: Check at each element that f is smooth; takes three more evaluations.
        diff_atol, diff_rtol: Allowed deviation (root mean square) of f at five points from a parabola: absolute, and
            relative to its variation.
        center_outputs: Results of f for the given `inputs`, if known.

    Returns:
        For each input, an array of its shape and dtype: derivatives of ``sum(<gy, y>)``.

    Raises:
        NondifferentiableError: f is not smooth; only if `detect_nondifferentiable`.
        ValueError: The number of arrays that `f` returns differs from that of `grad_outputs`.
    """

    def weighted(ys: Sequence[Array | None]) -> float:
        if len(ys) != len(grad_outputs):
            raise ValueError(f"f returned {len(ys)} outputs; there are {len(grad_outputs)} grad_outputs")
        pairs = zip(ys, grad_outputs, strict=True)
        return sum(_inner(y, gy) for y, gy in pairs if y is not None and gy is not None)

    center = None
    if detect_nondifferentiable:
        center = _flat(f() if center_outputs is None else center_outputs)
    grads = []
    for x in inputs:
        gx = np.zeros(x.shape, np.float64)
        for index in np.ndindex(*x.shape):
            original = to_host(x[index]).item()

            def at(step: float, x: Array = x, index: Any = index, original: Any = original) -> tuple[float, Host]:
                x[index] = original + step
                ys = f()
                return weighted(ys), _flat(ys)

            try:
                (below, low), (above, high) = at(-eps), at(eps)
                gx[index] = (above - below) / (2 * eps)
                if center is not None:
                    (nearly_below, lower), (nearly_above, higher) = at(-eps / 2), at(eps / 2)
                    values = np.stack([low, lower, center, higher, high])
                    _require_smooth(values, diff_atol, diff_rtol, f"at element {index} = {original}")
                    gx[index] = (8 * (nearly_above - nearly_below) - (above - below)) / (6 * eps)
            finally:
                x[index] = original
        grads.append(get_backend(x).asarray(gx.astype(x.dtype)))
    return tuple(grads)


def check_backward(
    func: Callable[..., Any],
    x_data: Arrays,
    y_grad: Arrays | None,
    params: Variable | Sequence[Variable] = (),
    eps: float = 1e-3,
    atol: float = 1e-5,
    rtol: float = 1e-4,
    no_grads: Sequence[bool] | None = None,
    dtype: Any = None,
    detect_nondifferentiable: bool = False,
    *,
    seed: int = 0,
) -> None:
    """Check the first derivatives of a function along a random direction.

    Args:
        func: Takes a Variable for each of `x_data`; returns a Variable or a tuple of Variables.
        x_data: One array or several. Integer and boolean arrays are not differentiated; None is passed on.
        y_grad: Gradient of each output, in its shape. None: for a scalar output, 1; among several, ignore this output.
        params: Variables that `func` uses besides its arguments; differentiated, too. Their arrays are restored.
        eps: Half the distance between the two points of the numerical derivative.
        atol, rtol: Tolerances of the comparison.
        no_grads: For each of `x_data`, whether to exclude it.
        dtype: Dtype of the computation, preferably float64; `x_data`, `y_grad` and `params` are converted.
        detect_nondifferentiable: Raise an error at points where the function is not differentiable.
        seed: Determines the direction.

    Raises:
        AssertionError: The derivatives differ, or an input without a derivative receives one.
        NondifferentiableError: As `numerical_grad`.
    """
    xs, gys, parameters = _many(x_data), _many(y_grad), _many(params)
    if dtype is not None:
        xs, gys = _converted(xs, dtype), _converted(gys, dtype)
    skipped = _skipped(xs, no_grads)
    kept = [p.array for p in parameters]
    if dtype is not None:
        for p, array in zip(parameters, _converted(kept, dtype), strict=True):
            _put(p, array)
    try:
        _check_projection(func, xs, gys, parameters, skipped, eps, atol, rtol, detect_nondifferentiable, seed)
    finally:
        for p, array in zip(parameters, kept, strict=True):
            _put(p, array)


def check_double_backward(
    func: Callable[..., Any],
    x_data: Arrays,
    y_grad: Arrays | None,
    x_grad_grad: Arrays,
    params: Variable | Sequence[Variable] = (),
    params_grad_grad: Arrays = (),
    eps: float = 1e-3,
    atol: float = 1e-4,
    rtol: float = 1e-3,
    no_grads: Sequence[bool] | None = None,
    dtype: Any = None,
    detect_nondifferentiable: bool = False,
    *,
    seed: int = 0,
) -> None:
    """Check the second derivatives of a function: the derivatives of its gradients, which are assumed correct.

    Args:
        func, x_data, y_grad, params, eps, atol, rtol, no_grads, dtype, detect_nondifferentiable, seed: As
            `check_backward`.
        x_grad_grad: Second-order gradient of each of `x_data`, in its shape; None for excluded ones.
        params_grad_grad: The same for `params`.

    Raises:
        AssertionError, NondifferentiableError: As `check_backward`.
    """
    xs, gys, parameters = _many(x_data), _many(y_grad), _many(params)
    skipped = _skipped(xs, no_grads)
    given = len(xs)

    def first_gradients(*inputs: Variable) -> tuple[Variable, ...]:
        variables = inputs[:given]
        ys, weights = _weighted(_variables(func(*variables)), inputs[given:])
        wanted = [*(x for x, skip in zip(variables, skipped, strict=True) if not skip), *parameters]
        gxs = grad(ys, wanted, weights, enable_double_backprop=True)
        # If the function does not depend on an input, its gradient is a constant zero.
        return tuple(x * 0.0 if gx is None else gx for x, gx in zip(wanted, gxs, strict=True))

    weights = [g for g in _many(x_grad_grad) if g is not None] + _many(params_grad_grad)
    check_backward(
        first_gradients,
        xs + gys,
        weights,
        parameters,
        eps,
        atol,
        rtol,
        (*skipped, *[gy is None for gy in gys]),
        dtype,
        detect_nondifferentiable,
        seed=seed,
    )


def _check_projection(
    func: Callable[..., Any],
    xs: list[Array],
    gys: list[Array],
    parameters: list[Variable],
    skipped: Sequence[bool],
    eps: float,
    atol: float,
    rtol: float,
    detect_nondifferentiable: bool,
    seed: int,
) -> None:
    variables = [None if x is None else Variable(x, requires_grad=_is_floating(x)) for x in xs]
    ys = _variables(func(*variables))
    moving = [x for x, skip in zip(variables, skipped, strict=True) if x is not None and not skip] + parameters
    counted, gradients = _weighted(ys, [None if gy is None else Variable(gy, requires_grad=False) for gy in gys])
    gxs = grad(counted, moving, gradients)
    for i, (x, gx) in enumerate(zip(moving, gxs, strict=True)):
        assert gx is None or _is_floating(x.array), f"argument {i} has dtype {x.dtype}, but received a gradient"
    weights = gys or [y.xp.ones_like(y.array) for y in ys]
    directions = _unit_direction([x.array for x in moving], seed)
    starts = [x.array for x in moving]
    step = np.zeros((), np.float64)

    def outputs() -> list[Array | None]:
        shifted = [x + d * float(step) for x, d in zip(starts, directions, strict=True)]
        arguments = iter(shifted)
        inputs = [
            None if x is None else Variable(x if skip else next(arguments)) for x, skip in zip(xs, skipped, strict=True)
        ]
        for p, array in zip(parameters, arguments, strict=True):
            _put(p, array)
        return [None if y is None else y.array for y in _variables(func(*inputs))]

    (numerical,) = numerical_grad(outputs, (step,), weights, eps, detect_nondifferentiable)
    computed = sum(_inner(gx.array, d) for gx, d in zip(gxs, directions, strict=True) if gx is not None)
    scale = atol + rtol * abs(float(numerical))
    if not abs(computed - float(numerical)) <= scale:
        sizes = ", ".join(f"{x.dtype} {x.shape}" for x in moving)
        raise AssertionError(
            f"the gradient along a random direction is {computed:.10g} by backward but {float(numerical):.10g} "
            f"numerically (difference {abs(computed - float(numerical)):.3g}, allowed {scale:.3g}; "
            f"inputs: {sizes}; eps {eps}, seed {seed})"
        )


_STEPS = np.arange(-2.0, 3.0)
_PARABOLAS = np.stack([_STEPS**0, _STEPS, _STEPS**2], axis=1)
_OFF_PARABOLA = np.eye(5) - _PARABOLAS @ np.linalg.pinv(_PARABOLAS)
"""Matrix that maps five values to their residuals from the best parabola."""


def _require_smooth(values: Host, atol: float, rtol: float, where: str) -> None:
    """Check that outputs ``(5, outputs)`` at five equidistant points fit a parabola.

    Outputs that are infinite or NaN at all five points pass, and so do outputs that are constant up to rounding.
    """
    finite = np.isfinite(values)
    jumps = finite.any(axis=0) & ~finite.all(axis=0)
    values = np.where(finite.all(axis=0), values, 0.0)
    departure = np.sqrt(np.mean((_OFF_PARABOLA @ values) ** 2, axis=0))
    spread = np.ptp(values, axis=0)
    rounding = 4 * np.finfo(np.float64).eps * np.abs(values).max(axis=0)
    bent = departure > atol + rtol * spread + rounding
    if jumps.any():
        raise NondifferentiableError(f"the function is not differentiable {where}: it is finite on one side only")
    if bent.any():
        raise NondifferentiableError(
            f"the function is not differentiable {where}: it departs from a parabola by {departure[bent].max():.3g}"
        )


def _flat(ys: Sequence[Array | None]) -> Host:
    """Return a copy of all outputs in one axis, in float64."""
    return np.concatenate([np.empty(0), *[to_host(y).astype(np.float64).ravel() for y in ys if y is not None]])


def _unit_direction(arrays: Sequence[Array], seed: int) -> list[Array]:
    """Return random arrays with the shapes and dtypes of `arrays`, with total norm 1."""
    rng = np.random.default_rng(seed)
    drawn = [rng.standard_normal(x.shape) for x in arrays]
    norm = np.sqrt(sum(float((d * d).sum()) for d in drawn)) or 1.0
    return [get_backend(x).asarray((d / norm).astype(x.dtype)) for x, d in zip(arrays, drawn, strict=True)]


def _inner(x: Array, y: Array) -> float:
    """Sum of products, in float64."""
    return float((to_host(x).astype(np.float64) * to_host(y).astype(np.float64)).sum())


def _skipped(xs: Sequence[Array | None], no_grads: Sequence[bool] | None) -> tuple[bool, ...]:
    """Return which inputs to exclude: those of the caller, and those that are not floating-point."""
    if no_grads is None:
        return tuple(x is None or not _is_floating(x) for x in xs)
    return tuple(x is None or bool(skip) for x, skip in zip(xs, no_grads, strict=True))


def _weighted(ys: list[Any], gys: Sequence[Any]) -> tuple[list[Variable], list[Variable] | None]:
    """Return outputs and their gradients, without outputs whose gradient is None."""
    if not gys:
        return ys, None
    pairs = [(y, gy) for y, gy in zip(ys, gys, strict=True) if gy is not None]
    return [y for y, _ in pairs], [gy for _, gy in pairs]


def _is_floating(x: Array) -> bool:
    return bool(np.dtype(str(x.dtype)).kind == "f")


def _converted(arrays: Sequence[Array], dtype: Any) -> list[Array]:
    """Convert floating-point arrays to another dtype; return others and None unchanged."""
    return [x.astype(dtype) if x is not None and _is_floating(x) else x for x in arrays]


def _many(value: Any) -> list[Any]:
    """Return one value, several or none as a list."""
    if value is None:
        return []
    return list(value) if isinstance(value, (tuple, list)) else [value]


def _variables(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (tuple, list)) else [result]


def _put(parameter: Variable, array: Array) -> None:
    parameter.array = array
