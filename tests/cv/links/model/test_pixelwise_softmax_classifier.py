import numpy as np
from numpy.testing import assert_allclose

from renga_core.reporter import Reporter
from renga_cv.links.model.pixelwise_softmax_classifier import PixelwiseSoftmaxClassifier
from renga_nn.links import Convolution2D


def test_loss():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 3, 4, 5), np.float32)
    t = rng.integers(-1, 4, (2, 4, 5)).astype(np.int32)
    weight = np.array([1, 2, 0.5, 1], np.float32)
    for class_weight in (None, weight):
        link = PixelwiseSoftmaxClassifier(Convolution2D(3, 4, 1), class_weight=class_weight)
        y = link.predictor(x).array.astype(np.float64)
        log_p = y - np.log(np.exp(y).sum(1, keepdims=True))
        losses = -np.take_along_axis(log_p, t[:, None].clip(0), 1)[:, 0] * (1 if class_weight is None else weight[t])
        reporter = Reporter()
        reporter.add_observer("main", link)
        with reporter:
            loss = link(x, t)
        assert_allclose(loss.array, losses[t >= 0].sum() / (t >= 0).sum(), rtol=1e-5)
        assert reporter.observation["main/loss"].array == loss.array


def test_labels_that_do_not_count():
    link = PixelwiseSoftmaxClassifier(Convolution2D(3, 4, 1), ignore_label=2)
    x = np.ones((1, 3, 2, 2), np.float32)
    t = np.array([[[2, 0], [2, 2]]], np.int32)
    alone = np.array([[[0, 0], [0, 0]]], np.int32)
    assert_allclose(link(x, t).array, link(x, alone).array, rtol=1e-6)
