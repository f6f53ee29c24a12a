import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions import concat, split_axis
from renga_testing.function_suite import FunctionSuite


class TestConcat(FunctionSuite):
    cases = {
        "default": {"args": (), "axis": 1, "shapes": ((2, 3), (2, 1), (2, 4))},
        "rows": {"args": (0,), "axis": 0, "shapes": ((2, 3), (1, 3))},
        "last": {"args": (-1,), "axis": -1, "shapes": ((2, 3, 2), (2, 3, 1), (2, 3, 0))},
        "one": {"args": (0,), "axis": 0, "shapes": ((2,),)},
    }
    bad_inputs = {
        "sizes": ((np.zeros((2, 3)), np.zeros((3, 3))), InvalidType, ("concat", "axis 1", "(2, 3)", "(3, 3)")),
        "dtypes": ((np.zeros((2, 3)), np.zeros((2, 3), "f")), InvalidType, ("concat", "one dtype", "float32")),
        "nothing": ((), InvalidType, ("concat", "at least one array")),
        "axis": ((np.zeros(2),), ValueError, ("concat", "axis 1")),
    }

    def make_inputs(self, rng, dtype):
        return tuple(rng.standard_normal(shape).astype(dtype) for shape in self.shapes)

    def call(self, *xs):
        return concat(xs, *self.args)

    def reference(self, *xs):
        return np.concatenate(xs, self.axis)

    def empty_inputs(self, dtype):
        return tuple(
            np.zeros(shape, dtype)[:0] if self.axis else np.zeros(shape, dtype)[..., :0] for shape in self.shapes
        )


class TestSplitAxis(FunctionSuite):
    cases = {
        "sections": {"args": (3, 1), "shape": (2, 6)},
        "places": {"args": ([1, 4], 1), "shape": (2, 6)},
        "empty piece": {"args": ([2, 2], 0), "shape": (5,)},
        "from the end": {"args": ([-2], -1), "shape": (2, 2, 5)},
        "array of places": {"args": (np.array([1, 2]), 0), "shape": (4, 2)},
        "beyond": {"args": ([2, 9], 0), "shape": (4,)},
    }
    bad_inputs = {
        "not divisible": ((np.zeros((6, 2)),), InvalidType, ("split_axis", "axis 1 divisible by 3", "(6, 2)"))
    }

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal(self.shape).astype(dtype),)

    def call(self, x):
        return split_axis(x, *self.args)

    def reference(self, x):
        return tuple(np.split(x, *self.args))

    def empty_inputs(self, dtype):
        """Empty along another axis, where there is one."""
        cut, axes = self.args[1] % len(self.shape), len(self.shape)
        shape = [0 if a == (cut + 1) % axes else n for a, n in enumerate(self.shape)]
        return (np.zeros(shape, dtype),)


def test_force_tuple():
    x = np.ones((2, 2))
    assert isinstance(split_axis(x, 1, 0, force_tuple=False), Variable)
    assert isinstance(split_axis(x, 1, 0), tuple)
    assert len(split_axis(x, 2, 0, force_tuple=False)) == 2


def test_places_out_of_order():
    with pytest.raises(ValueError, match="ascending"):
        split_axis(np.zeros(5), [3, 1], 0)


def test_no_sections():
    with pytest.raises(InvalidType, match="divisible by 0"):
        split_axis(np.zeros(5), 0, 0)
