import numpy as np
import scipy.fft

from renga_core.graph import InvalidType
from renga_nn.functions import fft, ifft
from renga_testing.function_suite import FunctionSuite


class OfPairs(FunctionSuite):
    cases = {"vector": {"shape": (5,)}, "images": {"shape": (2, 3, 4)}, "one": {"shape": (3, 1)}}
    tolerances = {**FunctionSuite.tolerances, "float16": 2e-2}
    bad_inputs = {
        "shapes": ((np.ones(2), np.ones(3)), InvalidType, ("fft", "imaginary part", "(2,)", "(3,)")),
        "dtypes": ((np.ones(2), np.ones(2, "f")), InvalidType, ("fft", "imaginary part", "float32")),
        "integers": ((np.ones(2, int), np.ones(2, int)), InvalidType, ("fft", "real part", "floating")),
        "nothing": ((np.ones((2, 0)), np.ones((2, 0))), InvalidType, ("fft", "real part", "at least one element")),
        "no axis": ((np.ones(()), np.ones(())), InvalidType, ("fft", "real part", "last axis")),
        "one part": ((np.ones(2),), InvalidType, ("fft", "x", "a pair", "1 of them")),
    }

    def make_inputs(self, rng, dtype):
        return rng.standard_normal(self.shape).astype(dtype), rng.standard_normal(self.shape).astype(dtype)

    def call(self, *x):
        return self.function(x)

    def reference(self, real, imag):
        y = self.scipy(real + 1j * imag)
        return y.real, y.imag

    def empty_inputs(self, dtype):
        return np.zeros((0, 3), dtype), np.zeros((0, 3), dtype)


class TestFft(OfPairs):
    function = staticmethod(fft)
    scipy = staticmethod(scipy.fft.fft)


class TestIfft(OfPairs):
    function = staticmethod(ifft)
    scipy = staticmethod(scipy.fft.ifft)
