import numpy as np

from renga_core.backend import to_host
from renga_core.graph import InvalidType
from renga_nn.functions import convolution_2d
from renga_nn.initializers import Uniform
from renga_nn.links import DeformableConvolution2D
from renga_testing.link_suite import LinkSuite


def convolved(x, W, b, s, p):
    padded = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)))
    kh, kw = W.shape[2:]
    out = (padded.shape[2] - kh) // s + 1, (padded.shape[3] - kw) // s + 1
    y = np.zeros((len(x), len(W), *out))
    for o, i, j in np.ndindex(*y.shape[1:]):
        y[:, o, i, j] = (padded[:, :, i * s : i * s + kh, j * s : j * s + kw] * W[o]).sum((1, 2, 3))
    return y if b is None else y + b[:, None, None]


class TestDeformableConvolution2D(LinkSuite):
    """With offsets of about half a pixel: far from whole ones, where the derivative has a step."""

    cases = {
        "sizes given": {"arguments": (2, 3, 2), "options": {"deform_initial_bias": 1}, "stride": 1, "pad": 0},
        "size of the first input": {
            "arguments": (None, 3, (2, 2), 2, 1),
            "options": {"deform_nobias": True},
            "stride": 2,
            "pad": 1,
        },
    }
    bad_inputs = {"channels": ((np.ones((1, 3, 5, 6)),), InvalidType, ("convolution_2d: x", "2 channels"))}
    tolerances = {"float16": 6e-2, "float32": 2e-5, "float64": 1e-11}

    def make_link(self):
        options = {"offset_initialW": Uniform(0.01), "offset_initial_bias": 0.5, **self.options}
        return DeformableConvolution2D(*self.arguments, **options)

    def make_inputs(self, rng, dtype):
        return (rng.uniform(-0.5, 0.5, (2, 2, 3, 4)).astype(dtype),)

    def reference(self, params, x):
        W, s, p = params["deform_conv/W"], self.stride, self.pad
        offset = convolved(x, params["offset_conv/W"], params["offset_conv/b"], s, p)
        y = np.zeros((len(x), len(W), *offset.shape[2:]))
        for n, i, j, k, m in np.ndindex(len(x), *offset.shape[2:], 2, 2):
            column, row = j * s - p + m + offset[n, k * 2 + m, i, j], i * s - p + k + offset[n, 4 + k * 2 + m, i, j]
            for r, c in np.ndindex(*x.shape[2:]):
                weight = max(0, 1 - abs(row - r)) * max(0, 1 - abs(column - c))
                y[n, :, i, j] += weight * W[:, :, k, m] @ x[n, :, r, c]
        return y + params["deform_conv/b"][:, None, None] if "deform_conv/b" in params else y

    def empty_inputs(self, dtype):
        return (np.zeros((0, 2, 3, 4), dtype),)


def test_at_first_it_is_a_convolution(device):
    link = DeformableConvolution2D(None, 4, 3, pad=1)
    x = device.send(np.random.default_rng(0).normal(size=(2, 3, 5, 6)))
    y = to_host(link(x))
    np.testing.assert_allclose(y, to_host(convolution_2d(x, link.deform_conv.W, pad=1)), atol=1e-12)
