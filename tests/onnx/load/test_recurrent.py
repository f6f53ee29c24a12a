"""Recurrent operators by Renga's own layers compute what they compute step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import renga.functions as F
from renga_core.graph import Variable

pytest.importorskip("onnx", reason="reading ONNX files needs the package onnx")

from renga_onnx.load.operators import OPERATORS

T, B, FEATURES, H = 4, 3, 2, 5
NAMES = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"]}
GATES = {"LSTM": 4, "GRU": 3}


def arrays(kind: str, directions: int, layout: int) -> list[Any]:
    rng = np.random.default_rng(0)
    gates, states = GATES[kind] * H, 2 if kind == "LSTM" else 1
    state = (B, directions, H) if layout else (directions, B, H)
    shapes = [
        (B, T, FEATURES) if layout else (T, B, FEATURES),
        (directions, gates, FEATURES),
        (directions, gates, H),
        (directions, 2 * gates),
        *[state] * states,
    ]
    return [rng.standard_normal(shape) for shape in shapes]


@pytest.mark.parametrize("without", ["nothing", "states", "biases and states"])
@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("kind", NAMES)
def test_same_outputs_and_gradients(kind: str, direction: str, layout: int, without: str) -> None:
    directions = 2 if direction == "bidirectional" else 1
    given = arrays(kind, directions, layout)
    more: dict[str, Any] = {"linear_before_reset": 1} if kind == "GRU" else {}
    results = []
    # Activations that are named, though they are the default, are computed step by step.
    for activations in (None, NAMES[kind] * directions):
        x, W, R, b, *states = [Variable(array.copy()) for array in given]
        inputs = [x, W, R, *([] if without == "biases and states" else [b]), *(states if without == "nothing" else [])]
        placed = [*inputs[:4], *[None] * (5 - len(inputs[:4])), *inputs[4:]]
        ys = OPERATORS[kind].compute(*placed, direction=direction, layout=layout, activations=activations, **more)
        rng = np.random.default_rng(1)
        terms = [F.sum(y * rng.standard_normal(y.shape)) for y in ys]
        sum(terms[1:], terms[0]).backward()
        results.append([*[y.array for y in ys], *[each.grad for each in inputs]])
    for fused, stepwise in zip(*results, strict=True):
        np.testing.assert_allclose(fused, stepwise, rtol=1e-10, atol=1e-12)
