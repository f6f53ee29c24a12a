import contextlib
import importlib
import io
import os

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.errors import RengaError
from renga_core.graph import InvalidType
from renga_core.serializers import FileDamaged, FileRefused
from renga_cv.utils.image import read_image, read_label, tile_images, write_image

Image = pytest.importorskip("PIL.Image")
with contextlib.suppress(ImportError):
    importlib.import_module("cv2")  # here: importing it changes the environment, which no test may

ORIENTATION = 0x112


@pytest.fixture(params=["PIL", "cv2"])
def library(request):
    pytest.importorskip(request.param)
    with using_config("cv_read_image_backend", request.param):
        yield request.param


def noise(*shape, seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape).astype(np.uint8)


def saved(pixels, format="PNG", mode=None, **options):
    """A picture of these pixels ``(H, W)`` or ``(H, W, C)``, as an open file."""
    image = Image.fromarray(pixels)
    file = io.BytesIO()
    (image if mode is None else image.convert(mode)).save(file, format, **options)
    file.seek(0)
    return file


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_what_is_written_is_read(tmp_path, library, channels, dtype):
    img = noise(channels, 5, 7).astype(dtype)
    write_image(img, tmp_path / "a.png")
    read = read_image(tmp_path / "a.png", dtype, color=channels == 3)
    assert read.dtype == dtype
    np.testing.assert_array_equal(read, img)
    assert os.listdir(tmp_path) == ["a.png"]
    file = io.BytesIO()
    write_image(img, file, "bmp")
    file.seek(0)
    np.testing.assert_array_equal(read_image(file, color=channels == 3), img)


def test_colours_and_grey(library):
    pixels = noise(4, 6, 3)
    np.testing.assert_array_equal(read_image(saved(pixels)), pixels.transpose(2, 0, 1))
    grey = read_image(saved(pixels), color=False)
    np.testing.assert_allclose(grey[0], pixels @ [0.299, 0.587, 0.114], atol=1)
    np.testing.assert_array_equal(read_image(saved(pixels[:, :, 0])), pixels[:, :, 0] * np.ones((3, 1, 1)))
    palette = saved(noise(4, 6) % 5, mode="P")
    expected = np.asarray(Image.open(palette).convert("RGB")).transpose(2, 0, 1)
    np.testing.assert_array_equal(read_image(palette), expected)


def test_pictures_are_turned_the_way_up_that_they_say(library):
    pixels = noise(4, 6, 3)
    for orientation, turned in ((3, pixels[::-1, ::-1]), (6, np.rot90(pixels, -1)), (8, np.rot90(pixels))):
        exif = Image.Exif()
        exif[ORIENTATION] = orientation
        file = saved(pixels, exif=exif)
        np.testing.assert_array_equal(read_image(file), turned.transpose(2, 0, 1))


def test_transparent_pixels_on_a_background():
    pixels = noise(4, 6, 4)
    with pytest.raises(ValueError, match=r"an open file: read_image: pixels are transparent.*alpha='ignore'"):
        read_image(saved(pixels))
    color, share = pixels[:, :, :3].transpose(2, 0, 1).astype(np.float64), pixels[:, :, 3] / 255
    np.testing.assert_array_equal(read_image(saved(pixels), alpha="ignore"), color)
    white = read_image(saved(pixels), alpha="blend_with_white")
    np.testing.assert_allclose(white, color * share + 255 * (1 - share), atol=1)
    np.testing.assert_allclose(read_image(saved(pixels), alpha="blend_with_black"), color * share, atol=1)
    # In other ways of saying it: one colour of a palette, and grey with transparency.
    palette = saved(np.eye(3, dtype=np.uint8), mode="P", transparency=0)
    with pytest.raises(ValueError, match="transparent"):
        read_image(palette)
    assert read_image(palette, color=False, alpha="blend_with_white")[0, 0, 1] == 255
    np.testing.assert_array_equal(read_image(saved(pixels[:, :, 0]), alpha="ignore")[0], pixels[:, :, 0])
    with pytest.raises(ValueError, match="alpha is 'blend'; choose from None, 'ignore'"):
        read_image(saved(pixels), alpha="blend")


def test_cmyk_and_sixteen_bits():
    cmyk = saved(np.full((4, 4, 3), (200, 100, 50), np.uint8), "JPEG", mode="CMYK", quality=95)
    np.testing.assert_allclose(read_image(cmyk), np.full((3, 4, 4), 1) * np.reshape([200, 100, 50], (3, 1, 1)), atol=3)
    wide = np.array([[0, 257, 65535, 1000]], np.uint16)
    np.testing.assert_allclose(read_image(saved(wide), color=False), [wide / 257], rtol=1e-6)
    np.testing.assert_array_equal(read_image(saved(wide), np.uint8), np.rint([wide / 257] * 3))
    with pytest.raises(FileRefused, match="32 bits"):
        read_image(saved(np.ones((2, 2), np.float32), "TIFF"))


@pytest.mark.parametrize("format", ["PNG", "JPEG"])
def test_files_that_are_cut_short_or_no_pictures_are_refused(tmp_path, library, format):
    whole = saved(noise(40, 40, 3), format).getvalue()
    path = tmp_path / "a picture"
    for length in (0, 10, len(whole) // 2, len(whole) - 100):
        path.write_bytes(whole[:length])
        with pytest.raises(FileDamaged, match="a picture: damaged or not a picture"):
            read_image(path)
        with pytest.raises(FileRefused, match="a picture"):
            read_label(path)
    with pytest.raises(FileNotFoundError):
        read_image(tmp_path / "none.png")


def test_pictures_far_larger_in_memory_than_in_the_file_are_refused(monkeypatch):
    monkeypatch.setattr("renga_cv.utils.image._SMALL", 1000)
    with pytest.raises(FileRefused, match="1,000,000 bytes of memory"):
        read_image(saved(np.zeros((1000, 1000), np.uint8)))
    read_image(saved(noise(100, 100)))


def test_labels_are_the_numbers_of_colours():
    label = np.array([[0, 1, 2], [2, 255, 1]], np.uint8)
    image = Image.fromarray(label).convert("P")
    image.putdata(label.ravel().tolist())
    image.putpalette(noise(768).tobytes())
    file = io.BytesIO()
    image.save(file, "PNG")
    read = read_label(file)
    assert read.dtype == np.int32
    np.testing.assert_array_equal(read, label)
    np.testing.assert_array_equal(read_label(saved(label), np.int64), label)
    wide = np.array([[0, 60000]], np.uint16)
    np.testing.assert_array_equal(read_label(saved(wide)), wide)
    with pytest.raises(FileRefused, match="channels R, G, B; labels have one"):
        read_label(saved(noise(2, 2, 3)))


def test_pixels_are_clipped_and_rounded_when_written():
    file = io.BytesIO()
    write_image(np.array([[[-5.0, 0.4, 0.6, 300.0]]]), file, "png")
    assert read_image(file, color=False).tolist() == [[[0, 0, 1, 255]]]


def test_nothing_is_left_of_a_picture_that_cannot_be_written(tmp_path):
    (tmp_path / "a.png").write_bytes(b"before")
    for img, file, format, words in (
        (np.full((1, 2, 2), np.nan), tmp_path / "a.png", None, "not a number"),
        (np.zeros((3, 2, 2)), tmp_path / "a.picture", None, r"no format has the suffix '\.picture'"),
        (np.zeros((3, 2, 2)), io.BytesIO(), None, "no suffix"),
        (np.zeros((3, 2, 2)), tmp_path / "a.png", "pgn", "unknown format 'pgn'"),
        (np.zeros((4, 2, 2)), tmp_path / "a.png", None, "1 or 3 channels"),
        (np.zeros((2, 2)), tmp_path / "a.png", None, "an image"),
    ):
        with pytest.raises(ValueError, match=words):
            write_image(img, file, format)
    assert os.listdir(tmp_path) == ["a.png"]
    assert (tmp_path / "a.png").read_bytes() == b"before"
    with pytest.raises(InvalidType):
        write_image(np.zeros((2, 2)), tmp_path / "a.png")


def test_tiles_lie_row_by_row():
    imgs = noise(5, 3, 4, 6)
    for n_col, pad, fill in ((2, 2, 9), (3, (1, 0), (1, 2, 3)), (9, 0, 0)):
        tiled = tile_images(imgs, n_col, pad, fill)
        columns, rows = min(n_col, 5), -(-5 // n_col)
        y_pad, x_pad = (pad, pad) if isinstance(pad, int) else pad
        assert tiled.shape == (3, rows * 4 + (rows - 1) * y_pad, columns * 6 + (columns - 1) * x_pad)
        expected = np.broadcast_to(np.reshape(fill, (-1, 1, 1)), tiled.shape).copy()
        for i, img in enumerate(imgs):
            y, x = divmod(i, columns)
            expected[:, y * (4 + y_pad) :, x * (6 + x_pad) :][:, :4, :6] = img
        np.testing.assert_array_equal(tiled, expected)
    with pytest.raises(InvalidType, match="at least one"):
        tile_images(imgs[:0], 2)
    with pytest.raises(ValueError, match="n_col is 0"):
        tile_images(imgs, 0)


def test_pillow_that_is_missing_is_said(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for call in (lambda: read_image("a"), lambda: read_label("a"), lambda: write_image(np.zeros((1, 1, 1)), "a")):
        with pytest.raises(RengaError, match=r"renga\[cv\]"):
            call()
