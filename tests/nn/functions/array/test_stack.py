import numpy as np

from renga_core.graph import InvalidType
from renga_nn.functions import dstack, hstack, separate, stack, vstack
from renga_testing.function_suite import FunctionSuite


class TestStack(FunctionSuite):
    cases = {str(axis): {"axis": axis} for axis in (0, 1, 2, -1)}
    bad_inputs = {
        "shapes": ((np.zeros((2, 3)), np.zeros((2, 1))), InvalidType, ("stack", "one shape", "(2, 1)")),
        "dtypes": ((np.zeros(2), np.zeros(2, "f")), InvalidType, ("stack", "one dtype", "float32")),
        "nothing": ((), InvalidType, ("stack", "at least one array")),
    }

    def make_inputs(self, rng, dtype):
        return tuple(rng.standard_normal((2, 3)).astype(dtype) for _ in range(3))

    def call(self, *xs):
        return stack(xs, self.axis)

    def reference(self, *xs):
        return np.stack(xs, self.axis)

    def empty_inputs(self, dtype):
        return np.zeros((2, 0), dtype), np.zeros((2, 0), dtype)


class TestSeparate(FunctionSuite):
    cases = {str(axis): {"axis": axis} for axis in (0, 1, -1)}
    bad_inputs = {"axis": ((np.zeros(()),), ValueError, ("separate", "axis 0"))}

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((2, 3, 4)).astype(dtype),)

    def call(self, x):
        return separate(x, self.axis)

    def reference(self, x):
        return tuple(np.moveaxis(x, self.axis, 0))

    def empty_inputs(self, dtype):
        shape = [2, 3, 4]
        shape[(self.axis + 1) % 3] = 0
        return (np.zeros(shape, dtype),)


class LikeNumpy(FunctionSuite):
    cases = {
        "scalars": {"shapes": ((), ())},
        "vectors": {"shapes": ((3,), (3,))},
        "matrices": {"shapes": ((2, 3), (2, 3))},
        "cubes": {"shapes": ((2, 3, 4), (2, 3, 4))},
    }

    def make_inputs(self, rng, dtype):
        return tuple(rng.standard_normal(shape).astype(dtype) for shape in self.shapes)

    def call(self, *xs):
        return self.function(xs)

    def reference(self, *xs):
        return self.numpy(xs)

    def empty_inputs(self, dtype):
        return tuple(np.zeros(shape, dtype) for shape in self.empty)


class TestHstack(LikeNumpy):
    function = staticmethod(hstack)
    numpy = staticmethod(np.hstack)
    empty = (2, 0), (2, 3)
    bad_inputs = {
        "shapes": ((np.ones((2, 3)), np.ones((3, 3))), InvalidType, ("hstack", "xs", "differ in axis 1", "(3, 3)")),
        "a list": ((np.ones(2), [1.0]), InvalidType, ("hstack", "xs", "list")),
        "nothing": ((), InvalidType, ("hstack", "xs", "at least one array")),
    }


class TestVstack(LikeNumpy):
    function = staticmethod(vstack)
    numpy = staticmethod(np.vstack)
    empty = (0, 3), (2, 3)
    bad_inputs = {
        "shapes": ((np.ones((2, 3)), np.ones((2, 2))), InvalidType, ("vstack", "xs", "differ in axis 0", "(2, 2)")),
        "a list": ((np.ones(2), [1.0]), InvalidType, ("vstack", "xs", "list")),
        "nothing": ((), InvalidType, ("vstack", "xs", "at least one array")),
    }


class TestDstack(LikeNumpy):
    function = staticmethod(dstack)
    numpy = staticmethod(np.dstack)
    empty = (2, 0), (2, 0)
    bad_inputs = {
        "shapes": ((np.ones((2, 3)), np.ones((2, 2))), InvalidType, ("dstack", "xs", "differ in axis 2", "(2, 2, 1)")),
        "a list": ((np.ones(2), [1.0]), InvalidType, ("dstack", "xs", "list")),
        "nothing": ((), InvalidType, ("dstack", "xs", "at least one array")),
    }
