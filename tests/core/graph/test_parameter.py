import copy
import pickle

import numpy as np
import pytest

from renga_core.backend import get_device, using_device
from renga_core.configuration import using_config
from renga_core.graph import GraphError, Parameter, Variable


class Fill:
    """An initializer with a dtype of its own."""

    dtype = np.float64

    def __call__(self, array):
        array[...] = 7


class TestArray:
    def test_of_a_number(self):
        p = Parameter(0.5, (2, 3), name="W")
        np.testing.assert_array_equal(p.array, np.full((2, 3), 0.5))
        assert (p.dtype, p.initializer, p.update_rule) == (np.float32, 0.5, None)
        assert isinstance(p, Variable)

    @pytest.mark.parametrize("number", [2, 2.0, np.float64(2), np.sqrt(4)])
    def test_a_number_takes_the_default_dtype(self, number):
        assert Parameter(number, 3).dtype == np.float32
        with using_config("dtype", np.float16):
            p = Parameter(number)
            assert p.dtype == np.float16
            p.initialize((2,))
        assert p.array.dtype == np.float16

    def test_of_none_it_is_nan(self):
        assert np.isnan(Parameter(shape=2).array).all()

    def test_of_a_callable_with_a_dtype(self):
        p = Parameter(Fill(), 2)
        np.testing.assert_array_equal(p.array, [7, 7])
        assert p.dtype == np.float64
        p = Parameter(Fill())
        assert p.dtype is np.dtype(np.float64)

    def test_of_an_array(self):
        values = np.array([1.0, 2.0])
        assert Parameter(values).array is values
        p = Parameter(values, 2)
        assert p.dtype == np.float64
        assert not np.shares_memory(p.array, values)
        np.testing.assert_array_equal(p.array, values)
        with pytest.raises(ValueError, match="cannot be initialized") as caught:
            Parameter(values, 3, name="b")
        assert str(caught.value) == "parameter b of shape (3,) cannot be initialized with float64 (2,)"


class TestDeferredShape:
    def test_until_it_is_known(self):
        p = Parameter(1, name="W")
        assert not p.is_initialized
        assert p.array is None
        assert p.dtype == np.float32
        assert str(p.device) == "numpy"
        assert repr(p) == str(p) == "parameter W(not initialized)"
        for ask in (lambda: p.shape, lambda: p.ndim, lambda: p.size, lambda: len(p)):
            with pytest.raises(GraphError) as caught:
                ask()
            assert str(caught.value) == (
                "parameter W has no shape yet. Call its link once, or initialize() it, before using it."
            )
        p.cleargrad()
        p.initialize([2, 3])
        assert p.is_initialized
        assert p.shape == (2, 3)
        assert p.node.shape == (2, 3)

    def test_computing_with_it_says_what_to_do(self):
        x = Variable(np.ones(2, np.float32))
        with pytest.raises(TypeError) as caught:
            x * Parameter()
        what_to_do, where = caught.value.__notes__
        assert what_to_do == (
            "An input is a Parameter whose shape is not known yet. Call its link once, or initialize() it, before "
            "using it."
        )
        assert where == "In Multiply.forward, called with float32 (2,), None"

    def test_initialize_twice(self):
        p = Parameter(1, (2,), name="W")
        array = p.array
        p.initialize((2,))
        assert p.array is array
        with pytest.raises(GraphError) as caught:
            p.initialize((3,))
        assert str(caught.value) == "parameter W has shape (2,) already; it cannot become (3,)"

    def test_copydata_and_addgrad_initialize(self):
        source = Parameter(3, (2,))
        source.grad = np.ones(2, np.float32)
        p = Parameter(0)
        p.copydata(Parameter())
        assert not p.is_initialized
        p.copydata(source)
        np.testing.assert_array_equal(p.array, [3, 3])
        q = Parameter(0)
        q.addgrad(Parameter())
        q.addgrad(source)
        np.testing.assert_array_equal(q.array, [0, 0])
        np.testing.assert_array_equal(q.grad, [1, 1])

    def test_devices(self):
        p = Parameter(0)
        p.to_device("@numpy")
        assert p.device == get_device("numpy")
        with using_device("numpy"):
            p.initialize((1,))
        assert str(p.device) == "numpy"


class TestCopies:
    def make(self):
        p = Parameter(0.5, (2,), name="W")
        p.grad = np.ones(2, np.float32)
        p.note = ["added by a program"]
        return p

    def test_pickle(self):
        q = pickle.loads(pickle.dumps(self.make()))
        assert isinstance(q, Parameter)
        assert (q.name, q.initializer, q.note) == ("W", 0.5, ["added by a program"])
        np.testing.assert_array_equal(q.array, [0.5, 0.5])
        np.testing.assert_array_equal(q.grad, [1, 1])
        p = Parameter(2.0, name="later")
        p.to_device("numpy")
        q = pickle.loads(pickle.dumps(p))
        assert not q.is_initialized
        q.initialize((1,))
        assert q.array == 2

    def test_copy_shares_and_deepcopy_does_not(self):
        p = self.make()
        shallow, deep = copy.copy(p), copy.deepcopy(p)
        assert isinstance(shallow, Parameter)
        assert shallow.array is p.array
        assert shallow.note is p.note
        assert deep.note == p.note
        assert deep.note is not p.note
        assert not np.shares_memory(deep.array, p.array)
        assert (shallow.name, deep.name, deep.initializer) == ("W", "W", 0.5)
        assert copy.deepcopy(Parameter(name="b")).array is None

    def test_repr(self):
        assert repr(self.make()) == "parameter W([0.5, 0.5])"


def test_update_calls_the_rule():
    class Rule:
        def update(self, parameter):
            parameter.array -= parameter.grad

    p = Parameter(1, (2,))
    p.grad = np.ones(2, np.float32)
    p.update()
    np.testing.assert_array_equal(p.array, [1, 1])
    p.update_rule = Rule()
    p.update()
    np.testing.assert_array_equal(p.array, [0, 0])


def test_shallow_copies_share_what_is_made_later():
    for made in (0, 1, 2):
        p = Parameter(1.0)
        q = copy.copy(p)
        r = copy.copy(q)
        (p, q, r)[made].initialize((2,))
        assert p.array is q.array is r.array
        p.array = np.zeros(2, np.float32)
        assert p.array is q.array is r.array


def test_a_copy_that_is_gone_is_forgotten():
    p = Parameter(np.ones(2, np.float32))
    for _ in range(5):
        copy.copy(p)
    assert len(p._sharers) <= 2


def test_deep_copies_of_parameters_that_share_an_array_share_one():
    p = Parameter(np.ones(2, np.float32))
    q = copy.copy(p)
    deep_p, deep_q = copy.deepcopy((p, q))
    assert deep_p.array is deep_q.array
    assert deep_p.array is not p.array


def test_data_of_a_parameter_without_shape_is_made_in_that_of_the_target():
    p = Parameter(np.ones(2, np.float32))
    q = Parameter(3.0)
    p.copydata(q)
    assert p.array.tolist() == [3, 3]
    assert q.array.tolist() == [3, 3]
