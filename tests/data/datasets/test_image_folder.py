"""Folders of images."""

import numpy as np
import pytest

import renga
from renga_core.errors import RengaError
from renga_core.serializers import FileDamaged
from renga_data.datasets import get_digits, get_image_folder
from renga_data.preprocessing import read_preprocessing, write_preprocessing

Image = pytest.importorskip("PIL.Image")


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("cat", "dog"):
        (tmp_path / "data" / name).mkdir(parents=True)
        for i in range(10):
            pixels = rng.integers(0, 256, (6, 8, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(tmp_path / "data" / name / f"{i}.png")
    return tmp_path / "data"


def test_images_are_normalized_over_the_training_part(folder):
    train, test = pair = get_image_folder(str(folder), size=(6, 8))
    assert (len(train), len(test)) == (16, 4)
    x = np.stack([x for x, _ in train])
    assert x.shape == (16, 3, 6, 8)
    assert x.mean(axis=(0, 2, 3)) == pytest.approx([0, 0, 0], abs=1e-5)
    assert x.std(axis=(0, 2, 3)) == pytest.approx([1, 1, 1], rel=1e-4)
    assert pair.preprocessing.classes == ("cat", "dog")
    assert [int(t) for _, t in test] == [0, 0, 1, 1]


def test_grey_and_of_another_size(folder):
    train, _ = get_image_folder(str(folder), size=4, mode="grey", normalize=False)
    x, _ = train[0]
    assert x.shape == (1, 4, 4)
    assert 0 <= x.min() < x.max() <= 1


def test_flips_are_mirror_images_half_of_the_time(folder):
    plain, _ = get_image_folder(str(folder), size=(6, 8))
    flipped, test = get_image_folder(str(folder), size=(6, 8), flip=True)
    renga.random.seed(0)
    kinds = [np.array_equal(flipped[0][0], plain[0][0]) for _ in range(40)]
    assert 8 < sum(kinds) < 32
    mirrored = next(x for x in (flipped[0][0] for _ in range(40)) if not np.array_equal(x, plain[0][0]))
    np.testing.assert_array_equal(mirrored, plain[0][0][:, :, ::-1])
    assert np.array_equal(test[0][0], test[0][0])


def test_images_are_moved_by_some_pixels(folder):
    plain, _ = get_image_folder(str(folder), size=(6, 8), normalize=False)
    moved, test = get_image_folder(str(folder), size=(6, 8), normalize=False, crop=2)
    renga.random.seed(0)
    wide = np.pad(plain[0][0], ((0, 0), (2, 2), (2, 2)))
    parts = [wide[:, i : i + 6, j : j + 8] for i in range(5) for j in range(5)]
    given = [moved[0][0] for _ in range(60)]
    drawn = [next(n for n, part in enumerate(parts) if np.array_equal(part, x)) for x in given]
    assert len(set(drawn)) > 15
    assert np.array_equal(test[0][0], test[0][0])
    with pytest.raises(ValueError, match="crop must be a number of pixels, 0 or more, not -1"):
        get_image_folder(str(folder), size=6, crop=-1)


@pytest.mark.parametrize("mode", ["rgb", "grey"])
def test_colours_are_distorted_in_their_range(folder, mode):
    plain, _ = get_image_folder(str(folder), size=(6, 8), mode=mode, normalize=False)
    changed, test = get_image_folder(str(folder), size=(6, 8), mode=mode, normalize=False, distort=True)
    renga.random.seed(0)
    drawn = [changed[0][0] for _ in range(30)]
    means = [x.mean() / plain[0][0].mean() for x in drawn]
    assert 0.4 < min(means) < 0.9
    assert 1.1 < max(means) < 1.6
    assert all(x.shape == plain[0][0].shape and x.dtype == np.float32 and 0 <= x.min() < x.max() <= 1 for x in drawn)
    assert np.array_equal(test[0][0], test[0][0])


def test_a_file_is_read_as_in_training(folder, tmp_path):
    pair = get_image_folder(str(folder), size=(6, 8))
    write_preprocessing(tmp_path / "kept.json", pair.preprocessing)
    made = read_preprocessing(tmp_path / "kept.json")
    assert made == pair.preprocessing
    ((_, x),) = made.read(str(folder / "cat" / "0.png"))
    every = [y for part in pair for y, _ in part]
    assert any(np.array_equal(x, y) for y in every)


def test_digits_know_how_pictures_of_ink_become_theirs(tmp_path):
    train, _ = pair = get_digits(ndim=3)
    x, t = train[5]
    Image.fromarray(np.round(255 * (1 - x[0])).astype(np.uint8)).save(tmp_path / "digit.png")
    ((_, again),) = pair.preprocessing.read(str(tmp_path / "digit.png"))
    np.testing.assert_allclose(again, x, atol=1 / 255)
    assert pair.preprocessing.classes[t] == str(t)


def test_what_cannot_be_used(folder, tmp_path):
    (folder / "cat" / "notes.txt").write_text("no image")
    with pytest.raises(FileDamaged, match=r"notes\.txt"):
        get_image_folder(str(folder), size=6)
    (folder / "cat" / "notes.txt").unlink()
    (folder / "bird").mkdir()
    with pytest.raises(RengaError, match="bird has no images"):
        get_image_folder(str(folder), size=6)
    with pytest.raises(RengaError, match="has no subfolders"):
        get_image_folder(str(folder / "cat"), size=6)
    with pytest.raises(RengaError, match="is not a folder"):
        get_image_folder(str(tmp_path / "missing"), size=6)
