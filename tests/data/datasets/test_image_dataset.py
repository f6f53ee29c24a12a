import io
import pickle
import sys
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from renga_core.configuration import using_config
from renga_core.errors import RengaError
from renga_data.datasets import (
    ImageDataset,
    LabeledImageDataset,
    LabeledZippedImageDataset,
    MultiZippedImageDataset,
    ZippedImageDataset,
)
from renga_data.iterators import MultiprocessIterator

Image = pytest.importorskip("PIL.Image", reason="images are read by Pillow: pip install 'renga[cv]'")


def png(pixels):
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "png")
    return stream.getvalue()


COLOUR = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
GREY = np.array([[0, 255], [7, 8], [9, 1]], np.uint8)
NOISE = np.random.default_rng(0).integers(0, 256, (20, 20, 3), np.uint8)
IMAGES = {"a colour.png": COLOUR, "sub/grey.png": GREY, "rgba.png": np.full((1, 2, 4), 200, np.uint8)}
EXPECTED = [COLOUR.transpose(2, 0, 1), GREY[None], np.full((4, 1, 2), 200)]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sub").mkdir()
    for name, pixels in IMAGES.items():
        (tmp_path / name).write_bytes(png(pixels))
    return tmp_path


@pytest.fixture
def archive(tmp_path):
    return make_archive(tmp_path / "images.zip", IMAGES)


def make_archive(path, images):
    with zipfile.ZipFile(path, "w") as opened:
        opened.mkdir("sub")
        for name, pixels in images.items():
            opened.writestr(name, pixels if isinstance(pixels, bytes) else png(pixels))
    return path


def are(images, expected, dtype=np.float32):
    assert len(images) == len(expected)
    for x, y in zip(images, expected, strict=True):
        np.testing.assert_array_equal(x, y)
        assert x.dtype == dtype


def test_files(folder):
    are(ImageDataset(list(IMAGES), folder)[:], EXPECTED)
    are(ImageDataset([folder / name for name in IMAGES], dtype=np.uint8)[:], EXPECTED, np.uint8)
    with using_config("dtype", np.float16):
        dataset = ImageDataset(list(IMAGES), folder)
    are(dataset[[2, 0]], [EXPECTED[2], EXPECTED[0]], np.float16)


def test_a_list_of_files(folder):
    (folder / "list.txt").write_text("sub/grey.png\n\na colour.png\n")
    are(ImageDataset(folder / "list.txt", folder)[:], [EXPECTED[1], EXPECTED[0]])


def test_labels(folder):
    (folder / "pairs.txt").write_text("sub/grey.png 3\na colour.png\t-1\n")
    dataset = LabeledImageDataset(str(folder / "pairs.txt"), str(folder))
    are([x for x, _ in dataset], [EXPECTED[1], EXPECTED[0]])
    assert [(t.tolist(), t.shape, t.dtype) for _, t in dataset] == [(3, (), np.int32), (-1, (), np.int32)]
    _, t = LabeledImageDataset([("rgba.png", 5)], folder, label_dtype=np.uint8)[0]
    assert (t.tolist(), t.dtype) == (5, np.uint8)


@pytest.mark.parametrize("line", ["one", "one two", "one 2.5", ""])
def test_lines_that_are_no_pairs(tmp_path, line):
    (tmp_path / "pairs.txt").write_text(f"a 1\n{line}\n")
    with pytest.raises(ValueError, match=f"pairs.txt, line 2: .*integer, not '{line}'"):
        LabeledImageDataset(tmp_path / "pairs.txt")


def test_an_archive(archive):
    dataset = ZippedImageDataset(archive)
    are(dataset[:], EXPECTED)
    are([dataset.get_example("sub/grey.png")], [EXPECTED[1]])
    with pytest.raises(KeyError, match="nobody"):
        dataset.get_example("nobody")
    dataset.close()
    with pytest.raises(ValueError, match="zip: this ZippedImageDataset has been closed"):
        dataset[-1]
    are(pickle.loads(pickle.dumps(dataset))[:], EXPECTED)


def test_an_archive_with_labels(archive, tmp_path):
    (tmp_path / "labels.txt").write_text("rgba.png 1\nsub/grey.png 2\n")
    dataset = LabeledZippedImageDataset(archive, tmp_path / "labels.txt", np.float64)
    are([x for x, _ in dataset], [EXPECTED[2], EXPECTED[1]], np.float64)
    assert [t.tolist() for _, t in dataset] == [1, 2]


def test_several_archives(archive, tmp_path):
    names = list(IMAGES)
    parts = [
        make_archive(tmp_path / f"{i}.zip", {n: IMAGES[n] for n in part}) for i, part in enumerate([names[:1], []])
    ]
    dataset = MultiZippedImageDataset([parts[0], archive, parts[1]], np.uint8)
    whole = [EXPECTED[0], *EXPECTED]
    are(dataset[:], whole, np.uint8)
    are([dataset[-1], dataset[-4]], [whole[-1], whole[-4]], np.uint8)
    for i in (4, -5):
        with pytest.raises(IndexError, match=f"index {i} is out of range for 4 images"):
            dataset[i]
    assert len(MultiZippedImageDataset([])) == 0


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_processes_share_an_archive(tmp_path):
    pixels = np.random.default_rng(1).integers(0, 256, (6, 100, 100), np.uint8)
    archive = make_archive(tmp_path / "large.zip", {f"{i}.png": image for i, image in enumerate(pixels)})
    dataset = ZippedImageDataset(archive, np.uint8)
    dataset[0]
    with MultiprocessIterator(dataset, 6, shuffle=False, n_processes=3, start_method="fork") as iterator:
        for _ in range(20):
            are(next(iterator), pixels[:, None], np.uint8)


@given(st.data())
def test_pixels_are_those_of_the_file(tmp_path_factory, data):
    shape = data.draw(hnp.array_shapes(min_dims=2, max_dims=2, max_side=5))
    pixels = data.draw(hnp.arrays(np.uint8, data.draw(st.sampled_from([shape, (*shape, 3)]))))
    path = tmp_path_factory.mktemp("image") / "image.png"
    path.write_bytes(png(pixels))
    expected = pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)
    are([ImageDataset([path])[0]], [expected])


@pytest.mark.parametrize("content", [b"", b"text", png(COLOUR)[:40], png(NOISE)[:-200]])
def test_files_that_are_no_images(tmp_path, content):
    (tmp_path / "bad.png").write_bytes(content)
    with pytest.raises(ValueError, match=r"bad\.png: damaged or not an image \("):
        ImageDataset(["bad.png"], tmp_path)[0]
    archive = make_archive(tmp_path / "bad.zip", {"bad.png": content})
    with pytest.raises(ValueError, match=r"bad\.zip/bad\.png: damaged or not an image \("):
        ZippedImageDataset(archive)[0]


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="nobody"):
        ImageDataset(["nobody.png"], tmp_path)[0]
    with pytest.raises(FileNotFoundError, match="nobody"):
        ZippedImageDataset(tmp_path / "nobody.zip")
    (tmp_path / "bad.zip").write_text("no archive")
    with pytest.raises(ValueError, match=r"bad\.zip: damaged or not a zip archive"):
        ZippedImageDataset(tmp_path / "bad.zip")


@pytest.mark.parametrize(
    "make",
    [
        lambda: ImageDataset([]),
        lambda: LabeledImageDataset([]),
        lambda: ZippedImageDataset("x"),
        lambda: MultiZippedImageDataset(["x"]),
        lambda: LabeledZippedImageDataset("x", "y"),
    ],
)
def test_without_pillow(monkeypatch, make):
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RengaError, match=r"ImageDataset needs the module 'PIL'.*\nNext: pip install 'renga\[cv\]'"):
        make()
