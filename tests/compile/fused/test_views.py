"""A chain goes through views: loops read the array behind them."""

import numpy as np
import pytest

import renga
import renga.functions as F
from renga import Parameter
from renga_compile.fused.layouts import in_order, inserted, reshaped, taken, transposed

pytest.importorskip("numba", reason="the compiler `fused` needs numba")


def gates(y):
    """As in a recurrent cell: parts of one array."""
    a, b = y[:, :3], y[:, 3:]
    return F.tanh(a) * b + b


def heads(y):
    """As in attention: an axis is split, and axes change places."""
    z = F.reshape(y, (4, 2, 3)).transpose(1, 0, 2)
    return z[0] * 2 - z[-1]


def corners(y):
    return y[..., -1] * y[1, None, 2] + y[2][0] * F.reshape(y.T, (-1,))[5]


def broadcasts(y):
    return F.sum(y.T * y[:, 0], axis=0) + F.sum(F.reshape(y, (2, 12)), axis=0)[2:6]


@pytest.mark.parametrize("part", [gates, heads, corners, broadcasts])
def test_a_step_with_views(part):
    found = []
    for compiler in ("fused", None):
        w = Parameter(np.random.default_rng(1).normal(size=(4, 6)))

        def step(x, w=w):
            w.cleargrad()
            y = part(F.exp(x * w))
            F.sum(y * y).backward()
            return y

        if compiler:
            step = renga.compile(step, compiler)
        for _ in range(4):
            y = step(np.linspace(-1, 1, 24).reshape(4, 6))
        if compiler:
            assert step.explain() == "fused: replayed, with 1 compiled function"
            assert ".forward(" not in step.source
        found.append((y.array, w.grad))
    for mine, right in zip(*found, strict=True):
        np.testing.assert_allclose(mine, right, rtol=1e-12)


INDEXES = [
    np.s_[1],
    np.s_[-1, 2:4],
    np.s_[..., 0],
    np.s_[:, None, 1:],
    np.s_[0:2, ..., 3],
    np.s_[2, 1, 0],
    np.s_[::2],
    np.s_[:, ::-1],
    np.s_[[0, 1]],
    np.s_[np.array([True, False, True])],
]


@pytest.mark.parametrize("index", INDEXES)
def test_the_layout_of_a_part_and_of_what_it_is_a_part_of(index):
    x = np.arange(60.0).reshape(3, 4, 5)
    layout = taken(transposed(reshaped(in_order("x", (60,)), (5, 4, 3)), (2, 1, 0)), index)
    part = np.arange(60.0).reshape(5, 4, 3).T[index]
    if layout is None:
        assert part.base is None
        return
    memory = np.lib.stride_tricks.as_strided(
        np.arange(60.0)[layout.offset :], layout.shape, [8 * step for step in layout.steps]
    )
    np.testing.assert_array_equal(memory, part)
    operand = inserted(in_order("g", part.shape), index, x.shape)
    if operand is None:
        assert any(type(item) is slice and item.step for item in (index if type(index) is tuple else (index,)))
        return
    expected = np.zeros(x.shape)
    expected[index] = np.arange(part.size).reshape(part.shape)
    for place in np.ndindex(x.shape):
        inside = all(low <= place[axis] < high for axis, low, high in operand.bounds)
        at = operand.offset + sum(i * step for i, step in zip(place, operand.steps, strict=True))
        assert (at if inside else 0) == expected[place]


class Fortran(renga.FunctionNode):
    """Twice the input; arrays lie in Fortran's order, with gaps."""

    def forward(self, inputs):
        return (self.twice(inputs[0]),)

    def backward_arrays(self, targets, gys):
        return (self.twice(gys[0]),)

    def twice(self, x):
        y = np.empty((2 * x.shape[0], *x.shape[1:]), x.dtype, order="F")[::2]
        y[...] = x * 2
        return y


def test_arrays_that_come_out_of_calls_in_another_order():
    found = []
    for compiler in ("fused", None):
        w = Parameter(np.random.default_rng(1).normal(size=(4, 6)))

        def step(x, w=w):
            w.cleargrad()
            (y,) = Fortran().apply((F.exp(w * x) * w + x,))
            z = F.tanh(y[1:]) * y[:-1] + y[0] * x[1:]
            F.sum(z * z).backward()
            return z

        if compiler:
            step = renga.compile(step, compiler)
        for _ in range(4):
            y = step(np.linspace(-1, 1, 24).reshape(4, 6))
        if compiler:
            assert step.explain() == "fused: replayed, with 1 compiled function"
        found.append((y.array, w.grad))
    for mine, right in zip(*found, strict=True):
        np.testing.assert_allclose(mine, right, rtol=1e-12)
