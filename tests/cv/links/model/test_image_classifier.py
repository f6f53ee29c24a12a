import numpy as np
import pytest

from renga_core import random
from renga_core.configuration import using_config
from renga_core.kinds import MODEL
from renga_core.plugin import registry
from renga_cv.links.model import image_classifier
from renga_cv.links.model.image_classifier import ImageClassifier
from renga_cv.links.model.pickable_sequential_chain import PickableSequentialChain
from renga_cv.links.model.resnet.residual_classifier import ResidualClassifier
from renga_cv.providers.classifiers import MODELS
from renga_nn.functions import softmax
from renga_nn.links import Linear
from renga_serializers.npz import load_npz, save_npz


@pytest.fixture
def x():
    return np.random.default_rng(0).random((2, 3, 33, 40), np.float32)


class Net(PickableSequentialChain):
    mean = np.array([1, 2, 3], np.float32).reshape(3, 1, 1)

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.scores = Linear(12, 2)
            self.prob = softmax


def test_scores_of_images_less_the_mean(tmp_path):
    x = np.random.default_rng(0).random((5, 3, 2, 2), np.float32)
    model = ImageClassifier(Net(), "scores")
    assert model.network.layer_names == ["scores"]
    right = model.network.scores(x * 255 - Net.mean).array
    assert np.array_equal(model(x).array, right)
    save_npz(tmp_path / "model.npz", model)
    loaded = ImageClassifier(Net(), "scores")
    load_npz(tmp_path / "model.npz", loaded)
    assert np.array_equal(loaded(x).array, right)


@pytest.mark.parametrize("name", [provider.name for provider in MODELS if provider.name != "vgg16"])
def test_every_residual_network(name, x, monkeypatch):
    """One block in each stage: all that makes the deeper ones large is more of the same."""
    monkeypatch.setattr(ResidualClassifier, "_blocks", dict.fromkeys((50, 101, 152), (1, 1, 1, 1)))
    random.seed(0)
    model = registry(MODEL).load(f"cv:{name}")(n_out=4)
    y = model(x)
    assert y.shape == (2, 4)
    assert not np.allclose(y.array.sum(1), 1)
    with using_config("train", False):
        assert np.isfinite(model(x).array).all()


def test_vgg16(x):
    with using_config("train", False):
        y = registry(MODEL).load("cv:vgg16")(n_out=4)(x)
    assert y.shape == (2, 4)
    assert np.isfinite(y.array).all()


def test_depths(monkeypatch):
    """Each name makes the network of its depth."""
    made = []

    def note(self, n_layer, *args, **kwargs):
        made.append(f"{type(self).__name__}{n_layer}")
        raise InterruptedError

    monkeypatch.setattr(ResidualClassifier, "__init__", note)
    for name in [provider.name for provider in MODELS if "resne" in provider.name]:
        with pytest.raises(InterruptedError):
            getattr(image_classifier, name)()
        assert made[-1].lower() == name.replace("_", "")
    assert len(made) == 8
