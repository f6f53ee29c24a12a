"""Each check passes what is right, and says what is wrong of everything else."""

import unittest

import numpy as np
import pytest

from renga_core.graph import Variable
from renga_cv.utils.bbox import bbox_iou
from renga_cv.utils.testing import datasets, links, values
from renga_cv.utils.testing.constant_stub_link import ConstantStubLink
from renga_cv.utils.testing.parameterize import parameterize
from renga_cv.utils.testing.random_boxes import generate_random_bbox

IMG = np.full((3, 8, 9), 255, np.float32)
BBOX = np.array([[0, 0, 8, 9], [1, 2, 1, 5]], np.float32)
LABEL = np.array([0, 2], np.int32)
MASK = np.zeros((2, 8, 9), bool)
PIXELS = np.full((8, 9), -1, np.int32)
POINT = np.array([[[0, 0], [8, 9], [99, 0]]], np.float32)
VISIBLE = np.array([[True, True, False]])


def test_values():
    values.assert_is_image(IMG)
    values.assert_is_image(IMG[:1], color=False)
    values.assert_is_image(-IMG, check_range=False)
    for wrong in (IMG.tolist(), IMG[0], IMG[:1], IMG + 1, -IMG, IMG[:, :0]):
        with pytest.raises(AssertionError, match="img"):
            values.assert_is_image(wrong)
    values.assert_is_bbox(BBOX, (8, 9))
    values.assert_is_bbox(BBOX[:0], (8, 9))
    for wrong in (BBOX.astype(int), BBOX[0], BBOX[:, :3], BBOX[:, ::-1], BBOX + 1, BBOX - 1):
        with pytest.raises(AssertionError, match="bbox"):
            values.assert_is_bbox(wrong, (8, 9))
    values.assert_is_bbox(BBOX + 1)
    values.assert_is_point(POINT, VISIBLE, (8, 9), 3)
    values.assert_is_point(POINT)
    for arguments in (
        (POINT[0],),
        (POINT[:, :, :1],),
        (POINT.astype(int),),
        (POINT, VISIBLE[0]),
        (POINT, VISIBLE[:, :2]),
        (POINT, VISIBLE.astype(int)),
        (POINT, None, (8, 9)),
        (POINT, None, None, 4),
    ):
        with pytest.raises(AssertionError, match=r"point|visible"):
            values.assert_is_point(*arguments)


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        (
            lambda data: datasets.assert_is_bbox_dataset(data, 3),
            (IMG, BBOX, LABEL, "more"),
            [
                (IMG, BBOX + 1, LABEL),
                (IMG, BBOX, LABEL[:1]),
                (IMG, BBOX, LABEL + 1),
                (IMG, BBOX, LABEL - 1),
                (IMG, BBOX, LABEL.astype(np.int64)),
                (IMG, BBOX),
                IMG,
            ],
        ),
        (
            lambda data: datasets.assert_is_instance_segmentation_dataset(data, 3),
            (IMG, MASK, LABEL),
            [(IMG, MASK[:, 1:], LABEL), (IMG, MASK.astype(int), LABEL), (IMG, MASK[:1], LABEL), (IMG, MASK)],
        ),
        (
            lambda data: datasets.assert_is_label_dataset(data, 3),
            (IMG, np.int32(2)),
            [(IMG, 2), (IMG, np.int32(3)), (IMG, np.int32(-1)), (IMG, LABEL), (IMG[:1], np.int32(2)), (IMG,)],
        ),
        (
            lambda data: datasets.assert_is_point_dataset(data, 3),
            (IMG, POINT, VISIBLE),
            [(IMG, POINT[:, :2], VISIBLE[:, :2]), (IMG, POINT, ~VISIBLE), (IMG, POINT)],
        ),
        (
            lambda data: datasets.assert_is_point_dataset(data, no_visible=True),
            (IMG, POINT[:, :2]),
            [(IMG, POINT), (IMG,)],
        ),
        (
            lambda data: datasets.assert_is_semantic_segmentation_dataset(data, 3),
            (IMG, PIXELS),
            [(IMG, PIXELS - 1), (IMG, PIXELS + 4), (IMG, PIXELS[1:]), (IMG, PIXELS[None]), (IMG, PIXELS.astype(float))],
        ),
    ],
)
def test_data_sets(check, right, wrong):
    check([right])
    for example in wrong:
        with pytest.raises(AssertionError, match="example 1: "):
            check([right, example])
    with pytest.raises(AssertionError, match="no examples"):
        check([])


def test_some_examples_of_a_data_set():
    class Data(list):
        def __getitem__(self, i):
            seen.append(i)
            return super().__getitem__(i)

    seen = []
    datasets.assert_is_bbox_dataset(Data([(IMG, BBOX, LABEL)] * 9), 3, n_example=3)
    assert seen == [0, 4, 8]


class Network:
    """Predicts what it is given; arrays of masks and labels of pixels are made as large as the image."""

    def __init__(self, *outputs, per_image=None):
        self.outputs, self.per_image = outputs, per_image

    def predict(self, imgs):
        if self.per_image:
            lists = ([self.per_image(*img.shape[1:]) for img in imgs], *([x] * len(imgs) for x in self.outputs))
        else:
            lists = tuple([x] * len(imgs) for x in self.outputs)
        return lists if len(lists) > 1 else lists[0]


SCORE = np.ones(2, np.float32)


def test_links():
    links.assert_is_detection_link(Network(BBOX, LABEL, SCORE), 3)
    masks = Network(LABEL, SCORE, per_image=lambda h, w: np.zeros((2, h, w), bool))
    links.assert_is_instance_segmentation_link(masks, 3)
    links.assert_is_semantic_segmentation_link(Network(per_image=lambda h, w: np.zeros((h, w), np.int32)), 1)
    for wrong in (
        Network(BBOX, LABEL),
        Network(BBOX, LABEL, SCORE[:1]),
        Network(BBOX, LABEL, SCORE.astype(float)),
        Network(BBOX, LABEL + 1, SCORE),
        Network(BBOX[:1], LABEL, SCORE),
    ):
        with pytest.raises(AssertionError):
            links.assert_is_detection_link(wrong, 3)
    with pytest.raises(AssertionError, match="mask"):
        links.assert_is_instance_segmentation_link(Network(MASK, LABEL, SCORE), 3)
    with pytest.raises(AssertionError, match="label"):
        links.assert_is_semantic_segmentation_link(Network(PIXELS), 1)


@pytest.fixture
def _same_random_numbers():
    state = np.random.get_state()
    np.random.seed(0)
    yield
    np.random.set_state(state)


@pytest.mark.usefixtures("_same_random_numbers")
def test_random_boxes():
    bbox = generate_random_bbox(200, (20, 30), 2, 20)
    values.assert_is_bbox(bbox, (20, 30))
    sides = bbox[:, 2:] - bbox[:, :2]
    assert sides.min() > 1.9
    assert 18 < sides.max() < 20.1
    assert (bbox_iou(bbox, bbox).diagonal() > 0.999).all()
    assert generate_random_bbox(0, (20, 30), 2, 20).shape == (0, 4)
    with pytest.raises(ValueError, match="20 x 30"):
        generate_random_bbox(1, (20, 30), 2, 21)


def test_a_link_that_always_returns_the_same():
    x, y = np.zeros(3, np.float32), np.ones(2, np.float32)
    one, two = ConstantStubLink(x), ConstantStubLink((x, y))
    assert isinstance(one(1, 2), Variable)
    assert one().array is x
    assert [output.array.tolist() for output in two("anything")] == [x.tolist(), y.tolist()]
    assert two.to_device("numpy") is two
    assert isinstance(ConstantStubLink((x,))(), tuple)


@parameterize({"number": 1}, {"number": 2})
class TestParameterized(unittest.TestCase):
    def test_number(self):
        assert self.number in (1, 2)
