import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_nn import initializers
from renga_nn.initializers import Constant, HeNormal, LeCunNormal, Normal, generate_array, get_initializer
from renga_nn.initializers.lookup import with_dtype


def test_what_may_be_given():
    assert isinstance(get_initializer(None), LeCunNormal)
    assert isinstance(get_initializer("he_normal"), HeNormal)
    assert get_initializer(2).fill_value == 2
    array = np.arange(3)
    assert get_initializer(array).fill_value is array
    assert get_initializer(np.float32(2)).fill_value == 2
    own = Normal(2)
    assert get_initializer(own) is own


def test_every_initializer_has_a_name():
    named = {type(get_initializer(name)) for name in initializers.lookup._BY_NAME}
    public = {getattr(initializers, name) for name in initializers.__all__ if name[0].isupper()}
    assert public - named == {initializers.Initializer, Constant}


def test_unknown_name():
    with pytest.raises(ValueError, match=r"no initializer is named 'he_norm'.*Did you mean 'he_normal'"):
        get_initializer("he_norm")


def test_something_else():
    with pytest.raises(TypeError, match="not \\[1, 2\\]"):
        get_initializer([1, 2])


def test_generate_array_takes_the_dtype_of_initializer_argument_or_configuration():
    assert generate_array(Normal(dtype="float16"), (2,), np).dtype == np.float16
    assert generate_array(Normal(), (2,), np, dtype="float64").dtype == np.float64
    with using_config("dtype", np.dtype("float16")):
        assert generate_array(Normal(), 2, device="numpy").dtype == np.float16


def test_generate_array_refuses_dtypes_that_contradict():
    with pytest.raises(ValueError, match=r"dtype is float64, but .* makes float16"):
        generate_array(Normal(dtype="float16"), 2, np, dtype="float64")


def test_with_dtype_leaves_the_initializer_alone():
    shared = Normal(2)
    typed = with_dtype(shared, np.dtype("float64"))
    assert generate_array(typed, 3).dtype == np.float64
    assert shared.dtype is None
    assert with_dtype(typed, np.dtype("float16")) is typed
