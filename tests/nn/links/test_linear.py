import numpy as np
import pytest

from renga_nn.links import Linear


def test_default_initializers():
    link = Linear(10_000, 50)
    assert abs(link.W.array.std() - 0.01) < 1e-4
    assert not link.b.array.any()


def test_initializers_as_numbers_arrays_names_and_callables():
    link = Linear(2, 3, initialW=np.arange(6.0).reshape(3, 2), initial_bias=7)
    assert link.W.array.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert link.b.array.tolist() == [7, 7, 7]
    assert Linear(2, 2, initialW="identity").W.array.tolist() == [[1, 0], [0, 1]]


def test_input_of_several_axes():
    assert Linear(None, 2)(np.ones((4, 3, 5))).shape == (4, 2)
    assert Linear(None, 2)(np.ones((4, 3, 5)), n_batch_axes=2).shape == (4, 3, 2)


def test_from_params():
    link = Linear.from_params(np.array([[1.0, 2.0]]), np.array([3.0]))
    assert link(np.array([[1.0, 1.0]])).array.tolist() == [[6]]
    assert Linear.from_params(np.ones((1, 2)), nobias=True).b is None
    with pytest.raises(ValueError, match="nobias=True says there is none"):
        Linear.from_params(np.ones((1, 2)), np.ones(1), nobias=True)


def test_no_size_at_all():
    with pytest.raises(TypeError, match=r"Linear\(n\) or Linear\(None, n\)"):
        Linear(None)
