"""`renga_chainer.utils`: arrays, final methods, marks, folders."""

from __future__ import annotations

import os
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

from renga_chainer.utils import (
    enable_final,
    experimental,
    final,
    force_array,
    force_type,
    nondeterministic,
    size_of_shape,
    sum_to,
    tempdir,
)
from renga_core.configuration import using_config


def test_force_array():
    x = np.ones(3, np.float32)
    assert force_array(x) is x
    assert force_array(x, np.float32) is x
    assert force_array(x, np.float64).dtype == np.float64
    for scalar in (2.5, np.float64(2.5)):
        made = force_array(scalar, np.float32)
        assert isinstance(made, np.ndarray)
        assert (made.shape, made.dtype, float(made)) == ((), np.float32, 2.5)


def test_force_type():
    x = np.ones(3, np.float32)
    assert force_type(np.float32, x) is x
    assert force_type(np.dtype("float16"), x).dtype == np.float16
    assert isinstance(force_type(np.float32, 2.0), np.float32)


def test_size_of_shape():
    assert [size_of_shape(s) for s in ((), (3,), (2, 0), (2, 3, 4))] == [1, 3, 0, 24]


@given(mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=3), st.randoms(use_true_random=False))
def test_sum_to_is_the_adjoint_of_broadcasting(shapes, random):
    """``<broadcast(a), b> = <a, sum_to(b)>`` for all a and b defines it."""
    shape, wide = shapes.input_shapes[0], shapes.result_shape
    rng = np.random.default_rng(random.randrange(1000))
    a, b = rng.integers(-9, 9, shape), rng.integers(-9, 9, wide)
    total = sum_to(b, shape)
    assert total.shape == shape
    assert (np.broadcast_to(a, wide) * b).sum() == (a * total).sum()


@pytest.mark.parametrize("shape", [(3,), (2, 2, 2), (2, 1, 4)])
def test_sum_to_refuses_what_does_not_broadcast(shape):
    with pytest.raises(ValueError, match="cannot be broadcast to"):
        sum_to(np.ones((2, 4)), shape)


class Base(enable_final()):
    @final
    def fixed(self):
        return 1

    @final(action=DeprecationWarning)
    def discouraged(self):
        return 1

    def free(self):
        return 1


def test_final_methods_are_not_overridden():
    with pytest.raises(TypeError, match=r"Derived overrides the final method 'fixed' of Base"):

        class Derived(Base):
            def fixed(self):
                return 2


def test_final_with_a_warning_lets_it_pass():
    with pytest.warns(DeprecationWarning, match="'discouraged' of Base"):

        class Derived(Base):
            def discouraged(self):
                return 2

    assert Derived().discouraged() == 2


def test_grandchildren_are_looked_at_and_other_methods_are_free():
    class Child(Base):
        def free(self):
            return 2

    assert (Child().free(), Child().fixed()) == (2, 1)
    with pytest.raises(TypeError, match="Grandchild overrides the final method 'fixed' of Base"):

        class Grandchild(Child):
            def fixed(self):
                return 3


def test_enable_final_joins_bases_and_metaclasses():
    class Meta(type):
        pass

    class Other(metaclass=Meta):
        pass

    class Joined(enable_final(base=(Other,), meta_base=Meta)):
        @final
        def fixed(self):
            return 1

    assert issubclass(Joined, Other)
    assert isinstance(Joined, Meta)
    with pytest.raises(TypeError, match="fixed"):

        class Derived(Joined):
            def fixed(self):
                return 2


def test_experimental_warns_where_it_is_called():
    def new():
        experimental("renga.new")

    with pytest.warns(FutureWarning, match=r"renga\.new is experimental") as caught:
        new()
    assert caught[0].filename == __file__


def test_nondeterministic_warns_when_asked():
    def scatter():
        nondeterministic("scatter")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scatter()
    with using_config("warn_nondeterministic", True), pytest.warns(UserWarning, match="scatter may compute"):
        scatter()


def test_tempdir_is_there_and_goes():
    with tempdir(prefix="abc") as path:
        assert os.path.basename(path).startswith("abc")
        open(os.path.join(path, "file"), "w").close()
    assert not os.path.exists(path)
