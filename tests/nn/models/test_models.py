import numpy as np
import pytest

from renga_core import random
from renga_core.configuration import using_config
from renga_core.graph import InvalidType
from renga_core.kinds import MODEL
from renga_core.plugin import registry
from renga_data.datasets import get_digits
from renga_nn.links import Classifier
from renga_nn.models import MLP, LeNet, VGGSmall
from renga_optimizers import Adam
from renga_serializers.npz import load_npz, save_npz

NAMES = ("lenet", "mlp", "row_lstm", "vgg_small")
SHAPES = ((5, 1, 8, 8), (5, 8, 8), (5, 64))


def make(name, **options):
    random.seed(0)
    return registry(MODEL).load(name)(**options)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", SHAPES)
def test_images_of_every_shape_give_class_scores(name, shape):
    images = np.random.default_rng(0).random(SHAPES[0], np.float32)
    with using_config("train", False):
        expected = make(name, n_out=7)(images)
        scores = make(name, n_out=7)(images.reshape(shape))
    assert scores.shape == (5, 7)
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores.array, expected.array, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["lenet", "row_lstm", "vgg_small"])
def test_vectors_that_are_no_square_images(name):
    with pytest.raises(InvalidType, match=r"x: expected images .* got float32 \(2, 60\)"):
        make(name)(np.zeros((2, 60), np.float32))


def test_colour_images():
    images = np.zeros((2, 3, 32, 32), np.float32)
    assert LeNet(4)(images).shape == VGGSmall(4)(images).shape == (2, 4)


def test_vgg_of_one_pixel_pools_no_more():
    assert VGGSmall(3, stages=((4,), (4,), (4,)))(np.zeros((2, 1, 2, 2), np.float32)).shape == (2, 3)


@pytest.mark.parametrize("name", ["lenet", "vgg_small"])
def test_activation_and_pooling_by_name(name):
    images = np.random.default_rng(0).random((3, 64), np.float32)
    kinds = [{"activation": a, "pooling": p} for a in ("relu", "elu", "tanh") for p in ("max", "average")]
    with using_config("train", False):
        scores = [make(name, **kind)(images).array for kind in kinds]
        assert np.array_equal(scores[0], make(name)(images).array)
    assert len({x.tobytes() for x in scores}) == len(kinds)
    with pytest.raises(ValueError, match=r"activation must be one of 'elu', 'relu', 'tanh', not 'gelu'"):
        make(name, activation="gelu")
    with pytest.raises(ValueError, match=r"pooling must be one of 'average', 'max', not 'mean'"):
        make(name, pooling="mean")


def test_perceptron_layers():
    model = MLP(n_units=5, n_out=3, n_layers=4)
    model(np.zeros((2, 7), np.float32))
    assert [layer.W.shape for layer in model] == [(5, 7), (5, 5), (5, 5), (3, 5)]
    with pytest.raises(ValueError, match="n_layers must be at least 1, not 0"):
        MLP(n_layers=0)


@pytest.mark.parametrize("name", NAMES)
def test_saved_and_loaded_it_computes_the_same(name, tmp_path):
    images = np.random.default_rng(0).random((5, 64), np.float32)
    model, other = make(name), registry(MODEL).load(name)()
    model(images)
    save_npz(tmp_path / "model.npz", model)
    load_npz(tmp_path / "model.npz", other)
    with using_config("train", False):
        np.testing.assert_array_equal(other(images).array, model(images).array)


@pytest.mark.parametrize(
    ("name", "options", "epochs", "reached"),
    [
        ("lenet", {"n_channels": 8}, 2, 0.9),
        ("mlp", {}, 4, 0.9),
        ("row_lstm", {}, 4, 0.85),
        ("vgg_small", {"stages": ((8,), (16,))}, 2, 0.85),
    ],
)
def test_it_learns_to_read_digits(name, options, epochs, reached):
    train, test = get_digits()
    model = Classifier(make(name, **options))
    optimizer = Adam(alpha=0.003)
    optimizer.setup(model)
    order = np.random.default_rng(0)
    images, labels = (np.array(column) for column in zip(*train, strict=True))
    for _ in range(epochs):
        for batch in np.array_split(order.permutation(len(images)), 40):
            optimizer.update(model, images[batch], labels[batch])
    with using_config("train", False), using_config("enable_backprop", False):
        model(*(np.array(column) for column in zip(*test, strict=True)))
    assert float(model.accuracy) >= reached
