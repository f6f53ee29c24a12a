"""YOLO around networks whose answers are known, and its layers against plain loops."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from renga_core.configuration import config, using_config
from renga_core.graph import Variable, as_variable, parameter
from renga_core.link import Link
from renga_cv.links.model.yolo.yolo_base import YOLOBase, boxes_of_cells
from renga_cv.links.model.yolo.yolo_v2 import Darknet19Extractor, YOLOv2, YOLOv2Base, reorg
from renga_cv.links.model.yolo.yolo_v2_tiny import DarknetExtractor, YOLOv2Tiny
from renga_cv.links.model.yolo.yolo_v3 import Darknet53Extractor, ResidualBlock, YOLOv3
from renga_nn.links import Linear
from renga_testing.every_backend import ready_backends

pytest.importorskip("PIL")


def test_reorg_is_darknets():
    n, c, h, w = 2, 8, 4, 6
    x = np.random.default_rng(0).standard_normal((n, c, h, w)).astype(np.float32)
    # Darknet's own loops (reorg_cpu, forward, stride 2), in words: of a map of c / 4 channels and twice the size that
    # lies in the same memory, each channel of the result takes every second pixel.
    memory, right = x.reshape(n, -1), np.empty((n, 4 * c, h // 2, w // 2), np.float32)
    out_c = c // 4
    for b in range(n):
        result = np.empty(c * h * w, np.float32)
        for k in range(c):
            for j in range(h):
                for i in range(w):
                    offset = k // out_c
                    wide_i, wide_j = i * 2 + offset % 2, j * 2 + offset // 2
                    result[i + w * (j + h * k)] = memory[b, wide_i + w * 2 * (wide_j + h * 2 * (k % out_c))]
        right[b] = result.reshape(4 * c, h // 2, w // 2)
    assert_array_equal(reorg(as_variable(x)).array, right)


def test_residual_block():
    block = ResidualBlock(Linear(3, 4), Linear(4, 3))
    x = np.ones((2, 3), np.float32)
    assert_allclose(block(x).array, x + block[1](block[0](x)).array)


class Extractor(Link):
    insize = 64
    grid = 2
    grids = (2, 4)

    def __init__(self, width=1024):
        super().__init__()


class Known(YOLOv2Base):
    """Answers what it is told, in place of what the network says."""

    _extractor = Extractor
    _anchors = ((0.5, 1.0), (1.5, 0.75))
    _models = {}

    def forward(self, x):
        self.mode, self.seen = (config.train, config.enable_backprop), x
        return tuple(Variable(self.device.send(np.stack([a] * len(x)))) for a in self.answer)


def random_answer(seed, n_box, n_class):
    rng = np.random.default_rng(seed)
    arrays = rng.normal(0, 1, (n_box, 4)), rng.normal(0.5, 2, n_box), rng.normal(0, 2, (n_box, n_class))
    return [a.astype(np.float32) for a in arrays]


@pytest.fixture
def known():
    yolo = Known(n_fg_class=3)
    yolo.answer = random_answer(0, 8, 3)
    return yolo


def logistic(x):
    return 1 / (1 + math.exp(-x))


def decoded_by_loops(answer, grid, step, anchors, probability, thresh):
    """Boxes in pixels of the network by class, none of which are suppressed."""
    loc, obj, conf = answer
    found = {}
    k = 0
    for v in range(grid):
        for u in range(grid):
            for height, width in anchors:
                y, x = (v + logistic(loc[k, 0])) * step, (u + logistic(loc[k, 1])) * step
                h, w = height * math.exp(loc[k, 2]), width * math.exp(loc[k, 3])
                for c, p in enumerate(probability(conf[k].astype(float))):
                    if logistic(obj[k]) * p >= thresh:
                        found.setdefault(c, []).append(
                            (logistic(obj[k]) * p, y - h / 2, x - w / 2, y + h / 2, x + w / 2)
                        )
                k += 1
    return [(c, *box) for c in sorted(found) for box in sorted(found[c], reverse=True)]


def softmax(x):
    return np.exp(x) / np.exp(x).sum()


@pytest.mark.parametrize("backend", ready_backends())
def test_boxes_of_version_2(known, backend):
    known.to_device(backend)
    known.nms_thresh, known.score_thresh = 1.01, 0.1
    anchors = [(32 * h, 32 * w) for h, w in known._anchors]
    right = np.array(decoded_by_loops(known.answer, 2, 32, anchors, softmax, 0.1))
    assert 5 < len(right) < 24
    # The second is as large as the network's input, the third is halved and centred, the first lies as it is.
    images = [np.full((3, *size), 51, np.float32) for size in ((64, 20), (64, 64), (64, 128))]
    bboxes, labels, scores = known.predict(images)
    for bbox, label, score, factor, offset in zip(
        bboxes, labels, scores, (1, 1, 2), ((0, 22), (0, 0), (16, 0)), strict=True
    ):
        assert all(type(a) is np.ndarray for a in (bbox, label, score))
        assert (bbox.dtype, label.dtype, score.dtype) == (np.float32, np.int32, np.float32)
        assert_array_equal(label, right[:, 0])
        assert_allclose(score, right[:, 1], rtol=1e-4)
        assert_allclose(bbox, (right[:, 2:] - np.array(offset * 2)) * factor, rtol=1e-4, atol=1e-3)
    assert known.mode == (False, False)


def test_letterbox(known):
    known.predict([np.full((3, 64, 128), 51, np.float32), np.full((3, 20, 10), 51, np.uint8)])
    seen = known.seen
    assert seen.shape == (2, 3, 64, 64)
    assert seen.dtype == np.float32
    assert_allclose(seen[0, :, 16:48], 0.2, rtol=1e-6)
    assert_array_equal(seen[0, :, :16], 0.5)
    assert_array_equal(seen[0, :, 48:], 0.5)
    assert_allclose(seen[1, :, 22:42, 27:37], 0.2, rtol=1e-6)
    assert (seen[1] == 0.5).sum() == 3 * (64 * 64 - 200)


def test_boxes_that_repeat_a_better_one_are_dropped(known):
    loc, obj, conf = np.zeros((8, 4)), np.full(8, -50.0), np.zeros((8, 3))
    obj[[0, 2, 4]] = 6
    loc[2, 1] = -50  # box 2, one cell to the right of box 0, at its left edge
    loc[0, 1] = 50
    conf[[0, 2], 1], conf[4, 1] = (9, 8), 7
    known.answer = loc, obj, conf
    (bbox,), (label,), (score,) = known.predict([np.zeros((3, 64, 64), np.float32)])
    assert_array_equal(label, [1, 1])
    assert_allclose(bbox[:, :2], [[16 - 8, 32 - 16], [48 - 8, 16 - 16]], atol=1e-4)
    assert score[0] > score[1]


def test_nothing(known):
    assert known.predict([]) == ([], [], [])
    known.answer[1] = np.full(8, -60, np.float32)
    (bbox,), (label,), (score,) = known.predict([np.zeros((3, 9, 9), np.float32)])
    assert bbox.shape == (0, 4)
    assert label.shape == score.shape == (0,)
    assert (bbox.dtype, label.dtype, score.dtype) == (np.float32, np.int32, np.float32)


def test_presets(known):
    known.use_preset("evaluate")
    assert (known.nms_thresh, known.score_thresh) == (0.45, 0.005)
    known.use_preset("visualize")
    assert (known.nms_thresh, known.score_thresh) == (0.45, 0.5)
    with pytest.raises(ValueError, match="'visualize', 'evaluate'"):
        known.use_preset("nothing")
    assert known.insize == 64


class Known3(YOLOv3):
    def __init__(self):
        YOLOBase.__init__(self)
        self.n_fg_class = 2
        with self.init_scope():
            self.extractor = Extractor()
        self._cells = np.concatenate([boxes_of_cells(2, 32, ((20, 10),)), boxes_of_cells(4, 16, ((4, 8),))])

    forward = Known.forward


def test_boxes_of_version_3():
    yolo = Known3()
    yolo.nms_thresh, yolo.score_thresh = 1.01, 0.2
    yolo.answer = random_answer(1, 20, 2)
    parts = [[a[:4] for a in yolo.answer], [a[4:] for a in yolo.answer]]
    right = []
    for part, grid, step, anchors in zip(parts, (2, 4), (32, 16), (((20, 10),), ((4, 8),)), strict=True):
        right += decoded_by_loops(part, grid, step, anchors, lambda x: [logistic(v) for v in x], 0.2)
    right = np.array(sorted(right, key=lambda row: (row[0], -row[1])))
    (bbox,), (label,), (score,) = yolo.predict([np.zeros((3, 64, 64), np.float32)])
    assert_array_equal(label, right[:, 0])
    assert_allclose(score, right[:, 1], rtol=1e-4)
    assert_allclose(bbox, right[:, 2:], rtol=1e-4, atol=1e-3)


# --- the networks, on small images ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny():
    return YOLOv2Tiny(n_fg_class=2)


def test_tiny(tiny):
    x = np.random.default_rng(0).random((2, 3, 64, 64), np.float32)
    with using_config("train", False):
        loc, obj, conf = tiny(x)
        maps = tiny.subnet(tiny.extractor(x)).array
    assert maps.shape == (2, 35, 2, 2)
    for k, (i, j, box) in enumerate(np.ndindex(2, 2, 5)):
        row = maps[:, 7 * box : 7 * box + 7, i, j]
        assert_allclose(loc.array[:, k], row[:, :4])
        assert_allclose(obj.array[:, k], row[:, 4])
        assert_allclose(conf.array[:, k], row[:, 5:])
    assert len(tiny._cells) == 845
    assert isinstance(tiny.extractor, DarknetExtractor)


def test_the_sixth_pool_of_tiny_keeps_the_size(tiny, monkeypatch):
    """Each pixel becomes the largest of itself and its neighbours to the right and below."""
    seen = {}
    monkeypatch.setattr(tiny.extractor[5], "forward", lambda x: seen.setdefault("in", as_variable(x)))
    monkeypatch.setattr(tiny.extractor[6], "forward", lambda x: seen.setdefault("out", x))
    monkeypatch.setattr(tiny.extractor[7], "forward", lambda x: x)
    with using_config("train", False):
        tiny.extractor(np.random.default_rng(0).random((1, 3, 96, 128), np.float32))
    x, y = seen["in"].array, seen["out"].array
    assert y.shape == x.shape
    for i, j in np.ndindex(x.shape[2:]):
        assert_array_equal(y[:, :, i, j], x[:, :, i : i + 2, j : j + 2].max(axis=(2, 3)))


def test_arguments():
    with pytest.raises(ValueError, match="n_fg_class"):
        YOLOv2()
    with pytest.raises(ValueError, match="20"):
        YOLOv3(n_fg_class=3, pretrained_model="voc0712")


def connections(monkeypatch, network, shape):
    """What each link of a list gets: for each channel, the number of the link that it comes from.

    Links are replaced by ones that answer with their number, in the shape of what they would say.
    """
    seen = {}

    def stand_in(i, link):
        first, last = (link[0].conv, link[-1].conv) if isinstance(link, ResidualBlock) else (link.conv, link.conv)

        def forward(x):
            assert x.shape[1] == first.W.shape[1]
            seen[i] = x.shape[2], x.array[0, :, 0, 0].tolist()
            size = [n // first.stride for n in x.shape[2:]]
            return as_variable(np.full((len(x), last.W.shape[0], *size), i, np.float32))

        return forward

    for i, link in enumerate(network):
        monkeypatch.setattr(link, "forward", stand_in(i, link))
    return seen, network(as_variable(np.full(shape, -1, np.float32)))


@pytest.fixture
def no_values(monkeypatch):
    """Memory that is never written to costs nothing."""
    monkeypatch.setattr(parameter, "_fill", lambda array, initializer, name: None)


@pytest.mark.usefixtures("no_values")
def test_darknet_19(monkeypatch):
    seen, y = connections(monkeypatch, Darknet19Extractor(), (1, 3, 64, 96))
    sizes = [64, 32, *[16] * 3, *[8] * 3, *[4] * 5, *[2] * 7]
    for i, size in enumerate(sizes):
        assert seen[i][0] == size
        assert set(seen[i][1]) == {i - 1}
    assert seen[20] == (4, [12] * 512)
    assert seen[21] == (2, [20] * 256 + [19] * 1024)
    assert y.shape == (1, 1024, 2, 3)


@pytest.mark.usefixtures("no_values")
def test_darknet_53(monkeypatch):
    seen, maps = connections(monkeypatch, Darknet53Extractor(), (1, 3, 64, 96))
    after_upsampling = {35: (4, [34] * 256 + [23] * 512), 41: (8, [40] * 128 + [14] * 256)}
    for i in range(46):
        if i in after_upsampling:
            assert seen[i] == after_upsampling[i]
        else:
            assert set(seen[i][1]) == {i - 1}
    assert [seen[i][0] for i in (0, 1, 2, 3, 6, 7, 15, 16, 24, 25, 33, 34, 36, 40, 45)] == [
        *(64, 64, 32, 32, 16, 8, 8, 4, 4, 2, 2, 2, 4, 4, 8)
    ]
    assert [y.shape for y in maps] == [(1, 512, 2, 3), (1, 256, 4, 6), (1, 128, 8, 12)]
    assert [float(y.array.max()) for y in maps] == [33, 39, 45]


@pytest.mark.usefixtures("no_values")
def test_numbers_of_boxes():
    assert len(YOLOv2(2)._cells) == 845
    cells = YOLOv3(2)._cells
    assert len(cells) == 10647
    assert_array_equal(cells[0], [0, 0, 32, 90, 116])
    assert_array_equal(cells[-1], [51 * 8, 51 * 8, 8, 23, 33])


@pytest.mark.usefixtures("no_values")
def test_outputs_of_version_3(monkeypatch):
    yolo = YOLOv3(n_fg_class=2)
    maps = [np.random.default_rng(i).standard_normal((1, 21, n, n)).astype(np.float32) for i, n in enumerate((1, 2, 4))]
    monkeypatch.setattr(yolo.extractor, "forward", lambda x: maps)
    for subnet in yolo.subnet:
        monkeypatch.setattr(subnet, "forward", as_variable)
    loc, obj, conf = yolo(np.zeros((1, 3, 32, 32), np.float32))
    k = 0
    for found in maps:
        for i, j, box in np.ndindex(*found.shape[2:], 3):
            row = found[0, 7 * box : 7 * box + 7, i, j]
            assert_array_equal(np.r_[loc.array[0, k], obj.array[0, k], conf.array[0, k]], row)
            k += 1
    assert loc.shape == (1, k, 4)
