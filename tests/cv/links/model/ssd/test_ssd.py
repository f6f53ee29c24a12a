"""SSD around a network whose answers are known, and the networks on VGG16."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from renga_core.configuration import config
from renga_core.graph import Variable
from renga_core.link import Chain, Link
from renga_cv.extensions.detection_voc_evaluator import DetectionVOCEvaluator
from renga_cv.links.model.ssd.multibox import Multibox
from renga_cv.links.model.ssd.multibox_loss import multibox_loss
from renga_cv.links.model.ssd.ssd import SSD
from renga_data.iterators import SerialIterator
from renga_nn.functions import relu
from renga_nn.links import Convolution2D
from renga_optimizers import Adam
from renga_testing.every_backend import ready_backends

pytest.importorskip("PIL")

RATIOS = ((2,), (2,))


class SmallExtractor(Link):
    """Two feature maps of images of 32 pixels."""

    insize = 32
    grids = (4, 2)

    def forward(self, x):
        self.seen = x
        pooled = x.reshape(len(x), 3, 4, 8, 4, 8).mean(axis=(3, 5))
        return [pooled, pooled.reshape(len(x), 3, 2, 2, 2, 2).mean(axis=(3, 5))]


class Known(SSD):
    """Answers what it is told, in place of what the network says."""

    def forward(self, x):
        self.mode = config.train, config.enable_backprop
        self.extractor(x)
        loc, conf = (Variable(self.device.send(np.repeat(a, len(x), axis=0))) for a in self.answer)
        return loc, conf


def small(cls=SSD, n_class=4):
    multibox = Multibox(n_class, RATIOS, in_channels=(3, 3))
    return cls(SmallExtractor(), multibox, steps=(8, 16), sizes=(8, 16, 24), mean=np.full((3, 1, 1), 100, np.float32))


def image(height, width, value=150.0):
    return np.full((3, height, width), value, np.float32)


@pytest.fixture
def known():
    return small(Known)


def answer(ssd, objects):
    """Let `ssd` find these boxes, in pixels of the network, each with a class and the probability of a score."""
    bbox = np.array([bbox for bbox, _, _ in objects], np.float32).reshape(-1, 4)
    label = np.array([label for _, label, _ in objects], np.int32)
    loc, conf = ssd.coder.encode(bbox, label, iou_thresh=2)  # one default box for each object
    scores = np.zeros((len(conf), ssd.n_fg_class + 1), np.float32)
    scores[:, 0] = 20
    for _, label, score in objects:
        # softmax: exp(s) / (exp(s) + exp(20) + 2) = score
        scores[conf == label + 1, label + 1] = 20 + np.log(score / (1 - score))
    ssd.answer = loc[None], scores[None]


@pytest.mark.parametrize("backend", ready_backends())
def test_boxes_come_out_where_they_are(known, backend):
    known.to_device(backend)
    answer(known, [((4, 6, 12, 20), 2, 0.9), ((16, 0, 30, 12), 0, 0.7), ((2, 20, 9, 31), 1, 0.3)])
    bboxes, labels, scores = known.predict([image(32, 32), image(64, 16)])
    for bbox, label, score, size in zip(bboxes, labels, scores, ((32, 32), (64, 16)), strict=True):
        assert all(type(a) is np.ndarray for a in (bbox, label, score))
        assert (bbox.dtype, label.dtype, score.dtype) == (np.float32, np.int32, np.float32)
        zoom = np.array([*size, *size]) / 32
        assert_allclose(bbox, np.array([(16, 0, 30, 12), (4, 6, 12, 20)]) * zoom, rtol=1e-4, atol=1e-4)
        assert_array_equal(label, [0, 2])
        assert_allclose(score, [0.7, 0.9], rtol=1e-4)
    assert known.mode == (False, False)


def test_presets(known):
    answer(known, [((4, 6, 12, 20), 2, 0.9), ((2, 20, 9, 31), 1, 0.3)])
    known.use_preset("evaluate")
    assert (known.nms_thresh, known.score_thresh) == (0.45, 0.01)
    assert_array_equal(known.predict([image(8, 8)])[1][0], [1, 2])
    known.use_preset("visualize")
    assert (known.nms_thresh, known.score_thresh) == (0.45, 0.6)
    with pytest.raises(ValueError, match="'visualize', 'evaluate'"):
        known.use_preset("evaluation")


def test_no_images_and_no_boxes(known):
    assert known.predict([]) == ([], [], [])
    answer(known, [])
    (bbox,), (label,), (score,) = known.predict([image(8, 8)])
    assert bbox.shape == (0, 4)
    assert label.shape == score.shape == (0,)


def test_images_are_resized_and_the_mean_is_subtracted(known):
    answer(known, [])
    img = image(64, 48)
    img[:, :32] = 50
    known.predict([img])
    seen = known.extractor.seen
    assert seen.shape == (1, 3, 32, 32)
    assert seen.dtype == np.float32
    assert_allclose(seen[0, :, :12], -50)
    assert_allclose(seen[0, :, 20:], 50)
    assert img[0, 0, 0] == 50


def test_sizes(known):
    assert (known.insize, known.n_fg_class) == (32, 3)


def test_trained_it_finds_what_is_there():
    """Squares, bright or dark, on grey."""

    class Extractor(Chain):
        insize = 16
        grids = (4, 2)

        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.conv1 = Convolution2D(3, 8, 3, pad=1)
                self.conv2 = Convolution2D(8, 16, 4, stride=4)
                self.conv3 = Convolution2D(16, 16, 2, stride=2)

        def forward(self, x):
            h = relu(self.conv2(relu(self.conv1(x))))
            return [h, relu(self.conv3(h))]

    ssd = SSD(Extractor(), Multibox(3, RATIOS, in_channels=(16, 16)), steps=(4, 8), sizes=(4, 8, 12))
    rng = np.random.default_rng(0)
    data, targets = [], []
    for _ in range(8):
        img = np.zeros((3, 16, 16), np.float32)
        y, x, size, label = *rng.integers(0, 9, 2), rng.integers(4, 8), rng.integers(0, 2)
        img[:, y : y + size, x : x + size] = 1 - 2 * label
        bbox, label = np.array([[y, x, y + size, x + size]], np.float32), np.array([label], np.int32)
        data.append((img, bbox, label))
        targets.append(ssd.coder.encode(bbox, label))
    images = np.stack([img for img, _, _ in data])
    locs, labels = (np.stack(arrays) for arrays in zip(*targets, strict=True))
    optimizer = Adam(0.01).setup(ssd)
    losses = []
    for _ in range(80):
        loc_loss, conf_loss = multibox_loss(*ssd(images), locs, labels, 3)
        loss = loc_loss + conf_loss
        losses.append(float(loss.array))
        ssd.cleargrads()
        loss.backward()
        optimizer.update()
    assert losses[-1] < 0.2 * losses[0]
    ssd.use_preset("evaluate")
    evaluator = DetectionVOCEvaluator(SerialIterator(data, 3, repeat=False, shuffle=False), ssd)
    assert evaluator()["main/map"] > 0.9
