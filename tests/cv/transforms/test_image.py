import contextlib
import importlib
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renga_core.configuration import using_config
from renga_core.errors import RengaError
from renga_core.graph import InvalidType
from renga_cv.transforms.image.crop import center_crop, random_crop, random_sized_crop, ten_crop
from renga_cv.transforms.image.expand import random_expand
from renga_cv.transforms.image.flip import flip, random_flip
from renga_cv.transforms.image.pca_lighting import pca_lighting
from renga_cv.transforms.image.resize import resize, resize_contain, scale
from renga_cv.transforms.image.rotate import random_rotate, rotate

with contextlib.suppress(ImportError):
    importlib.import_module("cv2")  # here: importing it changes the environment, which no test may

sizes = st.tuples(st.integers(1, 12), st.integers(1, 12))


def numbered(*shape, dtype=np.float32):
    """An image of which no two pixels are equal."""
    return np.arange(np.prod(shape), dtype=dtype).reshape(shape)


@pytest.fixture(autouse=True)
def _same_random_numbers():
    states = random.getstate(), np.random.get_state()
    random.seed(0)
    np.random.seed(0)
    yield
    random.setstate(states[0])
    np.random.set_state(states[1])


@pytest.fixture(params=["cv2", "PIL"])
def library(request):
    pytest.importorskip(request.param)
    with using_config("cv_resize_backend", request.param), using_config("cv_rotate_backend", request.param):
        yield request.param


@settings(max_examples=25, deadline=None)
@given(sizes, st.data())
def test_crops_are_the_parts_that_they_say(size, data):
    img = numbered(2, *size)
    out = tuple(data.draw(st.integers(1, length)) for length in size)
    for crop in (center_crop, random_crop):
        part, param = crop(img, out, return_param=True)
        assert part.shape == (2, *out)
        np.testing.assert_array_equal(part, img[:, param["y_slice"], param["x_slice"]])
        assert np.shares_memory(part, img)
        assert not np.shares_memory(crop(img, out, copy=True), img)
    part, param = center_crop(img, out, return_param=True)
    for where, length in zip((param["y_slice"], param["x_slice"]), size, strict=True):
        assert abs(where.start - (length - where.stop)) <= 1  # as much is left on both sides
    ten = ten_crop(img, out)
    assert ten.shape == (10, 2, *out)
    np.testing.assert_array_equal(ten[0], part)
    np.testing.assert_array_equal(ten[5:], ten[:5, :, :, ::-1])
    corners = [img[:, 0, 0], img[:, -1, 0], img[:, 0, -1], img[:, -1, -1]]
    np.testing.assert_array_equal([ten[1][:, 0, 0], ten[2][:, -1, 0], ten[3][:, 0, -1], ten[4][:, -1, -1]], corners)


def test_random_crop_reaches_every_place():
    img = numbered(1, 4, 3)
    assert {random_crop(img, (3, 2))[0, 0, 0] for _ in range(100)} == {0, 1, 3, 4}


@settings(max_examples=40, deadline=None)
@given(sizes, st.floats(0.05, 1), st.floats(0.3, 1))
def test_random_sized_crop(size, low, aspect):
    img = numbered(2, *size)
    part, param = random_sized_crop(img, (low, 1), (aspect, 1 / aspect), return_param=True)
    np.testing.assert_array_equal(part, img[:, param["y_slice"], param["x_slice"]])
    ratio, shape = param["scale_ratio"], param["aspect_ratio"]
    assert 0 < ratio <= 1
    assert aspect * 0.999 <= shape <= 1.001 / aspect
    height, width = (ratio * size[0] * size[1] * shape) ** 0.5, (ratio * size[0] * size[1] / shape) ** 0.5
    assert height <= size[0] + 1e-6
    assert width <= size[1] + 1e-6
    assert part.shape[1:] == (max(int(height + 1e-6), 1), max(int(width + 1e-6), 1))
    if min(size[0] / size[1], size[1] / size[0]) * aspect >= low:  # then every shape fits
        assert ratio >= low


def test_expand():
    img = numbered(3, 4, 5, dtype=np.uint8)
    for fill, expected in ((7, [7, 7, 7]), ((1, 2, 3), [1, 2, 3]), (np.array([1, 2, 3]).reshape(3, 1, 1), [1, 2, 3])):
        expanded, param = random_expand(img, 3, fill, return_param=True)
        assert expanded.dtype == np.uint8
        assert expanded.shape[1:] == (int(4 * param["ratio"]), int(5 * param["ratio"]))
        y, x = param["y_offset"], param["x_offset"]
        np.testing.assert_array_equal(expanded[:, y : y + 4, x : x + 5], img)
        inside = np.zeros(expanded.shape[1:], bool)
        inside[y : y + 4, x : x + 5] = True
        np.testing.assert_array_equal(expanded[:, ~inside], np.array(expected)[:, None] * np.ones((~inside).sum()))
    same, param = random_expand(img, 1, return_param=True)
    assert same is img
    assert param == {"ratio": 1, "y_offset": 0, "x_offset": 0}
    with pytest.raises(ValueError, match="2 numbers; the image has 3 channels"):
        random_expand(img, 3, (1, 2))


def test_flips():
    img = numbered(2, 3, 4)
    seen = set()
    for _ in range(50):
        flipped, param = random_flip(img, True, True, return_param=True)
        np.testing.assert_array_equal(flipped, flip(img, **param))
        seen.add((param["y_flip"], param["x_flip"]))
    assert len(seen) == 4
    np.testing.assert_array_equal(flip(img, y_flip=True)[:, 0], img[:, 2])
    np.testing.assert_array_equal(flip(img, x_flip=True)[:, :, 0], img[:, :, 3])
    assert random_flip(img, return_param=True)[1] == {"y_flip": False, "x_flip": False}
    assert not np.shares_memory(flip(img, copy=True), img)


def test_random_rotate():
    img = numbered(2, 3, 4)
    seen = set()
    for _ in range(50):
        rotated, param = random_rotate(img, return_param=True)
        np.testing.assert_array_equal(rotated, rotate(img, 90 * param["k"]))
        seen.add(param["k"])
    assert seen == {0, 1, 2, 3}


def test_pca_lighting_adds_a_colour_of_the_variance_asked_for():
    img = np.zeros((3, 1, 2), np.float32)
    vectors = np.linalg.qr(np.random.normal(size=(3, 3)))[0]
    values = np.array([1.0, 2.0, 3.0])
    lit = np.array([pca_lighting(img, 0.5, values, vectors) for _ in range(4000)])
    assert lit.dtype == np.float32
    np.testing.assert_array_equal(lit[..., 0], lit[..., 1])
    covariance = vectors @ np.diag((0.5 * values) ** 2) @ vectors.T
    np.testing.assert_allclose(np.cov(lit[:, :, 0, 0].T), covariance, atol=0.1)
    assert pca_lighting(img, 0) is img
    assert (pca_lighting(img, 25.5)[:, 0, 0] != 0).all()
    assert (img == 0).all()
    with pytest.raises(InvalidType, match="floating"):
        pca_lighting(np.zeros((3, 2, 2), np.uint8), 1)


def test_resize_interpolates_between_centres_of_pixels(library):
    # Bilinear, larger: at the centre of each new pixel, the line through the centres of the old ones.
    ramp = np.broadcast_to(np.arange(8, dtype=np.float32), (2, 6, 8))
    larger = resize(ramp, (12, 24))
    assert (larger.shape, larger.dtype) == ((2, 12, 24), np.float32)
    expected = np.clip((np.arange(24) + 0.5) / 3 - 0.5, 0, 7)
    np.testing.assert_allclose(larger, np.broadcast_to(expected, (2, 12, 24)), atol=1e-4)
    np.testing.assert_array_equal(resize(ramp, (6, 8)), ramp)
    nearest = resize(ramp, (12, 16), interpolation=0)
    np.testing.assert_array_equal(nearest, ramp.repeat(2, axis=1).repeat(2, axis=2))


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float64, np.float16, bool])
def test_resize_keeps_the_dtype_and_its_range(library, dtype):
    img = np.array([[[0, 0, 1, 1], [1, 1, 0, 0]]], dtype) * np.array(1 if dtype is bool else 255).astype(dtype)
    larger = resize(img, (5, 9), interpolation=3)  # bicubic, which overshoots
    assert (larger.shape, larger.dtype) == ((1, 5, 9), dtype)
    if dtype is np.uint8:
        assert larger[0, 0].tolist() == sorted(larger[0, 0].tolist())  # nothing wraps around
    np.testing.assert_array_equal(resize(img, (4, 8), interpolation=0), img.repeat(2, axis=1).repeat(2, axis=2))


def test_pillow_averages_where_opencv_looks_at_the_nearest_pixels():
    stripes = np.tile(np.array([0, 0, 0, 8], np.float32), (1, 4, 4))
    with using_config("cv_resize_backend", "PIL"):
        np.testing.assert_allclose(resize(stripes, (1, 4), interpolation=4), np.full((1, 1, 4), 2.0))  # box: means
    pytest.importorskip("cv2")
    with using_config("cv_resize_backend", "cv2"):
        np.testing.assert_array_equal(resize(stripes, (4, 4)), resize(stripes, (16, 4))[:, ::4])
        assert resize(stripes, (4, 4)).mean() == 0
        with pytest.raises(ValueError, match=r"BOX by OpenCV; choose one of PIL\.Image\.NEAREST"):
            resize(stripes, (4, 4), interpolation=4)


@settings(max_examples=25, deadline=None)
@given(sizes, st.integers(1, 12), st.booleans())
def test_scale_gives_an_edge_its_length(size, length, fit_short):
    img = numbered(1, *size)
    scaled = scale(img, length, fit_short)
    edge, other = (min, max) if fit_short else (max, min)
    assert edge(scaled.shape[1:]) == length
    assert other(scaled.shape[1:]) == max(length * other(size) // edge(size), 1)
    if edge(size) == length:
        assert scaled is img


@settings(max_examples=25, deadline=None)
@given(sizes, sizes)
def test_resize_contain_puts_an_image_into_the_middle(size, frame):
    img = np.ones((2, *size), np.float32)
    framed, param = resize_contain(img, frame, fill=(5, 6), return_param=True)
    height, width = param["scaled_size"]
    y, x = param["y_offset"], param["x_offset"]
    assert framed.shape == (2, *frame)
    np.testing.assert_allclose(framed[:, y : y + height, x : x + width], 1, rtol=1e-6)
    outside = np.ones(frame, bool)
    outside[y : y + height, x : x + width] = False
    assert (framed[0, outside] == 5).all()
    assert (framed[1, outside] == 6).all()
    assert abs(frame[0] - height - 2 * y) <= 1
    assert abs(frame[1] - width - 2 * x) <= 1
    if size[0] <= frame[0] and size[1] <= frame[1]:
        assert (height, width) == size  # never larger
    else:
        assert height == frame[0] or width == frame[1] or 1 in (height, width)


@pytest.mark.parametrize("expand", [True, False])
def test_rotate_turns_anticlockwise_around_the_centre(library, expand):
    # A blot right of the middle goes up and to the left.
    y, x = np.mgrid[:41, :61]
    img = np.exp(-((y - 20) ** 2 + (x - 42) ** 2) / 8.0).astype(np.float32)[None]
    for angle in (30, 100, -45.5):
        rotated = rotate(img, angle, expand)
        height, width = rotated.shape[1:]
        radians = np.radians(angle)
        if expand:
            assert abs(height - (61 * abs(np.sin(radians)) + 41 * abs(np.cos(radians)))) <= 2
            assert abs(width - (61 * abs(np.cos(radians)) + 41 * abs(np.sin(radians)))) <= 2
        else:
            assert (height, width) == (41, 61)
        rows, columns = np.mgrid[:height, :width]
        weights = rotated[0] / rotated[0].sum()
        centre = (weights * rows).sum() - (height - 1) / 2, (weights * columns).sum() - (width - 1) / 2
        np.testing.assert_allclose(centre, (-12 * np.sin(radians), 12 * np.cos(radians)), atol=0.6)


def test_rotate_fills_each_channel_and_moves_pixels_by_right_angles(library):
    img = np.ones((2, 10, 10), np.float32)
    rotated = rotate(img, 45, fill=(3, 4))
    assert rotated[:, 0, 0].tolist() == [3, 4]
    assert rotate(img, 45, expand=False, fill=9)[0, 0, 0] == 9
    tall = numbered(2, 3, 5)
    for k in range(-4, 5):
        np.testing.assert_array_equal(rotate(tall, 90 * k), np.rot90(tall, k, axes=(1, 2)))
    assert rotate(tall, 90, expand=False).shape == tall.shape
    with pytest.raises(ValueError, match="unknown interpolation BOX"):
        rotate(img, 45, interpolation=4)


def test_images_and_sizes_that_are_none_are_said():
    for call in (
        lambda x: resize(x, (2, 2)),
        lambda x: scale(x, 2),
        lambda x: resize_contain(x, (2, 2)),
        lambda x: center_crop(x, (2, 2)),
        random_sized_crop,
        random_expand,
        flip,
        random_rotate,
        lambda x: rotate(x, 30),
        lambda x: pca_lighting(x, 1),
    ):
        for wrong in (np.zeros((4, 4), np.float32), np.zeros((3, 0, 4), np.float32), [[[1.0]]]):
            with pytest.raises(InvalidType, match=r": img: expected an? (image|Variable)"):
                call(wrong)
    img = np.zeros((1, 4, 4), np.float32)
    with pytest.raises(ValueError, match="size 5 x 2 is larger than the image, 4 x 4"):
        random_crop(img, (5, 2))
    with pytest.raises(ValueError, match="resize: size is 0 x 4"):
        resize(img, (0, 4))
    with pytest.raises(TypeError, match=r"resize: size must be a pair of integers"):
        resize(img, 4)
    with pytest.raises(ValueError, match="scale_ratio_range"):
        random_sized_crop(img, (0, 1))


def test_a_library_that_is_unknown_or_missing_is_said(monkeypatch):
    img = np.zeros((1, 4, 4), np.float32)
    with using_config("cv_resize_backend", "pillow"), pytest.raises(ValueError, match="cv_resize_backend is 'pillow'"):
        resize(img, (2, 2))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RengaError, match=r"'PIL', which is not installed.*\n.*renga\[cv\]"):
        resize(img, (2, 2))
    with using_config("cv_resize_backend", "cv2"), pytest.raises(RengaError, match=r"'cv2'.*\n.*renga\[opencv\]"):
        resize(img, (2, 2))
