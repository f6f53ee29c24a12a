import numpy as np
import pytest
from scipy.signal import correlate

from renga_core.graph import InvalidType
from renga_nn.links import Inception, InceptionBN
from renga_testing.link_suite import LinkSuite


def convolved(x, W, b=None, pad=0, stride=1):
    """A convolution of images, by SciPy, one pair of channels after the other."""
    padded = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    y = [[sum(correlate(c, w, "valid") for c, w in zip(image, f, strict=True)) for f in W] for image in padded]
    y = np.array(y)[:, :, ::stride, ::stride]
    return y if b is None else y + b[:, None, None]


def pooled(x, summary, stride, fill):
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)], constant_values=fill)
    height, width = x.shape[2:]
    rows = [[padded[:, :, i : i + 3, j : j + 3] for j in range(0, width, stride)] for i in range(0, height, stride)]
    return np.array([[summary(part, axis=(2, 3)) for part in row] for row in rows]).transpose(2, 3, 0, 1)


def relu(x):
    return np.maximum(x, 0)


class TestInception(LinkSuite):
    cases = {"sizes given": {"in_channels": 3}, "channels of the first input": {"in_channels": None}}
    bad_inputs = {"vectors": ((np.ones((2, 3)),), InvalidType, ("convolution_2d", "(2, 3)"))}

    def make_link(self):
        return Inception(self.in_channels, 2, 2, 3, 1, 2, 1, bias_init=0.5)

    def make_inputs(self, rng, dtype):
        return (rng.permutation(2 * 3 * 4 * 5).reshape(2, 3, 4, 5).astype(dtype) / 50 - 1,)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3, 4, 5), dtype),)

    def reference(self, params, x):
        if not len(x):
            return np.zeros((0, 2 + 3 + 2 + 1, 4, 5))

        def layer(name, x, pad=0):
            return convolved(x, params[f"{name}/W"], params[f"{name}/b"], pad)

        paths = [
            layer("conv1", x),
            layer("conv3", relu(layer("proj3", x)), 1),
            layer("conv5", relu(layer("proj5", x)), 2),
            layer("projp", pooled(x, np.max, 1, -np.inf)),
        ]
        return relu(np.concatenate(paths, axis=1))


class TestInceptionBN(LinkSuite):
    cases = {
        "all paths": {"options": {"out1": 2, "pooltype": "max", "proj_pool": 2}},
        "smaller": {"options": {"out1": 0, "pooltype": "avg", "stride": 2}},
    }
    bad_inputs = {"vectors": ((np.ones((2, 3)),), InvalidType, ("convolution_2d", "(2, 3)"))}
    excluded = {"empty": "its batch normalization refuses a batch without entries, which has no mean"}
    tolerances = {**LinkSuite.tolerances, "float16": 3e-2, "float32": 2e-4}

    def make_link(self):
        return InceptionBN(3, proj3=2, out3=3, proj33=2, out33=2, **self.options)

    def make_inputs(self, rng, dtype):
        return (rng.permutation(3 * 3 * 4 * 5).reshape(3, 3, 4, 5).astype(dtype) / 60 - 1,)

    def reference(self, params, x):
        stride = self.options.get("stride", 1)

        def layer(name, x, pad=0, stride=1):
            y = convolved(x, params[f"{name}/W"], None, pad, stride)
            y = (y - y.mean(axis=(0, 2, 3), keepdims=True)) / np.sqrt(y.var(axis=(0, 2, 3), keepdims=True) + 2e-5)
            gamma, beta = [params[f"{name}n/{p}"][:, None, None] for p in ("gamma", "beta")]
            return relu(y * gamma + beta)

        paths = [layer("conv1", x)] if self.options["out1"] else []
        paths.append(layer("conv3", layer("proj3", x), 1, stride))
        paths.append(layer("conv33b", layer("conv33a", layer("proj33", x), 1), 1, stride))
        pool = (np.max, -np.inf) if self.options["pooltype"] == "max" else (np.mean, 0)
        rest = pooled(x, pool[0], stride, pool[1])
        paths.append(layer("poolp", rest) if "proj_pool" in self.options else rest)
        return np.concatenate(paths, axis=1)


def test_paths_that_do_not_fit_together():
    with pytest.raises(ValueError, match=r"out1=2 needs stride=1 and a proj_pool, not stride=2, proj_pool=1"):
        InceptionBN(3, 2, 2, 2, 2, 2, "max", 1, stride=2)
    with pytest.raises(ValueError, match=r"out1=2 needs .* proj_pool=None"):
        InceptionBN(3, 2, 2, 2, 2, 2, "max")
    with pytest.raises(ValueError, match="InceptionBN: pooltype is 'mean'; choose from 'max', 'avg'"):
        InceptionBN(3, 0, 2, 2, 2, 2, "mean")
