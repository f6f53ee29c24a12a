import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from renga_backend_numpy.kernels.max_pooling import MaxPooling
from renga_core.backend import get_backend
from renga_nn.functions.pooling.max_pooling import MAX_POOLING
from renga_nn.functions.pooling.window import Window


@settings(max_examples=150)
@given(st.data())
def test_agrees_with_the_reference(data):
    """Also where several elements are equally large, and where some are NaN."""
    pair = st.tuples(st.integers(1, 4), st.integers(1, 4))
    ksize, stride, size = data.draw(pair), data.draw(pair), data.draw(st.tuples(st.integers(1, 7), st.integers(1, 7)))
    pad = tuple(data.draw(st.integers(0, k - 1)) for k in ksize)
    assume(all(n + 2 * p >= k for n, p, k in zip(size, pad, ksize, strict=True)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    x = rng.integers(0, 4, (2, 3, *size)).astype(float)
    if data.draw(st.booleans()):
        x[rng.random(x.shape) < 0.1] = np.nan
    if data.draw(st.booleans()):
        x = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    window = Window.over("test", x, ksize, stride, pad, data.draw(st.booleans()), 2)
    y = MaxPooling.forward(x, window)
    np.testing.assert_array_equal(y, MAX_POOLING.reference.forward(x, window))
    gy = rng.integers(-9, 9, y.shape).astype(float)
    gx = MaxPooling.backward(x, y, gy, window)
    np.testing.assert_array_equal(gx, MAX_POOLING.reference.backward(x, y, gy, window))


def test_gradient_is_in_the_memory_order_of_the_images():
    x = np.zeros((2, 8, 6, 5), np.float32).transpose(0, 3, 1, 2)
    window = Window.over("test", x, 3, 2, 1, True, 2)
    gx = MaxPooling.backward(x, y := MaxPooling.forward(x, window), y, window)
    assert y.strides[1] == gx.strides[1] == 4


def test_it_is_chosen():
    x = np.zeros((1, 1, 2, 2))
    window = Window.over("test", x, 2, None, 0, True, 2)
    assert MAX_POOLING.select(get_backend("numpy"), x, window).name == "numpy:max_pooling.numpy"
