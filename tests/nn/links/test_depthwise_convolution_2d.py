import numpy as np

from renga_core.backend import to_host
from renga_core.graph import InvalidType
from renga_nn.links import DepthwiseConvolution2D
from renga_testing.link_suite import LinkSuite


class TestDepthwiseConvolution2D(LinkSuite):
    cases = {
        "sizes given": {"arguments": (3, 2, 2), "options": {}, "stride": 1, "pad": 0},
        "size of the first input": {"arguments": (None, 1, 2), "options": {}, "stride": 1, "pad": 0},
        "everything": {
            "arguments": (None, 2, (2, 2), 2, 1, True),
            "options": {"initialW": "he_normal"},
            "stride": 2,
            "pad": 1,
        },
        "bias": {"arguments": (3, 2, 2), "options": {"initial_bias": 3}, "stride": 1, "pad": 0},
    }
    bad_inputs = {
        "channels": ((np.ones((1, 4, 5, 6)),), InvalidType, ("depthwise_convolution_2d: W", "(M, 4, kh, kw)"))
    }

    def make_link(self):
        return DepthwiseConvolution2D(*self.arguments, **self.options)

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((2, 3, 4, 3)).astype(dtype),)

    def reference(self, params, x):
        W, s, p = params["W"], self.stride, self.pad
        padded = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)))
        rows, columns = ((n - 2) // s + 1 for n in padded.shape[2:])
        y = np.zeros((len(x), 3, len(W), rows, columns))
        for c, m, i, j in np.ndindex(*y.shape[1:]):
            y[:, c, m, i, j] = (padded[:, c, i * s : i * s + 2, j * s : j * s + 2] * W[m, c]).sum((1, 2))
        y = y.reshape(len(x), 3 * len(W), rows, columns)
        return y + params["b"][:, None, None] if "b" in params else y

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3, 4, 3), dtype),)


def test_the_inputs_of_an_output_are_a_window_of_one_channel(device):
    W = to_host(DepthwiseConvolution2D(50, 8, 5).W.array)
    np.testing.assert_allclose(W.std(), 1 / 5, rtol=0.05)


def test_an_array_of_weights(device):
    W = np.arange(8.0).reshape(2, 1, 2, 2)
    link = DepthwiseConvolution2D(None, 2, 2, initialW=device.send(W))
    link(device.send(np.ones((1, 1, 2, 2))))
    np.testing.assert_array_equal(to_host(link.W.array), W)
