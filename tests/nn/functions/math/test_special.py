"""Special functions; SciPy in float64 is the reference, and for values far out formulas that hold there."""

import math

import numpy as np
import pytest
import scipy.special

from renga_core.graph import InvalidType, Variable
from renga_nn import functions as F
from renga_testing.function_suite import FunctionSuite


class LikeScipy(FunctionSuite):
    bad_inputs = {"integers": ((np.arange(3),), InvalidType, ("a floating dtype", "int64 (3,)"))}
    limits = (-2, 2)
    name = ""

    def make_inputs(self, rng, dtype):
        return (rng.uniform(*self.limits, (4, 3)).astype(dtype),)

    def call(self, x):
        return getattr(F, self.name)(x)

    def reference(self, x):
        return getattr(scipy.special, self.name)(x)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3), dtype),)


class TestErf(LikeScipy):
    name = "erf"


class TestErfc(LikeScipy):
    name = "erfc"


class TestErfcx(LikeScipy):
    name = "erfcx"
    limits = (-1, 3)
    tolerances = {**LikeScipy.tolerances, "float16": 2e-2}


class TestErfinv(LikeScipy):
    name = "erfinv"
    limits = (-0.8, 0.8)


class TestErfcinv(LikeScipy):
    name = "erfcinv"
    limits = (0.2, 1.8)
    tolerances = {**LikeScipy.tolerances, "float16": 2e-2}


class TestNdtr(LikeScipy):
    name = "ndtr"


class TestLogNdtr(LikeScipy):
    name = "log_ndtr"
    limits = (-4, 2)
    tolerances = {**LikeScipy.tolerances, "float16": 2e-2, "float32": 2e-5}


class TestNdtri(LikeScipy):
    name = "ndtri"
    limits = (0.1, 0.9)
    tolerances = {**LikeScipy.tolerances, "float16": 2e-2}


class TestLgamma(LikeScipy):
    name = "lgamma"
    limits = (0.5, 4)

    def reference(self, x):
        return np.vectorize(math.lgamma, otypes=[float])(x)


class TestDigamma(LikeScipy):
    name = "digamma"
    limits = (0.5, 4)
    tolerances = {**LikeScipy.tolerances, "float16": 2e-2}


@pytest.mark.parametrize("name", ["erf", "erfc", "ndtr", "lgamma", "digamma"])
def test_of_one_number(name):
    y = getattr(F, name)(np.array(1.5, "f4"))
    assert (y.shape, y.dtype) == ((), "f4")
    assert y.item() == pytest.approx(getattr(scipy.special, name.replace("lgamma", "gammaln"))(1.5), rel=1e-6)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_log_ndtr_far_out(dtype):
    """Its derivative approaches -x on the left, and vanishes on the right; nothing overflows or cancels."""
    x = Variable(np.array([-1e4, -100, 50], dtype))
    y = F.log_ndtr(x)
    y.grad = np.ones(3, dtype)
    y.backward()
    np.testing.assert_allclose(x.grad, [1e4 + 1e-4, 100.00999800099926, 0], rtol=1e-6)


class TestPolygamma(FunctionSuite):
    cases = {
        "order 0": {"n": 0},
        "order 2": {"n": 2},
        "orders": {"n": np.array([1, 2, 3])},
        "broadcast": {"n": np.array([[[1]], [[2]]])},
    }
    tolerances = {"float16": 2e-2, "float32": 2e-5, "float64": 1e-10}
    bad_inputs = {"integers": ((np.arange(3),), InvalidType, ("polygamma", "x", "floating"))}

    def make_inputs(self, rng, dtype):
        return (rng.uniform(1, 4, (4, 3)).astype(dtype),)

    def call(self, x):
        n = self.n
        return F.polygamma(x.device.send(n) if isinstance(n, np.ndarray) else n, x)

    def reference(self, x):
        """By the sum of its definition, with the integral and half the last term for the rest (Euler and Maclaurin)."""
        if isinstance(self.n, int) and self.n == 0:
            return scipy.special.digamma(x)
        n = np.asarray(self.n, float)
        sign = (-1) ** (n + 1) * scipy.special.factorial(n)
        end = 2000.0
        total = sum(1 / (x + k) ** (n + 1) for k in range(int(end)))
        last = x + end
        return sign * (total + last**-n / n + last ** -(n + 1) / 2 + (n + 1) * last ** -(n + 2) / 12)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3), dtype),)


class TestZeta(FunctionSuite):
    cases = {"one": {"x": np.array(2.5)}, "each": {"x": np.array([[1.5], [2], [3], [4]])}}
    tolerances = {"float16": 2e-2, "float32": 2e-5, "float64": 1e-11}
    bad_inputs = {"integers": ((np.arange(3),), InvalidType, ("zeta", "q", "floating"))}

    def make_inputs(self, rng, dtype):
        return (rng.uniform(1, 4, (4, 3)).astype(dtype),)

    def call(self, q):
        return F.zeta(q.device.send(self.x.astype(str(q.dtype))), q)

    def reference(self, q):
        return scipy.special.zeta(self.x, q)

    def empty_inputs(self, dtype):
        return (np.zeros((4, 0), dtype),)


def test_what_does_not_fit_is_refused():
    with pytest.raises(InvalidType, match=r"polygamma: n: expected integers, got float64"):
        F.polygamma(np.ones(2), np.ones(2))
    with pytest.raises(InvalidType, match="polygamma: n: expected a Variable or an array, got list"):
        F.polygamma([1], np.ones(2))
    with pytest.raises(InvalidType, match=r"polygamma: n: expected a shape that broadcasts with x: float64 \(2,\)"):
        F.polygamma(np.ones(3, int), np.ones(2))
    with pytest.raises(InvalidType, match=r"zeta: x: expected the dtype of q: float64 \(2,\)"):
        F.zeta(np.ones(2, "f"), np.ones(2))
    with pytest.raises(InvalidType, match=r"zeta: x: expected a shape that broadcasts with q"):
        F.zeta(np.ones(3), np.ones(2))
