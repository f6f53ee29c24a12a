import numpy as np
import pytest
from scipy.signal import correlate

from renga_core.graph import InvalidType
from renga_nn.functions import tanh
from renga_nn.links import MLPConvolution2D
from renga_testing.link_suite import LinkSuite


class TestMLPConvolution2D(LinkSuite):
    cases = {
        "sizes given": {"args": (3, (4, 2, 3), 2), "function": staticmethod(lambda x: np.maximum(x, 0)), "options": {}},
        "channels of the first input": {
            "args": ((4, 2), (2, 2)),
            "function": staticmethod(np.tanh),
            "options": {"activation": tanh},
        },
    }
    bad_inputs = {"vectors": ((np.ones((2, 3)),), InvalidType, ("convolution_2d", "(2, 3)"))}

    def make_link(self):
        return MLPConvolution2D(*self.args, bias_init=0.1, **self.options)

    def make_inputs(self, rng, dtype):
        return (rng.uniform(-1, 1, (2, 3, 4, 5)).astype(dtype),)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3, 4, 5), dtype),)

    def reference(self, params, x):
        if not len(x):
            last = params[f"{len(params) // 2 - 1}/b"]
            return np.zeros((0, len(last), *np.subtract((5, 6), params["0/W"].shape[2:])))
        y = np.array(
            [
                [sum(correlate(c, w, "valid") for c, w in zip(image, f, strict=True)) for f in params["0/W"]]
                for image in x
            ]
        )
        y = y + params["0/b"][:, None, None]
        for number in range(1, len(params) // 2):
            W, b = params[f"{number}/W"][:, :, 0, 0], params[f"{number}/b"]
            y = np.einsum("oc,nchw->nohw", W, self.function(y)) + b[:, None, None]
        return y


def test_arguments_of_the_first_convolution():
    link = MLPConvolution2D(3, (4, 2), 3, stride=2, pad=1, conv_init=0.5)
    assert link(np.ones((1, 3, 7, 7))).shape == (1, 2, 4, 4)
    assert (link[1].W.array == 0.5).all()


def test_filters_without_a_size():
    with pytest.raises(TypeError, match="the numbers of its filters, and their size"):
        MLPConvolution2D(3, (4, 2))
    with pytest.raises(ValueError, match="out_channels is empty"):
        MLPConvolution2D(3, (), 3)
