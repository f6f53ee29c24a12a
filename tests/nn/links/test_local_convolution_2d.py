import numpy as np
import pytest

from renga_core.backend import to_host
from renga_core.graph import InvalidType
from renga_nn.links import LocalConvolution2D
from renga_testing.link_suite import LinkSuite


class TestLocalConvolution2D(LinkSuite):
    cases = {
        "sizes given": {"arguments": (2, 3, (3, 4), 2), "options": {}, "stride": (1, 1)},
        "size of the first input": {"arguments": (None, 3), "options": {"ksize": (1, 2)}, "stride": (1, 1)},
        "channels given": {"arguments": (2, 3, None, 2), "options": {"initial_bias": 1}, "stride": (1, 1)},
        "everything": {"arguments": (2, 1, (3, 4), 2, (1, 2), True), "options": {}, "stride": (1, 2)},
    }
    bad_inputs = {"another size": ((np.ones((1, 2, 5, 6)),), InvalidType, ("local_convolution_2d: W", "(O, 4, 5, 2"))}
    tolerances = {"float16": 2e-2, "float32": 1e-5, "float64": 1e-11}

    def make_link(self):
        return LocalConvolution2D(*self.arguments, **self.options)

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((2, 2, 3, 4)).astype(dtype),)

    def reference(self, params, x):
        W, (sy, sx) = params["W"], self.stride
        y = np.zeros((len(x), *W.shape[:3]))
        for o, i, j in np.ndindex(*W.shape[:3]):
            seen = x[:, :, i * sy : i * sy + W.shape[4], j * sx : j * sx + W.shape[5]]
            y[:, o, i, j] = (seen * W[o, i, j]).sum((1, 2, 3))
        return y + params["b"] if "b" in params else y

    def empty_inputs(self, dtype):
        return (np.zeros((0, 2, 3, 4), dtype),)


def test_the_inputs_of_an_output_are_a_window(device):
    W = to_host(LocalConvolution2D(4, 5, 12, 3).W.array)
    assert W.shape == (5, 10, 10, 4, 3, 3)
    np.testing.assert_allclose(W.std(), 1 / 6, rtol=0.05)


def test_filters_without_a_size():
    with pytest.raises(TypeError, match="LocalConvolution2D needs the size of its filters"):
        LocalConvolution2D(2, 3, 5)


def test_images_smaller_than_the_filters():
    with pytest.raises(ValueError, match=r"images of \(2, 2\) are smaller than filters of \(3, 3\)"):
        LocalConvolution2D(1, 1, 2, 3)
