"""What is drawn is found again in the pixels of the figure, and in what Matplotlib has been told to draw."""

import importlib.util
import sys

import numpy as np
import pytest

from renga_core.errors import RengaError
from renga_core.graph import InvalidType
from renga_cv.visualizations.colormap import voc_colormap
from renga_cv.visualizations.vis_bbox import vis_bbox
from renga_cv.visualizations.vis_image import vis_image
from renga_cv.visualizations.vis_instance_segmentation import vis_instance_segmentation
from renga_cv.visualizations.vis_point import vis_point
from renga_cv.visualizations.vis_semantic_segmentation import vis_semantic_segmentation

pytest.importorskip("matplotlib")
HEIGHT, WIDTH = 12, 20
IMG = np.full((3, HEIGHT, WIDTH), 200, np.float32)
NAMES = ("cat", "dog", "eel")


@pytest.fixture
def ax():
    """Axes of a figure by itself, in which each pixel of the picture is 10 × 10 pixels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH / 10, HEIGHT / 10), dpi=100)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.axis("off")
    yield axes
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()


def pixels(ax):
    """The colour in the middle of each pixel of the picture, RGB ``(H, W, 3)``."""
    ax.figure.canvas.draw()
    return np.asarray(ax.figure.canvas.buffer_rgba())[5::10, 5::10, :3].astype(int)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_colours_of_voc():
    expected = {0: (0, 0, 0), 1: (128, 0, 0), 2: (0, 128, 0), 3: (128, 128, 0), 15: (192, 128, 128), 20: (0, 64, 128)}
    colors = voc_colormap(expected)
    assert colors.dtype == np.float32
    assert [tuple(color) for color in colors.astype(int)] == list(expected.values())
    assert voc_colormap([255]).tolist() == [[224, 224, 192]]
    assert len(np.unique(voc_colormap(range(256)), axis=0)) == 256
    assert voc_colormap([]).shape == (0, 3)
    with pytest.raises(ValueError, match="0 or more"):
        voc_colormap([-1])


def test_image(ax):
    img = np.random.default_rng(0).uniform(-20, 280, (3, HEIGHT, WIDTH))
    assert vis_image(img, ax) is ax
    np.testing.assert_array_equal(pixels(ax), np.rint(np.clip(img, 0, 255)).transpose(1, 2, 0))
    assert vis_image(None, ax) is ax


def test_a_grey_image_is_grey(ax):
    grey = np.random.default_rng(0).uniform(0, 255, (1, HEIGHT, WIDTH))
    np.testing.assert_array_equal(pixels(vis_image(grey, ax)), np.rint(grey[0])[:, :, None] * np.ones(3))


def test_boxes_are_red_lines_around_their_pixels(ax):
    bbox = np.array([[2, 3, 8, 15]], np.float32)
    assert vis_bbox(IMG, bbox, linewidth=14.4, ax=ax) is ax  # two pixels of the picture: one on each side of the edge
    expected = np.zeros((HEIGHT, WIDTH), bool)
    expected[1:9, 2:16] = True
    expected[3:7, 4:14] = False
    np.testing.assert_array_equal((pixels(ax) == (255, 0, 0)).all(axis=2), expected)
    np.testing.assert_array_equal((pixels(ax) == 200).all(axis=2), ~expected)
    assert not texts(ax)


def test_the_best_box_is_on_top_and_has_its_name(ax):
    bbox = np.array([[2, 2, 9, 9], [2, 2, 9, 9], [4, 4, 9, 9]], np.float32)
    colors = [(0, 255, 0), (0, 0, 255)]
    arguments = (IMG, bbox, np.array([0, 1, 2]), np.array([0.9, 0.5, 0.125]), NAMES, colors)
    vis_bbox(*arguments, linewidth=7.2, ax=ax)
    assert texts(ax) == ["eel: 0.12", "dog: 0.50", "cat: 0.90"]
    assert [tuple(patch.get_edgecolor()[:3]) for patch in ax.patches] == [(0, 1, 0), (0, 0, 1), (0, 1, 0)]
    ax.texts[0].axes.clear()
    vis_bbox(*arguments, sort_by_score=False, ax=ax)
    assert texts(ax) == ["cat: 0.90", "dog: 0.50", "eel: 0.12"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"label": [1], "label_names": NAMES}, ["dog"]),
        ({"label": [1]}, []),
        ({"score": [0.25]}, ["0.25"]),
        ({"label": [1], "score": [0.25]}, ["0.25"]),
    ],
)
def test_only_what_is_known_is_written(ax, options, words):
    assert texts(vis_bbox(IMG, np.array([[2.0, 2, 9, 9]]), **options, ax=ax)) == words


def test_masks_of_instances(ax):
    mask = np.zeros((3, HEIGHT, WIDTH), bool)
    mask[0, :6], mask[1, :, :5], mask[2] = True, True, False
    vis_instance_segmentation(IMG, mask, [0, 1, 2], [0.2, 0.7, 0.5], NAMES, alpha=0.5, ax=ax)
    texts_drawn = texts(ax)
    for text in list(ax.texts):
        text.remove()
    found = pixels(ax)
    first, second = np.rint((voc_colormap([1, 2]) + 200) / 2)
    np.testing.assert_allclose(found[:, :5], np.broadcast_to(second, (HEIGHT, 5, 3)), atol=1)
    np.testing.assert_allclose(found[:6, 5:], np.broadcast_to(first, (6, WIDTH - 5, 3)), atol=1)
    assert (found[6:, 5:] == 200).all()
    assert texts_drawn == ["cat: 0.20", "dog: 0.70"]  # an empty mask has no place for its name


def test_classes_of_pixels(ax):
    label = np.full((HEIGHT, WIDTH), -1, np.int32)
    label[:4], label[4:8] = 2, 0
    returned, handles = vis_semantic_segmentation(IMG, label, NAMES, ax=ax)
    assert returned is ax
    found = pixels(ax)
    for rows, color in ((slice(0, 4), (0, 128, 0)), (slice(4, 8), (0, 0, 0)), (slice(8, None), (0, 0, 0))):
        assert (found[rows] == color).all()
    assert [handle.get_label() for handle in handles] == ["cat", "eel"]
    assert handles[1].get_facecolor()[:3] == (0, 128 / 255, 0)
    _, handles = vis_semantic_segmentation(IMG, label, NAMES, all_label_names_in_legend=True, ax=ax)
    assert [handle.get_label() for handle in handles] == list(NAMES)
    assert [handle.get_label() for handle in vis_semantic_segmentation(None, label, ax=ax)[1]] == ["0", "2"]


def test_classes_of_pixels_in_colours_of_ones_own(ax):
    label = np.full((HEIGHT, WIDTH), -1, np.int32)
    label[:4] = 1
    colors = [(0, 0, 0), (250, 100, 50)]
    vis_semantic_segmentation(IMG, label, None, colors, ignore_label_color=(0, 0, 200), alpha=0.5, ax=ax)
    np.testing.assert_allclose(pixels(ax)[:4], np.broadcast_to((225, 150, 125), (4, WIDTH, 3)), atol=1)
    np.testing.assert_allclose(pixels(ax)[4:], np.broadcast_to((100, 100, 200), (8, WIDTH, 3)), atol=1)


def test_points(ax):
    point = np.array([[[2.5, 3.5], [8.5, 15.5]], [[5.5, 9.5], [99, 99]]], np.float32)
    vis_point(IMG, point, np.array([[True, True], [True, False]]), ax=ax)
    found = pixels(ax)
    changed = (found != 200).any(axis=2)
    assert sorted(zip(*np.nonzero(changed), strict=True)) == [(2, 3), (5, 9), (8, 15)]
    assert (found[2, 3] == found[5, 9]).all()
    assert (found[2, 3] != found[8, 15]).any()
    vis_point(IMG, point, ax=ax)  # a point outside does not change the limits
    assert ax.get_xlim() == (-0.5, WIDTH - 0.5)


def test_nothing_to_draw(ax):
    vis_bbox(IMG, np.zeros((0, 4)), np.zeros(0, int), np.zeros(0), NAMES, ax=ax)
    vis_bbox(None, np.zeros((0, 4)), ax=ax)
    vis_instance_segmentation(IMG, np.zeros((0, HEIGHT, WIDTH), bool), ax=ax)
    vis_point(IMG, np.zeros((0, 3, 2)), ax=ax)
    assert vis_semantic_segmentation(None, np.zeros((0, 0), int), ax=ax)[1] == []
    assert (pixels(ax) == 200).all()


def test_without_axes_there_is_a_figure_of_pyplot():
    import matplotlib

    with matplotlib.rc_context({"backend": "agg"}):
        from matplotlib import pyplot

        drawn = vis_bbox(IMG, np.array([[2.0, 2, 9, 9]]))
        assert pyplot.gca() is drawn
        pyplot.close("all")


def test_what_does_not_fit_is_said_before_anything_is_drawn(ax):
    bbox, mask = np.array([[2.0, 2, 9, 9]]), np.zeros((1, HEIGHT, WIDTH), bool)
    for call, words in (
        (lambda: vis_bbox(IMG, bbox, [0, 1], ax=ax), "label has 2 elements; bbox has 1"),
        (lambda: vis_bbox(IMG, bbox, score=[], ax=ax), "score has 0 elements"),
        (lambda: vis_bbox(IMG, bbox, [3], label_names=NAMES, ax=ax), "label 3 has no name; there are 3"),
        (lambda: vis_bbox(IMG, bbox, instance_colors=[1, 2, 3], ax=ax), "instance_colors must be"),
        (lambda: vis_instance_segmentation(IMG, mask, [], ax=ax), "label has 0 elements; mask has 1"),
        (lambda: vis_instance_segmentation(IMG, mask[:, 1:], ax=ax), "the picture's size"),
        (lambda: vis_semantic_segmentation(IMG, np.full((HEIGHT, WIDTH), 3), NAMES, ax=ax), "expected -1 to 2"),
        (lambda: vis_semantic_segmentation(IMG, np.full((HEIGHT, WIDTH), -2), ax=ax), "from -2"),
        (lambda: vis_semantic_segmentation(IMG, np.zeros((2, 2), int), ax=ax), "the picture's size"),
        (lambda: vis_point(IMG, np.zeros((1, 3, 2)), np.ones((1, 2), bool), ax=ax), "visible"),
        (lambda: vis_image(IMG[:2], ax), "1 or 3 channels"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    assert not ax.images
    with pytest.raises(InvalidType):
        vis_bbox(IMG, bbox[0], ax=ax)


def test_matplotlib_that_is_missing_is_said(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(RengaError, match=r"'matplotlib'.*\n.*renga\[plot\]"):
        vis_bbox(IMG, np.zeros((0, 4)))
