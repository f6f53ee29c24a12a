import numpy as np
import pytest

from renga_nn.links import Bias, Parameter, Scale


def test_parameter():
    link = Parameter(np.arange(3.0))
    assert link() is link.W
    assert [name for name, _ in link.namedparams()] == ["/W"]


def test_bias_trained_and_passed():
    x = np.zeros((2, 3, 4))
    link = Bias(1, (3,))
    link.b.array[...] = [1, 2, 3]
    assert link(x).array[0, :, 0].tolist() == [1, 2, 3]
    y = Bias(1)(x, np.arange(12.0).reshape(3, 4))
    np.testing.assert_array_equal(y.array[1], np.arange(12).reshape(3, 4))


def test_scale_trained_and_passed():
    x = np.ones((2, 3))
    link = Scale(1, 3, bias_term=True)
    link.W.array[...] = [1, 2, 3]
    link.bias.b.array[...] = 1
    assert link(x).array.tolist() == [[2, 3, 4]] * 2
    assert Scale(0)(x, np.array([5.0, 6.0])).array.tolist() == [[5] * 3, [6] * 3]
    assert Scale(1, bias_term=True, bias_shape=3)(x, np.zeros(3)).array.tolist() == [[0] * 3] * 2


def test_arguments_that_are_missing_or_too_many():
    with pytest.raises(TypeError, match=r"Bias takes 2 argument\(s\) here, because b is not trained; got 1"):
        Bias(1)(np.ones((2, 3)))
    with pytest.raises(TypeError, match=r"Scale takes 1 argument\(s\) here, because W is trained; got 2"):
        Scale(1, 3)(np.ones((2, 3)), np.ones(3))
    with pytest.raises(ValueError, match="bias_term=True needs W_shape or bias_shape"):
        Scale(1, bias_term=True)


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match=r"shape \(3,\) does not fit the axes from 1 on of shape \(2, 4\)"):
        Bias(1, 3)(np.ones((2, 4)))
