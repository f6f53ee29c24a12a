import numpy as np

from renga_core.graph import InvalidType
from renga_nn.functions.pooling import average_pooling_2d, global_average_pooling_2d
from renga_testing.function_suite import FunctionSuite


def pair(value):
    return value if isinstance(value, tuple) else (value, value)


class TestAveragePooling2D(FunctionSuite):
    cases = {
        "side by side": {"ksize": 2, "stride": None, "pad": 0},
        "rest left out": {"ksize": (3, 2), "stride": None, "pad": 0},
        "overlapping": {"ksize": 3, "stride": (1, 2), "pad": (1, 2)},
        "far apart": {"ksize": (1, 2), "stride": 3, "pad": 0},
    }
    bad_inputs = {"three axes": ((np.zeros((2, 3, 4)),), InvalidType, ["average_pooling_2d: x", "4 axes", "(2, 3, 4)"])}

    def make_inputs(self, rng, dtype):
        return (rng.normal(size=(2, 3, 5, 6)).astype(dtype),)

    def call(self, x):
        return average_pooling_2d(x, self.ksize, self.stride, self.pad)

    def reference(self, x):
        (kh, kw), (ph, pw) = pair(self.ksize), pair(self.pad)
        sh, sw = (kh, kw) if self.stride is None else pair(self.stride)
        padded = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
        rows = range(0, padded.shape[2] - kh + 1, sh)
        columns = range(0, padded.shape[3] - kw + 1, sw)
        means = [[padded[:, :, i : i + kh, j : j + kw].mean(axis=(2, 3)) for j in columns] for i in rows]
        return np.array(means).transpose(2, 3, 0, 1)

    def empty_inputs(self, dtype):
        return (np.ones((0, 3, 5, 6), dtype),)


class TestGlobalAveragePooling2D(FunctionSuite):
    bad_inputs = {"three axes": ((np.zeros((2, 3, 4)),), InvalidType, ["global_average_pooling_2d: x", "(2, 3, 4)"])}

    def make_inputs(self, rng, dtype):
        return (rng.normal(size=(2, 3, 5, 6)).astype(dtype),)

    def call(self, x):
        return global_average_pooling_2d(x)

    def reference(self, x):
        return np.einsum("nchw->nc", x) / 30

    def empty_inputs(self, dtype):
        return (np.ones((0, 3, 5, 6), dtype),)
