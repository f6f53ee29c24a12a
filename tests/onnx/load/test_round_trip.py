"""What Renga has exported, loaded again: trained, copied, saved, exported once more, in other dtypes."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga.training import Trainer, extensions
from renga_nn.models import LeNet

pytest.importorskip("onnx", reason="reading and writing ONNX files needs the package onnx")
pytest.importorskip("onnxruntime", reason="pip install onnxruntime")

from onnx.reference import ReferenceEvaluator
from onnx_zoo import MODELS
from onnx_zoo.comparing import apart, in_dtype, in_onnxruntime, outputs_of

import renga.onnx  # after the skips

SMALL = ["LeNet", "DCGAN, generator", "VAE", "LSTM language model", "Transformer"]
LENET = MODELS["LeNet"]
LABELS = np.array([0, 1, 2], np.int32)


def loaded(path: Path, network: Any = None, **options: Any) -> Any:
    """LeNet, or another network for its images, through a file."""
    images = LENET.drawn(1, LENET.sizes)
    renga.onnx.export(network or LENET.network(), images, path, input_shapes=LENET.input_shapes, **options)
    return renga.onnx.load(path)


def images() -> Any:
    return LENET.drawn(2, LENET.others)[0]


def losses(network: Any, count: int) -> list[float]:
    """Of some steps of training."""
    optimizer = renga.optimizers.MomentumSGD(0.05).setup(network)
    found = []
    with renga.using_config("train", True):
        for _ in range(count):
            loss = F.softmax_cross_entropy(network(images()), LABELS)
            network.cleargrads()
            loss.backward()
            optimizer.update()
            found.append(loss.item())
    return found


def test_a_network_exported_for_training_is_trained_as_the_original(tmp_path: Path) -> None:
    original = LeNet(n_channels=6, n_units=20, dropout_ratio=0.0)
    outputs_of(original, [images()])  # parameters get their shapes
    network = loaded(tmp_path / "net.onnx", original, train=True)
    kinds = {node.kind for node in network._graph.nodes}
    assert "Dropout" in kinds  # of ratio 0
    before, after = losses(original, 5), losses(network, 5)
    np.testing.assert_allclose(after, before, rtol=1e-5)
    assert after[-1] < 0.5 * after[0]


def test_dropout_is_exported_for_training_only(tmp_path: Path) -> None:
    network = loaded(tmp_path / "net.onnx", train=True)
    with renga.using_config("train", True):
        assert apart([network(images()).array], [network(images()).array]) > 0.01
    network = loaded(tmp_path / "net.onnx")
    with renga.using_config("train", True):
        assert apart([network(images()).array], [network(images()).array]) == 0


@pytest.mark.parametrize("name", SMALL)
def test_exported_again_it_is_the_same(name: str, tmp_path: Path) -> None:
    model = MODELS[name]
    # A causal mask is computed from sizes outside of functions, so that it is exported for these sizes only.
    shapes, sizes = (None, model.sizes) if name == "Transformer" else (model.input_shapes, model.others)
    inputs, others = model.drawn(1, model.sizes), model.drawn(2, sizes)
    paths = [tmp_path / f"{i}.onnx" for i in range(3)]
    renga.onnx.export(model.network(), inputs, paths[0], input_shapes=model.input_shapes)
    for before, after in itertools.pairwise(paths):
        network = renga.onnx.load(before)
        renga.onnx.export(network, inputs, after, input_shapes=shapes)
        again = renga.onnx.load(after)
        assert _of_parameters(again) == _of_parameters(network)
        assert apart(outputs_of(again, others), outputs_of(network, others)) <= 1e-6
        assert apart(in_onnxruntime(after, others), in_onnxruntime(before, others)) <= 1e-6


def _of_parameters(network: Any) -> list[tuple[str, tuple[int, ...]]]:
    return [(name, parameter.shape) for name, parameter in network.namedparams()]


@pytest.mark.parametrize("name", ["LeNet", "DCGAN, generator", "VAE"])
def test_exported_again_nothing_is_added(name: str, tmp_path: Path) -> None:
    model, path = MODELS[name], tmp_path / "net.onnx"
    network: Any = model.network()
    counts = []
    for _ in range(3):
        proto = renga.onnx.export(network, model.drawn(1, model.sizes), path, input_shapes=model.input_shapes)
        counts.append(len([node for node in proto.graph.node if node.op_type != "Identity"]))
        network = renga.onnx.load(path)
    assert counts[2] <= counts[1] <= counts[0] + 1


COPIES: dict[str, Callable[[Any, Path], Any]] = {
    "copy": lambda network, folder: network.copy("copy"),
    "deepcopy": lambda network, folder: copy.deepcopy(network),
    "pickle": lambda network, folder: pickle.loads(pickle.dumps(network)),
    "to_device": lambda network, folder: network.copy("copy").to_device("numpy"),
    "npz": lambda network, folder: _through_file(network, folder, "npz"),
    "safetensors": lambda network, folder: _through_file(network, folder, "safetensors"),
}


def _through_file(network: Any, folder: Path, suffix: str) -> Any:
    if suffix == "safetensors":
        pytest.importorskip("safetensors", reason="pip install safetensors")
    save, load = (getattr(renga.serializers, f"{verb}_{suffix}") for verb in ("save", "load"))
    save(folder / f"weights.{suffix}", network)
    fresh = renga.onnx.load(folder / "net.onnx")
    assert apart(outputs_of(fresh, [images()]), outputs_of(network, [images()])) > 1e-3
    load(folder / f"weights.{suffix}", fresh)
    return fresh


@pytest.mark.parametrize("way", COPIES)
def test_copies_compute_the_same_and_are_apart(way: str, tmp_path: Path) -> None:
    network = loaded(tmp_path / "net.onnx")
    losses(network, 2)  # it is no longer what the file has
    made = COPIES[way](network, tmp_path)
    assert apart(outputs_of(made, [images()]), outputs_of(network, [images()])) == 0
    assert losses(made, 2) == losses(network.copy("copy"), 2)


def test_it_is_compiled(tmp_path: Path) -> None:
    network = loaded(tmp_path / "net.onnx")
    compiled = renga.compile(lambda x: network(x))
    with renga.using_config("train", False), renga.no_backprop_mode():
        for _ in range(4):
            assert apart([compiled(images()).array], outputs_of(network, [images()])) <= 1e-6


def test_in_a_sequential_it_is_trained_stopped_and_resumed(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    data = renga.datasets.TupleDataset(
        rng.standard_normal((12, 1, 12, 12)).astype(np.float32), np.arange(12, dtype=np.int32) % 3
    )

    def trainer(folder: Path) -> tuple[Any, Any]:
        network = renga.Sequential(loaded(tmp_path / "net.onnx"), F.relu, L.Linear(10, 3, initialW=0.1))
        model = L.Classifier(network)
        optimizer = renga.optimizers.Adam(0.01).setup(model)
        iterator = renga.iterators.SerialIterator(data, 4, shuffle=False)
        made = Trainer(renga.training.StandardUpdater(iterator, optimizer), (6, "iteration"), out=folder)
        made.extend(extensions.snapshot(filename="state"), trigger=(3, "iteration"))
        return made, network

    whole, right = trainer(tmp_path / "whole")
    whole.run()
    stopped, _ = trainer(tmp_path / "stopped")
    stopped.stop_trigger = renga.training.get_trigger((3, "iteration"))
    stopped.run()
    resumed, network = trainer(tmp_path / "resumed")
    renga.serializers.load_npz(tmp_path / "stopped" / "state", resumed)
    resumed.run()
    for (name, parameter), (_, expected) in zip(network.namedparams(), right.namedparams(), strict=True):
        np.testing.assert_array_equal(parameter.array, expected.array, err_msg=name)


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float16, 1e-2), (np.float64, 1e-9)])
@pytest.mark.parametrize("name", SMALL)
def test_other_dtypes(name: str, dtype: Any, tolerance: float, tmp_path: Path) -> None:
    model, path = MODELS[name], tmp_path / "net.onnx"
    with renga.using_config("dtype", dtype):
        network = in_dtype(model.network(), dtype)
        others = model.drawn(2, model.others, dtype)
        renga.onnx.export(network, model.drawn(1, model.sizes, dtype), path, input_shapes=model.input_shapes)
    again = renga.onnx.load(path)
    assert {parameter.dtype for parameter in again.params()} == {np.dtype(dtype)}
    expected = outputs_of(network, others)
    assert {y.dtype for y in expected} == {np.dtype(dtype)}
    assert apart(outputs_of(again, others), expected) <= tolerance
    # onnxruntime has no convolution and no LSTM of float64.
    found = in_onnxruntime(path, others) if dtype == np.float16 else _by_definition(path, others)
    assert apart(found, expected) <= tolerance


def _by_definition(path: Path, inputs: Any) -> Any:
    """What onnx itself computes."""
    evaluator = ReferenceEvaluator(str(path))
    return evaluator.run(None, dict(zip(evaluator.input_names, inputs, strict=True)))
