"""Functions of one array, element by element; NumPy's function of the same name in float64 is the reference."""

import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions import (
    arccos,
    arcsin,
    arctan,
    arctanh,
    ceil,
    clip,
    cos,
    cosh,
    exp,
    expm1,
    fix,
    floor,
    log,
    log1p,
    log2,
    log10,
    rsqrt,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    tan,
)
from renga_testing.function_suite import FunctionSuite, without_gradient


class LikeNumpy(FunctionSuite):
    bad_inputs = {"integers": ((np.arange(3),), InvalidType, ("a floating dtype", "int64 (3,)"))}

    def make_inputs(self, rng, dtype):
        return (rng.uniform(0.25, 3, (4, 3)).astype(dtype),)

    def call(self, x):
        return self.function(x)

    def reference(self, x):
        return getattr(np, self.function.__name__)(x)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3), dtype),)


class TestExp(LikeNumpy):
    function = staticmethod(exp)


class TestExpm1(LikeNumpy):
    function = staticmethod(expm1)


class TestLog(LikeNumpy):
    function = staticmethod(log)


class TestLog1p(LikeNumpy):
    function = staticmethod(log1p)


class TestSqrt(LikeNumpy):
    function = staticmethod(sqrt)


class TestSin(LikeNumpy):
    function = staticmethod(sin)


class TestCos(LikeNumpy):
    function = staticmethod(cos)


class TestSquare(LikeNumpy):
    function = staticmethod(square)


class TestLog2(LikeNumpy):
    function = staticmethod(log2)


class TestLog10(LikeNumpy):
    function = staticmethod(log10)


class TestSinh(LikeNumpy):
    function = staticmethod(sinh)


class TestCosh(LikeNumpy):
    function = staticmethod(cosh)


class TestArctan(LikeNumpy):
    function = staticmethod(arctan)


class TestRsqrt(LikeNumpy):
    function = staticmethod(rsqrt)

    def reference(self, x):
        return x**-0.5


class Within(LikeNumpy):
    """Functions of numbers from -1 to 1."""

    def make_inputs(self, rng, dtype):
        return (rng.uniform(-0.8, 0.8, (4, 3)).astype(dtype),)


class TestTan(Within):
    function = staticmethod(tan)


class TestArcsin(Within):
    function = staticmethod(arcsin)


class TestArccos(Within):
    function = staticmethod(arccos)


class TestArctanh(Within):
    function = staticmethod(arctanh)


@pytest.mark.parametrize("function", [arcsin, arccos, arctanh])
def test_gradients_near_the_end(function):
    """There 1 - x**2 has lost its digits, but (1 - x) (1 + x) has not."""
    x = Variable(np.array([1 - 2**-20], "f4"))
    function(x).backward()
    exact = 1 / ((2**-20) * (2 - 2**-20)) ** (1 if function is arctanh else 0.5)
    np.testing.assert_allclose(x.grad, -exact if function is arccos else exact, rtol=1e-6)


class TestClip(LikeNumpy):
    cases = {
        "both": {"limits": (0.5, 2.0)},
        "below": {"limits": (1, None)},
        "above": {"limits": (None, 2)},
        "fixed": {"limits": (1.0, 1.0)},
    }

    def call(self, x):
        return clip(x, *self.limits)

    def reference(self, x):
        return np.clip(x, *self.limits)


def test_clip_lets_the_gradient_through_at_the_limits():
    x = Variable(np.array([-1.0, -0.5, 0.0, 0.5, 1.0]))
    y = clip(x, -0.5, 0.5)
    y.grad = np.ones(5)
    y.backward()
    assert x.grad.tolist() == [0, 1, 1, 1, 0]


def test_clip_without_sense():
    with pytest.raises(ValueError, match="x_min 2 is larger than x_max 1"):
        clip(np.zeros(1), 2, 1)
    with pytest.raises(ValueError, match="give x_min, x_max or both"):
        clip(np.zeros(1), None, None)


def in_numpy(function):
    """What NumPy calls it; its own `fix` is deprecated."""
    return {"fix": "trunc"}.get(function.__name__, function.__name__)


class Steps(FunctionSuite):
    """NumPy's function of the same name."""

    excluded = without_gradient("constant but for steps: no gradient flows through it")

    def make_inputs(self, rng, dtype):
        return (rng.uniform(-3, 3, (4, 3)).astype(dtype),)

    def call(self, x):
        return self.function(x)

    def reference(self, x):
        return getattr(np, in_numpy(self.function))(x)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3), dtype),)


class TestFloor(Steps):
    function = staticmethod(floor)
    bad_inputs = {"a list": (([1.5],), InvalidType, ("floor", "x", "list"))}


class TestCeil(Steps):
    function = staticmethod(ceil)
    bad_inputs = {"a list": (([1.5],), InvalidType, ("ceil", "x", "list"))}


class TestFix(Steps):
    function = staticmethod(fix)
    bad_inputs = {"a list": (([1.5],), InvalidType, ("fix", "x", "list"))}


class TestSign(Steps):
    function = staticmethod(sign)
    bad_inputs = {"a list": (([1.5],), InvalidType, ("sign", "x", "list"))}


@pytest.mark.parametrize("function", [floor, ceil, sign, fix])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_constants_to_the_graph(function, dtype):
    x = Variable(np.array([-1.5, 0, 1.25], dtype))
    y = function(x)
    assert y.creator is None
    assert not y.requires_grad
    assert y.dtype == dtype
    assert y.array.tolist() == getattr(np, in_numpy(function))(x.array).tolist()
