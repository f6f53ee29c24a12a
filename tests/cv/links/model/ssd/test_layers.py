"""Layers of SSD, and its hook."""

import numpy as np
from numpy.testing import assert_allclose

from renga_core.graph import Parameter
from renga_cv.links.model.ssd.gradient_scaling import GradientScaling
from renga_cv.links.model.ssd.multibox import Multibox
from renga_cv.links.model.ssd.normalize import Normalize
from renga_optimizers import SGD


def test_normalize():
    x = np.random.default_rng(0).standard_normal((2, 3, 4, 5)).astype(np.float32)
    link = Normalize(3, initial=20, eps=1e-3)
    link.scale.array[1] = 7
    y = link(x).array
    for n, i, j in np.ndindex(2, 4, 5):
        pixel = x[n, :, i, j].astype(np.float64)
        assert_allclose(y[n, :, i, j], np.array([20, 7, 20]) * pixel / (np.sqrt((pixel**2).sum()) + 1e-3), rtol=1e-5)
    assert dict(link.namedparams()).keys() == {"/scale"}


def test_multibox_orders_boxes_by_level_row_column_and_box():
    multibox = Multibox(3, ((2,), (2, 3)), in_channels=(5, None))
    assert multibox.loc[0].W.shape == (16, 5, 3, 3)
    assert multibox.conf[0].W.shape == (12, 5, 3, 3)
    rng = np.random.default_rng(0)
    xs = [rng.standard_normal(shape).astype(np.float32) for shape in ((2, 5, 3, 4), (2, 6, 1, 1))]
    locs, confs = multibox(xs)
    k = 0
    for level, n_box, (height, width) in ((0, 4, (3, 4)), (1, 6, (1, 1))):
        loc, conf = multibox.loc[level](xs[level]).array, multibox.conf[level](xs[level]).array
        for i, j, box in np.ndindex(height, width, n_box):
            assert_allclose(locs.array[:, k], loc[:, 4 * box : 4 * box + 4, i, j])
            assert_allclose(confs.array[:, k], conf[:, 3 * box : 3 * box + 3, i, j])
            k += 1
    assert locs.shape == (2, k, 4)
    assert confs.shape == (2, k, 3)
    assert multibox.n_class == 3
    assert multibox.aspect_ratios == ((2,), (2, 3))


def test_gradient_scaling():
    param = Parameter(np.array([1.0, 2.0], np.float32))
    link = Normalize(2)
    link.scale = param
    optimizer = SGD(lr=0.1).setup(link)
    hook = GradientScaling(3)
    link.scale.update_rule.add_hook(hook)
    link.scale.grad = np.array([1.0, -1.0], np.float32)
    optimizer.update()
    assert_allclose(link.scale.array, [1 - 0.3, 2 + 0.3], rtol=1e-6)
    link.scale.grad = None
    hook(link.scale.update_rule, link.scale)  # nothing to scale
    assert (hook.rate, hook.name, hook.call_for_each_param) == (3, "GradientScaling", True)
