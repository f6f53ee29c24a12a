import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions import convolution_2d
from renga_nn.links import Convolution2D, Deconvolution2D
from renga_testing.link_suite import LinkSuite


def places(index, stride, dilate, size):
    """Where along one axis a window at `index` lies."""
    return [index * stride + k * dilate for k in range(size)]


class TestConvolution2D(LinkSuite):
    cases = {
        "sizes given": {"arguments": (4, 6, 3), "options": {}},
        "size of the first input": {"arguments": (6, 3), "options": {}},
        "everything": {
            "arguments": (None, 6, (3, 2), (2, 1), 1),
            "options": {"nobias": True, "dilate": (1, 2), "groups": 2},
        },
        "everything, with sizes": {
            "arguments": (4, 6, (3, 2), (2, 1), 1),
            "options": {"initial_bias": 1, "dilate": (1, 2), "groups": 2},
        },
    }
    bad_inputs = {"channels": ((np.ones((1, 3, 5, 6)),), InvalidType, ("convolution", "(1, 3, 5, 6)"))}

    def make_link(self):
        return Convolution2D(*self.arguments, **self.options)

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((2, 4, 5, 6)).astype(dtype),)

    def reference(self, params, x):
        """Window by window."""
        W = params["W"]
        everything = "dilate" in self.options
        stride, dilate, pad, groups = ((2, 1), (1, 2), 1, 2) if everything else ((1, 1), (1, 1), 0, 1)
        x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
        kernel = W.shape[2:]
        size = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], kernel, stride, dilate, strict=True)]
        y = np.zeros((len(x), len(W), *size))
        for channel in range(len(W)):
            group = channel // (len(W) // groups)
            mine = x[:, group * W.shape[1] : (group + 1) * W.shape[1]]
            for row, column in np.ndindex(*size):
                rows = places(row, stride[0], dilate[0], kernel[0])
                columns = places(column, stride[1], dilate[1], kernel[1])
                window = mine[:, :, rows][:, :, :, columns]
                y[:, channel, row, column] = (window * W[channel]).sum((1, 2, 3))
        return y + params["b"][:, None, None] if "b" in params else y

    def empty_inputs(self, dtype):
        return (np.zeros((0, 4, 5, 6), dtype),)


class TestFromParams:
    def test_filters_and_bias(self):
        rng = np.random.default_rng(0)
        W, b = rng.random((6, 2, 3, 2), np.float32), rng.random(6, np.float32)
        link = Convolution2D.from_params(Variable(W), b, 2, 1, dilate=(1, 2), groups=2)
        x = rng.random((2, 4, 7, 6), np.float32)
        right = convolution_2d(x, W, b, 2, 1, dilate=(1, 2), groups=2).array
        np.testing.assert_allclose(link(x).array, right, rtol=1e-5)

    def test_without_bias(self):
        W = np.ones((6, 2, 3, 2), np.float32)
        assert Convolution2D.from_params(W, nobias=True).b is None
        assert not Convolution2D.from_params(W).b.array.any()
        with pytest.raises(ValueError, match=r"Convolution2D.from_params: .*nobias"):
            Convolution2D.from_params(W, np.ones(6), nobias=True)


class TestDeconvolution2D(LinkSuite):
    cases = {
        "sizes given": {"arguments": (4, 6, 3), "options": {}},
        "size of the first input": {"arguments": (6, 3), "options": {}},
        "everything": {
            "arguments": (None, 6, 2, 2, 1),
            "options": {"nobias": True, "outsize": (9, 11), "groups": 2},
        },
        "everything, with sizes": {
            "arguments": (4, 6, 2, 2, 1),
            "options": {"initial_bias": 1, "outsize": (9, 11), "groups": 2},
        },
    }
    bad_inputs = {"channels": ((np.ones((1, 3, 5, 6)),), InvalidType, ("convolution", "(1, 3, 5, 6)"))}

    def make_link(self):
        return Deconvolution2D(*self.arguments, **self.options)

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((2, 4, 5, 6)).astype(dtype),)

    def reference(self, params, x):
        """Each pixel paints its filter."""
        W = params["W"]
        everything = "outsize" in self.options
        stride, pad, groups = (2, 1, 2) if everything else (1, 0, 1)
        k = W.shape[2]
        size = (9, 11) if everything else tuple(n - 1 + k for n in x.shape[2:])
        canvas = np.zeros((len(x), W.shape[1] * groups, size[0] + 2 * pad + k, size[1] + 2 * pad + k))
        for channel, row, column in np.ndindex(*x.shape[1:]):
            group = channel // (len(W) // groups)
            mine = canvas[:, group * W.shape[1] : (group + 1) * W.shape[1]]
            top, left = row * stride, column * stride
            mine[:, :, top : top + k, left : left + k] += x[:, channel, row, column][:, None, None, None] * W[channel]
        y = canvas[:, :, pad : pad + size[0], pad : pad + size[1]]
        return y + params["b"][:, None, None] if "b" in params else y

    def empty_inputs(self, dtype):
        return (np.zeros((0, 4, 5, 6), dtype),)


@pytest.mark.parametrize("kind", [Convolution2D, Deconvolution2D])
def test_filters_without_a_size(kind):
    with pytest.raises(TypeError, match=rf"{kind.__name__} needs the number and the size of its filters"):
        kind(None, 4)


@pytest.mark.parametrize("kind", [Convolution2D, Deconvolution2D])
def test_groups_that_do_not_divide_the_channels(device, kind):
    with pytest.raises(ValueError, match="groups=2 does not divide 3 channels"):
        kind(3, 4, 3, groups=2)
    with pytest.raises(ValueError, match="groups=3 does not divide 4 channels"):
        kind(None, 4, 3, groups=3)
    with pytest.raises(ValueError, match="groups=2 does not divide 5 channels"):
        kind(None, 4, 3, groups=2)(device.send(np.ones((1, 5, 4, 4))))
