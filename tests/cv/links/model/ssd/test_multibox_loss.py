"""The loss of SSD, against the paper's definition, box by box in double precision."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from renga_core.backend import get_device, to_host
from renga_core.graph import Variable
from renga_cv.links.model.ssd.multibox_loss import multibox_loss
from renga_testing.every_backend import ready_backends
from renga_testing.gradient_check import check_backward

K = 3


@pytest.fixture
def example():
    rng = np.random.default_rng(0)
    locs, gt_locs = rng.standard_normal((2, 3, 30, 4)) * 2
    confs = rng.standard_normal((3, 30, 5)) * 3
    labels = rng.integers(0, 5, (3, 30)) * (rng.random((3, 30)) < [[0.1], [0.3], [0.0]])
    return locs, confs, gt_locs, labels.astype(np.int32)


def right(locs, confs, gt_locs, labels, k):
    """Both sums, and the number of positive boxes."""
    loc_loss = conf_loss = 0.0
    for loc, conf, gt_loc, label in zip(locs, confs, gt_locs, labels, strict=True):
        negative = []
        for i, c in enumerate(label):
            cross_entropy = np.log(np.exp(conf[i]).sum()) - conf[i, c]
            if c == 0:
                negative.append(cross_entropy)
                continue
            conf_loss += cross_entropy
            for a in np.abs(loc[i] - gt_loc[i]):
                loc_loss += a * a / 2 if a < 1 else a - 0.5
        conf_loss += sum(sorted(negative, reverse=True)[: k * (label > 0).sum()])
    return loc_loss, conf_loss, (labels > 0).sum()


@pytest.mark.parametrize("backend", ready_backends())
def test_loss(backend, example):
    loc_sum, conf_sum, n_positive = right(*example, K)
    device = get_device(backend)
    arrays = [device.send(a.astype(np.float32) if a.dtype.kind == "f" else a) for a in example]
    loc_loss, conf_loss = multibox_loss(*arrays, K)
    assert loc_loss.shape == conf_loss.shape == ()
    assert loc_loss.dtype == conf_loss.dtype == np.float32
    assert_allclose(to_host(loc_loss.array), loc_sum / n_positive, rtol=1e-5)
    assert_allclose(to_host(conf_loss.array), conf_sum / n_positive, rtol=1e-5)


def test_negatives_are_taken_image_by_image(example):
    locs, confs, gt_locs, labels = example
    confs = confs.copy()
    confs[2, :, 0] -= 50  # the hardest of all, in an image without an object
    _, conf_sum, n_positive = right(locs, confs, gt_locs, labels, K)
    assert_allclose(multibox_loss(locs, confs, gt_locs, labels, K)[1].array, conf_sum / n_positive)


def test_gradients(example):
    locs, confs, gt_locs, labels = example
    check_backward(lambda *xs: multibox_loss(*xs, gt_locs, labels, K), (locs, confs), (None, None), atol=1e-6)


def test_without_an_object_losses_and_gradients_are_zero(example):
    locs, confs, gt_locs, labels = example
    locs, confs = Variable(locs), Variable(confs)
    loc_loss, conf_loss = multibox_loss(locs, confs, gt_locs, np.zeros_like(labels), K)
    assert float(loc_loss.array) == float(conf_loss.array) == 0
    (loc_loss + conf_loss).backward()
    assert not locs.grad.any()
    assert not confs.grad.any()


class TwoRanks:
    """A communicator whose other rank has so many positive boxes."""

    size = 2

    def __init__(self, other):
        self.other = other

    def allreduce_obj(self, obj):
        return obj + self.other


def test_the_number_of_boxes_is_the_mean_over_ranks(example):
    loc_sum, conf_sum, n_positive = right(*example, K)
    loc_loss, conf_loss = multibox_loss(*example, K, TwoRanks(other=11))
    assert_allclose(loc_loss.array, loc_sum / ((n_positive + 11) / 2))
    assert_allclose(conf_loss.array, conf_sum / ((n_positive + 11) / 2))
    none = (*example[:3], np.zeros_like(example[3]))
    assert [float(loss.array) for loss in multibox_loss(*none, K, TwoRanks(other=0))] == [0, 0]
