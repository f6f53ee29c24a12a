import sys

import numpy as np
import pytest

from renga_nn.links.vision.images import as_network_input, ten_crops

MEAN = (1.0, 2.0, 3.0)
RED_FIRST = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)


@pytest.mark.parametrize("image", [RED_FIRST, RED_FIRST.transpose(2, 0, 1), RED_FIRST.astype(float)])
def test_an_array(image):
    x = as_network_input(image, None, MEAN)
    assert x.dtype == np.float32
    right = [RED_FIRST[:, :, 2] - 1.0, RED_FIRST[:, :, 1] - 2.0, RED_FIRST[:, :, 0] - 3.0]
    np.testing.assert_array_equal(x, right)


@pytest.mark.parametrize("shape", [(4, 5), (4, 5, 1), (1, 4, 5)])
def test_a_grey_array(shape):
    x = as_network_input(np.full(shape, 7, np.uint8), None, MEAN)
    assert x.shape == (3, 4, 5)
    assert x[:, 0, 0].tolist() == [6, 5, 4]


def test_an_array_that_is_no_image():
    with pytest.raises(ValueError, match=r"not \(4, 5, 2\)"):
        as_network_input(np.zeros((4, 5, 2)), None, MEAN)


def test_a_picture():
    images = pytest.importorskip("PIL.Image")
    picture = images.fromarray(RED_FIRST)
    np.testing.assert_array_equal(as_network_input(picture, None, MEAN), as_network_input(RED_FIRST, None, MEAN))
    assert as_network_input(picture, (6, 3), MEAN).shape == (3, 3, 6)
    np.testing.assert_array_equal(as_network_input(RED_FIRST, (6, 3), MEAN), as_network_input(picture, (6, 3), MEAN))
    assert as_network_input(picture.convert("L"), None, MEAN).shape == (3, 2, 4)


def test_only_resizing_needs_pillow(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert as_network_input(RED_FIRST, (4, 2), MEAN).shape == (3, 2, 4)
    with pytest.raises(ImportError, match=r"pip install renga\[cv\]"):
        as_network_input(RED_FIRST, (5, 2), MEAN)


def test_ten_crops():
    x = np.arange(2 * 4 * 6).reshape(2, 1, 4, 6)
    crops = ten_crops(x, (2, 2))
    assert crops.shape == (20, 1, 2, 2)
    assert crops[:5, 0, 0, 0].tolist() == [8, 0, 4, 12, 16]
    assert crops[5:10, 0, 0, 0].tolist() == [9, 1, 5, 13, 17]
    np.testing.assert_array_equal(crops[10:], crops[:10] + 24)
