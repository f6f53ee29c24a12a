"""What all networks share, on one with three layers."""

from functools import partial

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.serializers import FileMismatched
from renga_core.settings import using
from renga_nn.functions import global_average_pooling_2d, softmax
from renga_nn.links import Linear
from renga_nn.links.vision import PretrainedClassifier
from renga_serializers.npz import save_npz


class Network(PretrainedClassifier):
    mean = (1.0, 2.0, 3.0)
    file_name = "small.npz"
    feature = "pool"
    branches = {"side": "pool"}

    def __init__(self, pretrained_model="auto", n_out=4):
        super().__init__()
        self.computed = []
        with self.init_scope():
            self.fc = Linear(3, n_out)
            self.other = Linear(3, 2)
        self.load(pretrained_model)

    @property
    def functions(self):
        layers = {"pool": [global_average_pooling_2d], "fc": [self.fc], "prob": [softmax], "side": [self.other]}
        return {name: [partial(self.note, name), *steps] for name, steps in layers.items()}

    def note(self, name, x):
        self.computed.append(name)
        return x

    def copy_from_caffe(self, source):
        self.fc.copyparams(source["fc"])
        self.other.copyparams(source["other"])


X = np.random.default_rng(0).uniform(-1, 1, (2, 3, 4, 5)).astype("float32")


@pytest.mark.parametrize(
    ("wanted", "computed"),
    [
        (None, ["pool", "fc", "prob"]),
        (["fc"], ["pool", "fc"]),
        (["side"], ["pool", "side"]),
        (["side", "fc", "pool"], ["pool", "fc", "side"]),
        ([], []),
    ],
)
def test_only_what_is_needed_is_computed(wanted, computed):
    network = Network(None)
    layers = network(X, wanted)
    assert network.computed == computed
    assert layers.keys() == set(["prob"] if wanted is None else wanted)
    if "side" in layers:
        np.testing.assert_array_equal(layers["side"].array, network.other(X.mean(axis=(2, 3))).array)


def test_layers_that_are_not_there():
    network = Network(None)
    assert network.available_layers == ["pool", "fc", "prob", "side"]
    with pytest.raises(ValueError, match=r"Network has no layers \['fc8'\]; there are: pool, fc, prob, side"):
        network(X, ["fc8", "fc"])


def test_a_file_with_weights(tmp_path):
    trained = Network(None)
    save_npz(tmp_path / "small.npz", trained)
    np.testing.assert_array_equal(Network(tmp_path / "small.npz").fc.W.array, trained.fc.W.array)
    np.testing.assert_array_equal(Network(str(tmp_path / "small.npz")).fc.W.array, trained.fc.W.array)
    with pytest.raises(FileMismatched, match="fc/W"):
        Network(tmp_path / "small.npz", n_out=5)


def test_the_file_that_is_looked_for(tmp_path, monkeypatch):
    with using({"dataset.root": str(tmp_path)}):
        with pytest.raises(
            FileNotFoundError, match=r"no trained weights at .*models.small\.npz\. .*convert_caffemodel"
        ):
            Network()
        (tmp_path / "models").mkdir()
        trained = Network(None)
        save_npz(tmp_path / "models" / "small.npz", trained)
        np.testing.assert_array_equal(Network().fc.W.array, trained.fc.W.array)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(FileNotFoundError, match=r"cache.renga.datasets.models.small\.npz"):
        Network()
    with pytest.raises(FileNotFoundError, match=r"no trained weights at elsewhere\.npz"):
        Network("elsewhere.npz")


def test_a_file_of_caffe(caffemodel, tmp_path):
    W = np.arange(12, dtype="float32").reshape(4, 3)
    blobs = [W, W[:, 0]], [W[:2], W[:2, 0]]
    path = caffemodel.write(
        *[
            caffemodel.layer(name, "InnerProduct", ["x"], [name], b)
            for name, b in zip(("fc", "other"), blobs, strict=True)
        ]
    )
    np.testing.assert_array_equal(Network(path).fc.W.array, W)
    Network.convert_caffemodel_to_npz(path, tmp_path / "converted.npz")
    np.testing.assert_array_equal(Network(tmp_path / "converted.npz").other.b.array, [0, 3])


def test_extract():
    network = Network(None)
    images = [np.full((6, 6, 3), 10 * n, np.uint8) for n in range(3)]
    layers = network.extract(images, size=None)
    assert layers.keys() == {"pool"}
    np.testing.assert_allclose(layers["pool"].array, [[10 * n - 1, 10 * n - 2, 10 * n - 3] for n in range(3)])
    assert network.extract(images, ["fc"], size=(6, 6))["fc"].shape == (3, 4)
    np.testing.assert_array_equal(network.prepare(images[1], None)[:, 0, 0], [9, 8, 7])


def test_predict():
    network = Network(None)
    network.fc.W.array *= 0.01  # so that probabilities are not all 0 and 1
    images = np.random.default_rng(0).integers(0, 255, (2, 256, 256, 3), np.uint8)
    with using_config("train", True):
        y = network.predict(list(images), oversample=False)
    assert y.creator is None
    center = images[:, 16:240, 16:240, ::-1].mean(axis=(1, 2)) - [1, 2, 3]
    np.testing.assert_allclose(y.array, softmax(network.fc(center.astype("float32"))).array, rtol=1e-3)
    sampled = network.predict(list(images))
    assert sampled.shape == (2, 4)
    np.testing.assert_allclose(sampled.array.sum(axis=1), 1, rtol=1e-5)
    assert (sampled.array != y.array).any()
