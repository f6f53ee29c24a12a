"""Whole networks: exported, checked, run by onnxruntime and loaded again, they compute the same."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
pytest.importorskip("onnxruntime", reason="pip install onnxruntime")

from onnx_zoo import MODELS  # after the skips
from onnx_zoo.comparing import compare  # the same

SECONDS = (
    "ResNet50",
    "SegNet",
    "DeepLab v3, MobileNetV2",
    "Faster R-CNN FPN, small",
    "Mask R-CNN FPN, small",
)
"""Networks that take seconds: with the oldest opset and the newest. The others are exported with 17, too."""


def _cases() -> Iterator[Any]:
    for name, model in MODELS.items():
        # Slow ones have tens of millions of parameters, or images of 300 pixels: a minute each. Small detectors of the
        # same kinds are in tests/onnx/exporting/test_detectors.py.
        large = pytest.mark.skipif(
            os.environ.get("RENGA_TEST_LARGE") != "1", reason="takes minutes: RENGA_TEST_LARGE=1"
        )
        marks = [pytest.mark.slow, large] if model.slow else []
        for opset in [opset for opset in model.opsets if name not in SECONDS or opset != 17]:
            yield pytest.param(name, opset, marks=marks, id=f"{name}, opset {opset}")


@lru_cache(maxsize=1)
def network_of(name: str) -> Any:
    """Made once for all opsets."""
    return MODELS[name].network()


@pytest.mark.parametrize(("name", "opset"), [*_cases()])
def test_same_outputs_and_gradients(name: str, opset: int, tmp_path: Path) -> None:
    model = MODELS[name]
    compared = compare(model, network_of(name), opset, tmp_path)
    assert compared.onnxruntime <= model.tolerance
    assert compared.loaded <= model.tolerance
    assert compared.gradients <= 1e-6
