"""Steps of operations drawn at random compute, compiled, what they compute in ordinary calls."""

from __future__ import annotations

import numpy as np
import pytest

import renga
import renga.functions as F
from renga import Parameter

pytest.importorskip("numba", reason="the compiler `fused` needs numba")

SHAPES = [(3, 4), (1, 4), (3, 1), (4,), (), (2, 1, 4)]
BINARY = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / (b * b + 1),
    F.maximum,
    F.minimum,
]
UNARY = [
    lambda a: -a,
    lambda a: a * 0.5 - 1,
    lambda a: 2 / (a * a + 1.5),
    lambda a: 1 - a / 3,
    lambda a: (a * 0.1) ** 2,
    abs,
    F.exp,
    F.relu,
    lambda a: F.leaky_relu(a, 0.1),
    F.sigmoid,
    F.tanh,
    lambda a: F.log(a * a + 1),
    lambda a: F.sqrt(a * a + 1),
    F.square,
]
SHAPING = [
    lambda a: F.sum(a, axis=-1, keepdims=True) if a.ndim else a,
    lambda a: F.mean(a, axis=0) if a.ndim else a,
    lambda a: F.broadcast_to(a, (2, *a.shape)) if a.ndim < 3 else a,
    F.sum,
    F.transpose,
    lambda a: F.reshape(a, (-1,)),
    lambda a: a[..., 1:] if a.ndim and a.shape[-1] > 2 else a,
    lambda a: a[-1] if a.ndim else a,
]


def random_step(seed, dtype):
    """A step of operations on two parameters and an argument, and its parameters."""
    rng = np.random.default_rng(seed)
    w, b = (Parameter(rng.normal(size=SHAPES[rng.integers(len(SHAPES))]).astype(dtype)) for _ in range(2))
    choices = rng.random((8, 4))

    def step(x):
        values = [w, b, w * x]
        for kind, which, first, second in choices:
            a, other = (values[int(share * len(values))] for share in (first, second))
            if kind < 0.4:
                try:
                    np.broadcast_shapes(a.shape, other.shape)
                except ValueError:
                    continue
                value = BINARY[int(which * len(BINARY))](a, other)
            else:
                functions = UNARY if kind < 0.75 else SHAPING
                value = functions[int(which * len(functions))](a)
            values.append(value * 0.5)
        loss = sum([F.mean(value * value) for value in values[3:]], F.sum(w * b.reshape(-1)[:1]))
        w.cleargrad()
        b.cleargrad()
        loss.backward()
        return loss, values[-1]

    return step, (w, b)


@pytest.mark.parametrize(("seed", "dtype"), [(1, np.float32), (3, np.float64)])
def test_a_random_step(seed, dtype):
    x = np.random.default_rng(seed).normal(size=(3, 4)).astype(dtype)
    found = []
    for compiler in ("fused", None):
        step, parameters = random_step(seed, dtype)
        if compiler:
            step = renga.compile(step, compiler)
        for _ in range(4):
            loss, last = step(x)
        found.append([loss.array, last.array, *[p.grad for p in parameters]])
        if compiler:
            assert step.explain().startswith("fused: replayed, with")
    for mine, right in zip(*found, strict=True):
        assert mine.dtype == right.dtype == dtype
        assert mine.shape == right.shape
        np.testing.assert_allclose(mine, right, rtol=1e-5, atol=64 * np.finfo(dtype).eps * np.abs(right).max())


def test_each_function_with_special_values():
    x = np.array([0, -0.0, 1, -1, 0.3, -20, 88, 1e-30, -1e30, np.inf, -np.inf, np.nan, 4.5], np.float32)
    functions = [*UNARY, *[lambda a, f=f: f(a, x[::-1].copy()) for f in BINARY]]
    found = []
    for compiler in ("fused", None):
        parameters = [Parameter(x.copy()) for _ in functions]

        def step(x, parameters=parameters):
            ys = [f(p) for f, p in zip(functions, parameters, strict=True)]
            for p in parameters:
                p.cleargrad()
            sum([F.sum(y * x) for y in ys], 0.0).backward()
            return ys

        if compiler:
            step = renga.compile(step, compiler)
        with np.errstate(all="ignore"):
            for _ in range(4):
                ys = step(np.ones_like(x))
        if compiler:
            assert step.explain() == "fused: replayed, with 1 compiled function"
        found.append([*[y.array for y in ys], *[p.grad for p in parameters]])
    for number, (mine, right) in enumerate(zip(*found, strict=True)):
        np.testing.assert_allclose(mine, right, rtol=4 * np.finfo(np.float32).eps, atol=0, err_msg=f"function {number}")


def test_broadcasts_and_sums_over_any_axes():
    shapes = [(2, 1, 4, 1), (3, 1, 5), (2, 3, 1, 5), (4, 1), (2, 1, 1, 5), (1, 3, 4, 1)]
    x = np.random.default_rng(9).normal(size=(2, 3, 4, 5))
    found = []
    for compiler in ("fused", None):
        parameters = [Parameter(np.random.default_rng(i).normal(size=s)) for i, s in enumerate(shapes)]

        def step(x, parameters=parameters):
            for p in parameters:
                p.cleargrad()
            y, sums = x, []
            for p, axes in zip(parameters, [(1,), (0, 2), (1, 3), (3,), (0,), (2,)], strict=True):
                y = y * p + p
                sums.append(F.sum(y, axis=axes))
            sum([F.sum(s * s) for s in sums], 0.0).backward()
            return sums

        if compiler:
            step = renga.compile(step, compiler)
        for _ in range(4):
            sums = step(x)
        if compiler:
            assert step.explain() == "fused: replayed, with 1 compiled function"
        found.append([*[s.array for s in sums], *[p.grad for p in parameters]])
    for mine, right in zip(*found, strict=True):
        np.testing.assert_allclose(mine, right, rtol=1e-10)
