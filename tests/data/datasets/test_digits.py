import math
from importlib.resources import files

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_data.datasets import TupleDataset, get_digits


def test_sizes_shapes_and_values():
    train, test = get_digits()
    assert isinstance(train, TupleDataset)
    assert (len(train), len(test)) == (1437, 360)
    image, label = train[0]
    assert (image.shape, image.dtype, label.dtype) == ((64,), np.float32, np.int32)
    images = np.concatenate(get_digits(withlabel=False))
    assert (images.min(), images.max()) == (0, 1)
    # What the numbers were before: sixteenths.
    np.testing.assert_array_equal(images * 16, np.round(images * 16))


def test_the_split_is_a_partition_that_keeps_proportions_and_order():
    train, test = get_digits(scale=16, ndim=2)
    with files("renga_data.datasets").joinpath("digits.npz").open("rb") as file:
        arrays = dict(np.load(file, allow_pickle=False))
    everything = [(image.tobytes(), label) for image, label in zip(arrays["images"], arrays["labels"], strict=True)]
    ours = [[(image.astype(np.uint8).tobytes(), label) for image, label in part] for part in (train, test)]
    assert sorted(ours[0] + ours[1]) == sorted(everything)
    order = {example: i for i, example in enumerate(everything)}
    assert len(order) == 1797  # no two are alike
    for part in ours:
        positions = [order[example] for example in part]
        assert positions == sorted(positions)
    by_class = sorted(everything, key=lambda example: example[1])
    assert sorted(ours[1]) == sorted(by_class[::5])
    for digit in range(10):
        count = int((arrays["labels"] == digit).sum())
        assert abs(sum(label == digit for _, label in ours[1]) - count / 5) < 1


def test_images_look_like_their_labels():
    # An independent check that images and labels belong together: the nearest training digit has the same label.
    (x, t), (x_test, t_test) = ([np.array(a) for a in zip(*part, strict=True)] for part in get_digits())
    distances = (x_test**2).sum(1)[:, None] + (x**2).sum(1) - 2 * x_test @ x.T
    assert (t[distances.argmin(1)] == t_test).mean() > 0.97


@pytest.mark.parametrize(("ndim", "shape"), [(1, (64,)), (2, (8, 8)), (3, (1, 8, 8))])
def test_options(ndim, shape):
    with using_config("dtype", np.float16):
        train, test = get_digits(withlabel=False, ndim=ndim, scale=2.0, test_ratio=0.5)
    assert (train.shape, test.shape) == ((898, *shape), (899, *shape))
    assert (train.dtype, train.max()) == (np.float16, 2)
    train, _ = get_digits(dtype="float64", label_dtype="int64")
    assert (train[0][0].dtype, train[0][1].dtype) == (np.float64, np.int64)


@pytest.mark.parametrize("ratio", [0.0001, 0.1, 0.3, 1 / 3, 0.5, 0.7, 0.9, 0.9999])
def test_any_ratio(ratio):
    train, test = get_digits(withlabel=False, test_ratio=ratio)
    assert len(test) == math.ceil(ratio * 1797)
    assert len(train) + len(test) == 1797


@pytest.mark.parametrize(
    "options", [{"ndim": 4}, {"ndim": 0}, {"test_ratio": 0}, {"test_ratio": 1}, {"dtype": "uint8"}]
)
def test_bad_options(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        get_digits(**options)


def test_attribution_is_beside_the_file():
    text = files("renga_data.datasets").joinpath("digits.md").read_text("utf-8")
    for words in ("Alpaydin", "Kaynak", "10.24432/C50P49", "CC BY 4.0"):
        assert words in text
