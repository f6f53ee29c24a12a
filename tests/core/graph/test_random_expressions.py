"""Graphs drawn at random: gradients against numerical derivatives, analytic ones, and PyTorch's."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renga_core.graph import Variable, grad

SHAPES = [(), (3,), (2, 3), (2, 1), (1, 3)]

# Each is smooth and bounded enough that chains of them stay near 1. One text for Renga and for PyTorch.
UNARY = {
    "-x": lambda x: -x,
    "x * 0.7 + 1": lambda x: x * 0.7 + 1,
    "2 - x": lambda x: 2 - x,
    "x / 2": lambda x: x / 2,
    "1 / (x * x + 1)": lambda x: 1 / (x * x + 1),
    "(x * x + 1) ** 0.5": lambda x: (x * x + 1) ** 0.5,
    "x ** 2 / 4": lambda x: x**2 / 4,
    "1.5 ** (x / 3)": lambda x: 1.5 ** (x / 3),
    "x[..., :1]": lambda x: x[..., :1] if x.ndim else x * 1,
    "x[-1]": lambda x: x[-1] if x.ndim else x * 1,
    "flat": lambda x: x.reshape(-1),
    "sum": lambda x: x.sum() / 4,
}
BINARY = {
    "x + y": lambda x, y: x + y,
    "x - y": lambda x, y: x - y,
    "x * y": lambda x, y: x * y,
    "x / (y * y + 1)": lambda x, y: x / (y * y + 1),
    "(x * x + 1) ** (y / 4)": lambda x, y: (x * x + 1) ** (y / 4),
    "inner": lambda x, y: x.reshape(1, -1)[:, :1] @ y.reshape(-1, 1)[:1],
}


@st.composite
def programs(draw):
    """Shapes of up to three leaves, and steps: (name of an operation, indexes of its operands)."""
    shapes = draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3))
    steps = []
    for n in range(draw(st.integers(1, 8))):
        index = st.integers(0, len(shapes) + n - 1)
        if draw(st.booleans()):
            steps.append((draw(st.sampled_from(sorted(UNARY))), (draw(index),)))
        else:
            steps.append((draw(st.sampled_from(sorted(BINARY))), (draw(index), draw(index))))
    return shapes, steps, draw(st.integers(0, 2**32 - 1))


def compute(leaves, steps):
    """The sum of all that the steps make; a step whose operands do not broadcast is left out."""
    values = list(leaves)
    for name, indexes in steps:
        operands = [values[i] for i in indexes]
        if len(operands) == 2 and name != "inner":
            try:
                np.broadcast_shapes(*(tuple(v.shape) for v in operands))
            except ValueError:
                operands[1] = operands[1].sum() / 4
        values.append((UNARY | BINARY)[name](*operands))
    total = values[-1].sum()
    for value in values[len(leaves) : -1]:
        total = total + value.sum() * 0.5
    return total


def draw_arrays(shapes, seed):
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1, 1, shape) for shape in shapes]


def numerical(f, arrays, eps):
    """Derivatives by central differences."""
    found = []
    for array in arrays:
        g = np.zeros_like(array)
        for index in np.ndindex(*array.shape):
            kept = array[index].item()
            values = []
            for step in (eps, -eps):
                array[index] = kept + step
                values.append(f())
            array[index] = kept
            g[index] = (values[0] - values[1]) / (2 * eps)
        found.append(g)
    return found


def zeros_for_none(gxs, arrays):
    return [np.zeros_like(a) if g is None else g for g, a in zip(gxs, arrays, strict=True)]


@settings(max_examples=60)
@given(programs())
def test_first_derivatives(program):
    shapes, steps, seed = program
    arrays = draw_arrays(shapes, seed)
    leaves = [Variable(a) for a in arrays]
    compute(leaves, steps).backward()
    expected = numerical(
        lambda: compute([Variable(a, requires_grad=False) for a in arrays], steps).item(), arrays, 1e-5
    )
    for leaf, g in zip(zeros_for_none([v.grad for v in leaves], arrays), expected, strict=True):
        assert leaf.shape == g.shape
        np.testing.assert_allclose(leaf, g, rtol=1e-6, atol=1e-7)


@settings(max_examples=40)
@given(programs())
def test_second_derivatives(program):
    shapes, steps, seed = program
    arrays = draw_arrays(shapes, seed)
    directions = draw_arrays(shapes, seed + 1)

    def slope(double):
        """The derivative along a direction, and the leaves."""
        leaves = [Variable(a) for a in arrays]
        gxs = grad([compute(leaves, steps)], leaves, enable_double_backprop=double)
        total = sum(
            ((g * d).sum() for g, d in zip(gxs, directions, strict=True) if g is not None), start=leaves[0].sum() * 0
        )
        return total, leaves

    total, leaves = slope(True)
    gxs = grad([total], leaves)
    expected = numerical(lambda: slope(False)[0].item(), arrays, 1e-5)
    computed = zeros_for_none([None if g is None else g.array for g in gxs], arrays)
    for g, e in zip(computed, expected, strict=True):
        np.testing.assert_allclose(g, e, rtol=1e-5, atol=1e-6)


@settings(max_examples=60)
@given(programs())
def test_backward_with_double_backprop_and_grad_agree_with_plain_backward(program):
    shapes, steps, seed = program
    arrays = draw_arrays(shapes, seed)
    results = []
    for way in ("plain", "double", "grad"):
        leaves = [Variable(a) for a in arrays]
        loss = compute(leaves, steps)
        if way == "grad":
            results.append([None if g is None else g.array for g in grad([loss], leaves)])
        else:
            loss.backward(enable_double_backprop=way == "double")
            results.append([v.grad for v in leaves])
    for plain, *others in zip(*results, strict=True):
        for other in others:
            assert (plain is None) == (other is None)
            if plain is not None:
                np.testing.assert_allclose(other, plain, rtol=1e-12, atol=1e-14)


@given(st.floats(0.5, 2), st.floats(-3, 3))
def test_derivatives_of_a_power_to_the_third_order(value, exponent):
    x = Variable(np.array(value))
    y = x**exponent
    factor = 1.0
    for order in range(1, 4):
        factor *= exponent - order + 1
        (y,) = grad([y], [x], enable_double_backprop=True)
        if y is None:  # of a constant
            assert factor == 0
            break
        assert math.isclose(y.item(), factor * value ** (exponent - order), rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.torch
@settings(max_examples=60)
@given(programs())
def test_as_pytorch(program):
    torch = pytest.importorskip("torch")
    shapes, steps, seed = program
    arrays = draw_arrays(shapes, seed)
    leaves = [Variable(a) for a in arrays]
    loss = compute(leaves, steps)
    loss.backward()
    theirs = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in arrays]
    expected = compute(theirs, steps)
    expected.backward()
    assert math.isclose(loss.item(), expected.item(), rel_tol=1e-10)
    for mine, other in zip(leaves, theirs, strict=True):
        assert (mine.grad is None) == (other.grad is None)
        if mine.grad is not None:
            np.testing.assert_allclose(mine.grad, other.grad.numpy(), rtol=1e-9, atol=1e-12)
