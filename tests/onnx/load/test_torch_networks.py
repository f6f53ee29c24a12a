"""Networks that PyTorch exports compute the same, and have the same gradients."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from renga.functions import sum as total
from renga_core.configuration import using_config
from renga_onnx.load import OnnxModel, load

pytest.importorskip("onnx", reason="reading ONNX files needs the package onnx")
torch = pytest.importorskip("torch", reason="PyTorch exports the networks")

pytestmark = pytest.mark.torch


def attend(q: Any, k: Any, v: Any, mask: Any = None) -> Any:
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    return torch.softmax(scores if mask is None else scores.masked_fill(mask, float("-inf")), -1) @ v


class Block(torch.nn.Module):
    def __init__(self, size: int, heads: int, causal: bool) -> None:
        super().__init__()
        self.heads, self.causal = heads, causal
        self.norm1, self.norm2 = torch.nn.LayerNorm(size), torch.nn.LayerNorm(size)
        self.qkv, self.out = torch.nn.Linear(size, 3 * size), torch.nn.Linear(size, size)
        self.mlp = torch.nn.Sequential(
            torch.nn.Linear(size, 4 * size), torch.nn.GELU(), torch.nn.Dropout(0.1), torch.nn.Linear(4 * size, size)
        )

    def forward(self, x: Any, padding: Any = None) -> Any:
        n, t, c = x.shape
        parts = self.qkv(self.norm1(x)).reshape(n, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        mask = torch.triu(torch.ones(t, t, dtype=torch.bool), 1) if self.causal else padding[:, None, None]
        h = attend(parts[0], parts[1], parts[2], mask).transpose(1, 2).reshape(n, t, c)
        x = x + self.out(h)
        return x + self.mlp(self.norm2(x))


class Bert(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = torch.nn.Embedding(30, 16), torch.nn.Embedding(12, 16)
        self.blocks = torch.nn.ModuleList([Block(16, 2, False), Block(16, 2, False)])
        self.pooler = torch.nn.Linear(16, 3)

    def forward(self, ids: Any, mask: Any) -> Any:
        x = self.words(ids) + self.places(torch.arange(ids.shape[1]))[None]
        for block in self.blocks:
            x = block(x, mask == 0)
        return torch.tanh(self.pooler(x[:, 0]))


class GPT(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = torch.nn.Embedding(30, 16), torch.nn.Embedding(12, 16)
        self.blocks = torch.nn.ModuleList([Block(16, 4, True), Block(16, 4, True)])
        self.norm = torch.nn.LayerNorm(16)

    def forward(self, ids: Any) -> Any:
        x = self.words(ids) + self.places(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.words.weight.T


class CNN(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.bn1 = torch.nn.Conv2d(3, 8, 3, 2, 1, bias=False), torch.nn.BatchNorm2d(8)
        self.conv2 = torch.nn.Conv2d(8, 8, 3, padding=1, groups=4)
        self.up = torch.nn.ConvTranspose2d(8, 4, 2, 2)
        self.fc = torch.nn.Linear(12, 5)

    def forward(self, x: Any) -> Any:
        h = torch.relu(self.bn1(self.conv1(x)))
        h = torch.max_pool2d(h, 3, 2, 1, ceil_mode=True)
        h = h + torch.nn.functional.silu(self.conv2(h))
        wide = torch.nn.functional.interpolate(self.up(h), scale_factor=2.0, mode="bilinear", align_corners=False)
        pooled = torch.nn.functional.adaptive_avg_pool2d(wide, 1).flatten(1)
        both = torch.cat([pooled, h.mean((2, 3))], 1)
        return torch.nn.functional.log_softmax(self.fc(both), 1)


class LSTM(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = torch.nn.LSTM(4, 5, num_layers=2, bidirectional=True, batch_first=True)
        self.gru = torch.nn.GRU(10, 3, batch_first=True)

    def forward(self, x: Any) -> Any:
        return self.gru(self.lstm(x)[0])[0]


IDS = np.random.default_rng(0).integers(0, 30, (2, 7))
MASK = np.array([[1] * 7, [1] * 4 + [0] * 3])
X = np.random.default_rng(1).normal(size=(2, 3, 21, 20)).astype("f")
SERIES = np.random.default_rng(2).normal(size=(2, 6, 4)).astype("f")

NETWORKS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "bert": (Bert, (IDS, MASK)),
    "gpt": (GPT, (IDS,)),
    "cnn": (CNN, (X,)),
    "lstm": (LSTM, (SERIES,)),
}


def exported(network: Any, inputs: tuple[Any, ...], path: Path, **options: Any) -> OnnxModel:
    names = [f"input{i}" for i in range(len(inputs))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tensors = tuple([torch.from_numpy(x) for x in inputs])
        torch.onnx.export(network, tensors, path, input_names=names, **{"dynamo": False, **options})
    return load(path)


def made(name: str) -> tuple[Any, tuple[Any, ...]]:
    torch.manual_seed(0)
    make, inputs = NETWORKS[name]
    network = make().eval()
    with torch.no_grad():  # those that are alike (ones, zeros) would become one initializer
        for value in (*network.parameters(), *network.buffers()):
            if value.is_floating_point():
                value += 0.1 * torch.rand_like(value)
    return network, inputs


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("opset", [14, 17, 20])
def test_outputs_agree(name: str, opset: int, tmp_path: Path) -> None:
    network, inputs = made(name)
    model = exported(network, inputs, tmp_path / "x.onnx", opset_version=opset)
    expected = network(*[torch.from_numpy(x) for x in inputs]).detach().numpy()
    np.testing.assert_allclose(model(*inputs).array, expected, atol=1e-5)
    named = model(**{f"input{i}": x for i, x in enumerate(inputs)})
    np.testing.assert_allclose(named.array, expected, atol=1e-5)


def compare_gradients(network: Any, model: OnnxModel, inputs: tuple[Any, ...]) -> None:
    """Those of all parameters, which must have their names."""
    y = network(*[torch.from_numpy(x) for x in inputs])
    weight = np.random.default_rng(3).normal(size=y.shape).astype("f")
    (y * torch.from_numpy(weight)).sum().backward()
    with using_config("train", False):
        total(model(*inputs) * weight).backward()
    theirs = dict(network.named_parameters())
    ours = {model.names[path[1:]]: param for path, param in model.namedparams()}
    found = sorted(theirs.keys() & ours.keys())
    assert found == sorted(theirs)
    for parameter in found:
        np.testing.assert_allclose(ours[parameter].grad, theirs[parameter].grad.numpy(), atol=1e-4, err_msg=parameter)


@pytest.mark.parametrize("name", ["bert", "gpt", "cnn"])
def test_gradients_agree_and_parameters_have_their_names(name: str, tmp_path: Path) -> None:
    network, inputs = made(name)
    # Folding would transpose weights, and fuse batch normalization into convolutions.
    model = exported(
        network, inputs, tmp_path / "x.onnx", do_constant_folding=False, training=torch.onnx.TrainingMode.PRESERVE
    )
    compare_gradients(network, model, inputs)


@pytest.mark.slow  # the exporter takes its time
@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("name", ["bert", "gpt"])
def test_files_of_the_newer_exporter_load(
    name: str, optimize: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxscript", reason="PyTorch's newer exporter needs the package onnxscript")
    bars = pytest.importorskip("tqdm", reason="onnxscript shows bars with it")
    monkeypatch.setattr(bars.tqdm, "monitor_interval", 0)  # no thread that stays
    network, inputs = made(name)
    any_size = tuple([{0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC} for _ in inputs])
    model = exported(
        network,
        inputs,
        tmp_path / "x.onnx",
        dynamo=True,
        dynamic_shapes=any_size,
        optimize=optimize,
        external_data=optimize,  # with it, weights are in another file
    )
    more = tuple([np.concatenate([x, x[:1]])[:, :5] for x in inputs])
    expected = network(*[torch.from_numpy(x) for x in more]).detach().numpy()
    np.testing.assert_allclose(model(*more).array, expected, atol=1e-5)
    if not optimize:  # which splits weights that are used twice, and transposes others
        compare_gradients(network, model, more)


def test_axes_that_are_left_open_take_any_size(tmp_path: Path) -> None:
    network, inputs = made("gpt")
    axes = {"input0": {0: "batch", 1: "time"}}
    model = exported(network, inputs, tmp_path / "x.onnx", dynamic_axes=axes)
    longer = np.random.default_rng(4).integers(0, 30, (3, 11))
    expected = network(torch.from_numpy(longer)).detach().numpy()
    np.testing.assert_allclose(model(longer).array, expected, atol=1e-5)
