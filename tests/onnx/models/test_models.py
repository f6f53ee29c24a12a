"""Whole networks: exported, checked, run by onnxruntime and loaded again, they compute the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
pytest.importorskip("onnxruntime", reason="pip install onnxruntime")

from onnx_zoo import MODELS, Model  # after the skips
from onnx_zoo.comparing import compare  # the same


def _cases() -> Iterator[Any]:
    for name, model in MODELS.items():
        # Slow ones have tens of millions of parameters, or images of 300 pixels.
        yield pytest.param(name, marks=pytest.mark.slow if model.slow else (), id=name)


@pytest.fixture(scope="module", params=_cases())
def model(request: pytest.FixtureRequest) -> Model:
    return MODELS[request.param]


@pytest.fixture(scope="module")
def network(model: Model) -> Any:
    return model.network()


@pytest.mark.parametrize("opset", [13, 17, 21])
def test_same_outputs_and_gradients(model: Model, network: Any, opset: int, tmp_path: Path) -> None:
    if opset not in model.opsets:
        pytest.skip(f"written with opsets {model.opsets} only: {model.note}")
    compared = compare(model, network, opset, tmp_path)
    assert compared.onnxruntime <= model.tolerance
    assert compared.loaded <= model.tolerance
    assert compared.gradients <= 1e-6
