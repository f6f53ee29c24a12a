"""Conversion by names: what lies under a name of PyTorch's comes to lie in the right place."""

import numpy as np
import pytest

from renga_core.errors import RengaError
from renga_core.graph import parameter
from renga_core.plugin import registry
from renga_core.serializers import FileDamaged, FileMismatched
from renga_cv.links.model.mobilenet.mobilenet_v2 import MobileNetV2
from renga_cv.weights.command import run
from renga_cv.weights.convert import RECIPES, convert_weights
from renga_cv.weights.torchvision import MEAN

safetensors = pytest.importorskip("safetensors.numpy")


@pytest.fixture(scope="module")
def tensors():
    """As of torchvision's MobileNetV2, for 5 classes."""
    rng = np.random.default_rng(0)
    network = RECIPES["mobilenet_v2"].network(5)
    shapes = {path.lstrip("/"): param.shape for path, param in network.namedparams()}
    made = {}
    for path, source in RECIPES["mobilenet_v2"].sources.items():
        shape = shapes.get(path) or shapes[f"{path.rpartition('/')[0]}/gamma"]
        made[source.name] = rng.random(shape[:2] if source.name.startswith("classifier") else shape, np.float32)
        if path.endswith("avg_mean"):
            made[f"{source.name.rpartition('.')[0]}.num_batches_tracked"] = np.int64(7)
    return {name: np.asarray(array) for name, array in made.items()}


@pytest.fixture
def file(tmp_path, tensors):
    safetensors.save_file(tensors, tmp_path / "theirs.safetensors")
    return tmp_path / "theirs.safetensors"


@pytest.mark.parametrize("suffix", ["npz", "safetensors"])
def test_values(file, tmp_path, tensors, suffix):
    target = tmp_path / f"ours.{suffix}"
    name, network = convert_weights(file, target)
    assert name == "mobilenet_v2"
    loaded = MobileNetV2(5, target, arch="torch")
    assert np.array_equal(loaded.mean, MEAN)
    for model in (network, loaded):
        assert np.array_equal(model.logits_conv.W.array[:, :, 0, 0], tensors["classifier.1.weight"])
        assert np.array_equal(model.expanded_conv_3.project.bn.avg_var, tensors["features.4.conv.3.running_var"])
        assert np.array_equal(model.expanded_conv.project.conv.W.array, tensors["features.1.conv.1.weight"])
        scaled = tensors["features.0.0.weight"] / (255 * np.array([0.229, 0.224, 0.225]).reshape(3, 1, 1))
        np.testing.assert_allclose(model.conv.conv.W.array, scaled, rtol=1e-6)
        assert model.conv.bn.N == 0


def test_the_network_must_be_of_the_same_form(file, tmp_path):
    convert_weights(file, tmp_path / "ours.npz")
    with pytest.raises(ValueError, match="arch is 'torch' in the weights"):
        MobileNetV2(5, tmp_path / "ours.npz")


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_recipes_are_whole(name, monkeypatch):
    """Each array of the network has its source, and each source its own name."""
    monkeypatch.setattr(parameter, "_fill", lambda array, initializer, name: None)
    recipe = RECIPES[name]
    own = {"deeplab": {"depth_multiplier": 1}, "yolo": {"anchors": np.ones((5, 2)), "width": 8}}
    network = recipe.network(30, **next((own[each] for each in own if each in name), {}))
    paths = {path.lstrip("/") for path, _ in network.namedparams()}
    statistics = {
        f"{path.rpartition('/')[0]}/{end}"
        for path in paths
        if path.endswith("gamma")
        for end in ("avg_mean", "avg_var")
    }
    assert recipe.sources.keys() == paths | statistics
    # Where there is no variance in the file, or nothing but a bias, one array becomes several.
    names = [source.name for source in recipe.sources.values() if not source.name.endswith(("truediv", "bias"))]
    assert len(set(names)) == len(names)
    assert recipe.classes in recipe.names


def test_another_network(file, tmp_path, tensors):
    changed = {**tensors, "extra": tensors["classifier.1.bias"]}
    del changed["features.0.0.weight"]
    safetensors.save_file(changed, file)
    with pytest.raises(FileMismatched) as refused:
        convert_weights(file, tmp_path / "ours.npz")
    assert "mobilenet_v2" in refused.value.differences[0]
    assert refused.value.differences[1:] == ["features.0.0.weight is missing", "the network does not have extra"]
    with pytest.raises(FileMismatched, match="as vgg16"):
        convert_weights(file, tmp_path / "ours.npz", "vgg16")
    assert not (tmp_path / "ours.npz").exists()


def test_other_shapes(file, tmp_path, tensors):
    safetensors.save_file({**tensors, "features.0.1.bias": np.zeros(3, np.float32)}, file)
    with pytest.raises(FileMismatched, match=r"conv/bn/beta is float32 of shape \(3,\)"):
        convert_weights(file, tmp_path / "ours.npz")


def test_no_such_network(file, tmp_path):
    with pytest.raises(RengaError, match=r"no network 'vgg17' .* Did you mean 'vgg16'\?"):
        convert_weights(file, tmp_path / "ours.npz", "vgg17")


def test_no_such_file(tmp_path):
    (tmp_path / "x.safetensors").write_bytes(b"nothing")
    with pytest.raises(FileDamaged, match="not a safetensors file"):
        convert_weights(tmp_path / "x.safetensors", tmp_path / "ours.npz")
    with pytest.raises(FileNotFoundError):
        convert_weights(tmp_path / "y.safetensors", tmp_path / "ours.npz")


def test_command(file, tmp_path, capsys):
    assert registry("command").load("weights") is run
    target = str(tmp_path / "ours.npz")
    assert run(["convert", str(file), target]) == 0
    told = capsys.readouterr().out
    assert f"MobileNetV2(pretrained_model={target!r}, arch='torch')" in told
    assert f"renga predict mobilenet_v2 --weights {target} IMAGE" in told
    assert MobileNetV2(5, target, arch="torch").n_class == 5


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none.pth", "ours.npz"], "none.pth: there is no such file"),
        ([".", "ours.npz"], r"\. is a folder. Next: name the file in it"),
        (["theirs.safetensors", "none/ours.npz"], "none/ours.npz: there is no folder none"),
        (["theirs.safetensors", "."], "that is a folder"),
    ],
)
def test_command_with_wrong_paths(file, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RengaError, match=said):
        run(["convert", *words])
    assert [path.name for path in tmp_path.iterdir()] == ["theirs.safetensors"]
