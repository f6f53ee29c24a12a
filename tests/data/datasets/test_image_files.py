"""Folders of images that are read when they are asked for."""

from pathlib import Path

import numpy as np
import pytest

import renga
from renga.dataset import concat_examples
from renga.iterators import MultiprocessIterator, MultithreadIterator, SerialIterator
from renga_core.errors import RengaError
from renga_core.serializers import FileDamaged
from renga_data.datasets.image_files import get_image_files, random_part, read_part
from renga_serializers.npz import DictionarySerializer, NpzDeserializer

Image = pytest.importorskip("PIL.Image", reason="images are read by Pillow")

ITERATORS = {
    "serial": lambda data, **more: SerialIterator(data, 5, **more),
    "one thread": lambda data, **more: MultithreadIterator(data, 5, n_threads=1, **more),
    "three threads": lambda data, **more: MultithreadIterator(data, 5, n_threads=3, n_prefetch=2, **more),
    "one process": lambda data, **more: MultiprocessIterator(data, 5, n_processes=1, **more),
    "two processes": lambda data, **more: MultiprocessIterator(data, 5, n_processes=2, n_prefetch=0, **more),
}


def picture(height, width, seed=0):
    """Smooth colours, as a photograph has."""
    rows, columns = np.mgrid[0:height, 0:width]
    waves = [np.sin(rows / (20 + seed) + c) * np.cos(columns / (30 + c) + seed) for c in range(3)]
    return Image.fromarray(np.uint8(127.5 + 120 * np.stack(waves, -1)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("pictures")
    for k, name in enumerate(("cat", "dog")):
        (path / name).mkdir()
        for i in range(8):
            picture(40 + 5 * i, 70 - 4 * i, 10 * k + i).save(path / name / f"{i}.jpg", quality=95)
    return str(path)


@pytest.mark.parametrize("kind", ITERATORS)
def test_each_iterator_gives_the_same_batches(folder, kind):
    train, _ = get_image_files(folder, size=(24, 32))
    expected = iter(SerialIterator(train, 5, seed=3))
    iterator = ITERATORS[kind](train, seed=3)
    try:
        for _ in range(4):  # more than an epoch
            for one, other in zip(next(expected), next(iterator), strict=True):
                np.testing.assert_array_equal(other[0], one[0])
                assert other[1] == one[1]
    finally:
        iterator.finalize()


@pytest.mark.parametrize("kind", ["serial", "three threads", "two processes"])
def test_one_iterator_goes_on_where_another_was(folder, kind):
    train, _ = get_image_files(folder, size=16)
    expected = SerialIterator(train, 5, seed=3)
    next(expected), next(expected)
    saved = DictionarySerializer()
    saved.save(expected)
    resumed = ITERATORS[kind](train, seed=9)
    try:
        NpzDeserializer(saved.target).load(resumed)
        for (x, _), (y, _) in zip(next(expected), next(resumed), strict=True):
            np.testing.assert_array_equal(y, x)
    finally:
        resumed.finalize()


def test_parts_and_flips_are_new_in_each_epoch(folder):
    train, _ = get_image_files(folder, size=16)
    iterator = SerialIterator(train, len(train), shuffle=False, seed=0)
    first, second = next(iterator), next(iterator)
    assert not any(np.array_equal(x, y) for (x, _), (y, _) in zip(first, second, strict=True))


def test_images_for_testing_are_those_of_prediction(folder):
    _, test = pair = get_image_files(folder, size=(24, 32), mode="grey")
    expected = [next(pair.preprocessing.read(path))[1] for path in test._paths]
    for (x, _), y in zip(test, expected, strict=True):
        np.testing.assert_allclose(x, y, atol=1e-5)
    assert x.shape == (1, 24, 32)
    assert x.dtype == np.float32


def test_normalized(folder):
    train, _ = get_image_files(folder, size=24, area=(1.0, 1.0), flip=False)
    x = concat_examples(train[:])[0]
    assert x.mean(axis=(0, 2, 3)) == pytest.approx([0, 0, 0], abs=0.25)  # of parts, not of whole images
    assert x.std(axis=(0, 2, 3)) == pytest.approx([1, 1, 1], abs=0.2)


def test_a_batch_is_not_copied(folder):
    train, _ = get_image_files(folder, size=16)
    examples = next(SerialIterator(train, 6))
    x, _ = concat_examples(examples)
    assert np.shares_memory(x, examples[0][0])
    np.testing.assert_array_equal(x, np.stack([image for image, _ in examples]))
    assert x.flags.writeable
    assert x.transpose(0, 2, 3, 1).flags.c_contiguous  # channels last
    for others in (examples[::-1], examples[:-1], [examples[0]] * 6):
        x, _ = concat_examples(others)
        assert not np.shares_memory(x, examples[0][0])
        np.testing.assert_array_equal(x, np.stack([image for image, _ in others]))


def test_rows_of_an_array_of_the_users_are_copied():
    data = np.arange(24, dtype=np.float32).reshape(4, 6)
    assert not np.shares_memory(concat_examples([*data]), data)


@pytest.mark.parametrize("seed", range(20))
def test_a_part_is_what_pillow_makes_of_it(tmp_path, seed):
    rng = np.random.default_rng(seed)
    image = picture(*rng.integers(30, 200, 2).tolist(), seed)
    image.save(tmp_path / "image.png")
    got = read_part(str(tmp_path / "image.png"), (20, 24), 3, (0.2, 1.0), np.random.default_rng(seed))
    left, top, right, bottom = random_part(image.size, (0.2, 1.0), np.random.default_rng(seed))
    expected = image.resize((24, 20), Image.Resampling.BILINEAR, box=(left, top, right, bottom))
    # Very large parts are first made smaller by a whole number.
    assert np.abs(got.astype(int) - np.asarray(expected).astype(int)).max() <= 4


def test_a_large_jpeg_is_decoded_smaller(tmp_path, monkeypatch):
    image = picture(1200, 1600)
    image.save(tmp_path / "image.jpg", quality=95)
    decoded = []
    resize = Image.Image.resize
    monkeypatch.setattr(Image.Image, "resize", lambda self, *a, **k: decoded.append(self.size) or resize(self, *a, **k))
    got = read_part(str(tmp_path / "image.jpg"), (100, 100), 3, (0.9, 1.0), np.random.default_rng(0))
    assert decoded[0] == (200, 150)
    monkeypatch.undo()
    box = random_part(image.size, (0.9, 1.0), np.random.default_rng(0))
    expected = np.asarray(image.resize((100, 100), Image.Resampling.BILINEAR, box=box)).astype(int)
    assert np.abs(got - expected).mean() < 1.5


def test_random_parts():
    rng = np.random.default_rng(0)
    for _ in range(500):
        width, height = rng.integers(1, 600, 2).tolist()
        left, top, right, bottom = random_part((width, height), (0.1, 0.5), rng)
        assert 0 <= left < right <= width
        assert 0 <= top < bottom <= height
    shares, ratios = [], []
    for _ in range(500):
        left, top, right, bottom = random_part((400, 300), (0.1, 0.5), rng)
        shares.append((right - left) * (bottom - top) / 120_000)
        ratios.append((right - left) / (bottom - top))
    assert 0.095 < min(shares) < 0.15
    assert 0.45 < max(shares) < 0.505
    assert 0.74 < min(ratios) < 0.8
    assert 1.25 < max(ratios) < 1.36
    assert random_part((1000, 10), (0.9, 1.0), rng) == (493, 0, 506, 10)  # none fits: in the middle


def test_what_cannot_be_read_is_named(folder, tmp_path):
    with pytest.raises(ValueError, match=r"area must be .* not \(0\.5, 0\.1\)"):
        get_image_files(folder, area=(0.5, 0.1))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        for i in range(4):
            picture(30, 30).save(tmp_path / name / f"{i}.jpg")
    train, _ = get_image_files(str(tmp_path), size=8)
    bad = Path(train._paths[0])
    bad.write_bytes(bad.read_bytes()[:200])
    for make in ITERATORS.values():
        iterator = make(train, seed=0, repeat=False)
        try:
            with pytest.raises(FileDamaged, match=bad.name):
                list(iterator)
        finally:
            iterator.finalize()
    (tmp_path / "empty").mkdir()
    with pytest.raises(RengaError, match="empty has no images"):
        get_image_files(str(tmp_path))


def test_the_example_alone_draws_from_the_seed(folder):
    train, _ = get_image_files(folder, size=16)
    draws = []
    for _ in range(2):
        renga.random.seed(4)
        draws.append([train[0][0] for _ in range(2)])
    np.testing.assert_array_equal(draws[0], draws[1])
    assert not np.array_equal(draws[0][0], draws[0][1])


@pytest.mark.parametrize("get", [get_image_files, renga.datasets.get_image_folder])
@pytest.mark.parametrize("size", [0, -1, (8, 0)])
def test_a_size_without_pixels_is_refused(folder, get, size):
    """The message is about the size, not about the first image."""
    with pytest.raises(ValueError, match="size must be at least 1 pixel, not"):
        get(str(folder), size=size)
