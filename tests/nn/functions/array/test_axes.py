import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_core.graph import InvalidType
from renga_nn.functions import expand_dims, flatten, moveaxis, rollaxis, swapaxes
from renga_testing.function_suite import FunctionSuite


class Rearranging(FunctionSuite):
    """The reference is NumPy's function of the same name."""

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((2, 3, 4)).astype(dtype),)

    def empty_inputs(self, dtype):
        return (np.zeros((2, 0, 4), dtype),)

    def call(self, x):
        return self.function(x, *self.args)

    def reference(self, x):
        return self.numpy(x, *self.args)


class TestFlatten(Rearranging):
    function = staticmethod(flatten)
    numpy = staticmethod(np.ravel)
    args = ()
    bad_inputs = {"a list": (([1.0],), InvalidType, ("flatten", "x", "list"))}


class TestExpandDims(Rearranging):
    cases = {str(axis): {"args": (axis,)} for axis in (3, 0, 1, -1, -4)}
    bad_inputs = {"no such axis": ((np.zeros(2),), ValueError, ("expand_dims", "axis 3"))}
    function = staticmethod(expand_dims)
    numpy = staticmethod(np.expand_dims)


class TestSwapaxes(Rearranging):
    cases = {str(axes): {"args": axes} for axes in ((0, 1), (0, -1), (2, 2))}
    bad_inputs = {"no such axis": ((np.zeros(2),), ValueError, ("swapaxes", "axis 1"))}
    function = staticmethod(swapaxes)
    numpy = staticmethod(np.swapaxes)


class TestMoveaxis(Rearranging):
    cases = {str(axes): {"args": axes} for axes in ((0, 2), (-1, 0), ((0, 1), (-1, 0)), ((2, 0), (0, 1)))}
    bad_inputs = {"no such axis": ((np.zeros((2, 2)),), ValueError, ("moveaxis", "axis 2"))}
    function = staticmethod(moveaxis)
    numpy = staticmethod(np.moveaxis)


class TestRollaxis(Rearranging):
    cases = {str(axes): {"args": axes} for axes in ((2,), (0, 3), (1, 2), (1, -1))}
    bad_inputs = {"no such axis": ((np.zeros(2),), ValueError, ("rollaxis", "axis 2"))}
    function = staticmethod(rollaxis)
    numpy = staticmethod(np.rollaxis)


@given(st.integers(-4, 3), st.integers(-4, 4))
def test_rollaxis_is_numpys(axis, start):
    x = np.zeros((2, 3, 4, 5))
    assert rollaxis(x, axis, start).shape == np.rollaxis(x, axis, start).shape


@given(st.permutations(range(4)), st.permutations(range(-4, 0)), st.integers(1, 4))
def test_moveaxis_is_numpys(source, destination, count):
    x = np.zeros((2, 3, 4, 5))
    args = tuple(source[:count]), tuple(destination[:count])
    assert moveaxis(x, *args).shape == np.moveaxis(x, *args).shape


def test_moveaxis_of_two_axes_to_one_place():
    with pytest.raises(ValueError, match=r"2 axes .* 1 positions"):
        moveaxis(np.zeros((2, 3)), (0, 1), 0)


def test_moveaxis_names_an_axis_twice():
    with pytest.raises(ValueError, match="twice"):
        moveaxis(np.zeros((2, 3)), (0, -2), (0, 1))
