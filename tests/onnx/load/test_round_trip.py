"""What Renga exports it reads again: the same outputs, and the same gradients."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import renga.functions as F
import renga.links as L
from renga_core.configuration import using_config
from renga_core.link import Chain

pytest.importorskip("onnx", reason="reading and writing ONNX files needs the package onnx")

import renga.onnx  # after the skip


class Network(Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(3, 6, 3, pad=1)
            self.bn = L.BatchNormalization(6)
            self.fc = L.Linear(54, 4)

    def forward(self, x: Any) -> Any:
        h = F.max_pooling_2d(F.relu(self.bn(self.conv(x))), 2)
        return F.softmax(self.fc(F.leaky_relu(h)))


@pytest.mark.parametrize("opset", [13, 17, 21])
def test_a_network_that_was_exported_is_the_same(opset: int, tmp_path: Path) -> None:
    network, path = Network(), tmp_path / "net.onnx"
    rng = np.random.default_rng(0)
    network.bn.avg_mean[...] = rng.normal(size=6)
    network.bn.avg_var[...] = rng.uniform(0.5, 2, 6)
    x = rng.normal(size=(2, 3, 6, 6)).astype(np.float32)
    with using_config("train", False):
        renga.onnx.export(network, x, path, opset_version=opset)
        model = renga.onnx.load(path)
        weight = rng.normal(size=(2, 4)).astype(np.float32)
        y, again = network(x), model(x)
        np.testing.assert_allclose(again.array, y.array, atol=1e-5)
        F.sum(y * weight).backward()
        F.sum(again * weight).backward()
    gradients = [sorted(float(abs(p.grad).sum()) for p in link.params()) for link in (network, model)]
    np.testing.assert_allclose(gradients[1], gradients[0], rtol=1e-3, atol=1e-5)
