"""Arguments of operations that are large enough for several pieces of work; those of the conformance kit are small."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.kernel import Seeded
from renga_nn.functions.pooling.region_sums import BinWeights
from renga_nn.functions.pooling.regions import Weights
from renga_nn.functions.pooling.window import Window
from renga_nn.functions.rnn.n_step_gru import GRU_CELL
from renga_nn.functions.rnn.n_step_lstm import LSTM_CELL
from renga_nn.functions.rnn.recurrence import Walk

__all__ = ["large_arguments"]

Arguments = tuple[Any, ...]
_ELEMENTWISE = "relu sigmoid tanh erf gelu gelu_tanh silu"


def large_arguments() -> dict[str, list[Arguments]]:
    """Return arguments of forward, float32 on the host, by operation."""
    rng = np.random.default_rng(0)

    def draw(*shape: int) -> Any:
        return rng.standard_normal(shape, dtype=np.float32)

    def images(n: int, channels: int, size: int) -> Any:
        return draw(n, size, size, channels).transpose(0, 3, 1, 2)

    rows, gamma, beta = draw(300, 1001), draw(1001), draw(1001)
    maps, of_channels = images(8, 70, 40), (draw(70), draw(70))
    window = Window.over("max_pooling", maps, 3, 2, 1, True, 2)
    labels, weight = rng.integers(0, 1001, 300), np.abs(draw(300))
    first = rng.integers(0, 2, (90, 3, 3)) * 400
    axes = [Weights.of(rng.integers(0, 20, (90, 3, 4)), rng.uniform(0, 1, (90, 3, 4))) for _ in range(2)]
    weights = BinWeights(first, 20, axes[0], axes[1])
    start = rng.uniform(0, 100, (900, 2))
    boxes = np.concatenate((start, start + rng.uniform(5, 40, (900, 2))), axis=1).astype(np.float32)
    made: dict[str, list[Arguments]] = {
        **{name: [(rows,)] for name in _ELEMENTWISE.split()},
        "swiglu": [(rows, draw(300, 1001))],
        "add": [(maps, images(8, 70, 40))],
        "softmax": [(rows, 1)],
        "log_softmax": [(rows, 1)],
        "softmax_cross_entropy": [(rows, labels, weight, True)],
        "dropout": [(rows, Seeded(5), 0.3)],
        "dropout_add": [(rows, draw(300, 1001), Seeded(5), 0.3)],
        "layer_normalization": [(rows, gamma, beta, 1e-5)],
        "rms_normalization": [(rows, gamma, 1e-5)],
        "batch_normalization": [(maps, *of_channels, 1e-5, (0, 2, 3)), (rows, draw(300), draw(300), 1e-5, (1,))],
        "batch_normalization_fixed": [(maps, *of_channels, draw(70), np.abs(draw(70)) + 1, 1e-5, (0, 2, 3))],
        "max_pooling": [(maps, window)],
        "window_sum": [(maps, window, 0.1)],
        "window_spread": [(images(8, 70, window.out[0]), window, 0.1)],
        "resample": [(maps, [2], [rng.integers(0, 40, (2, 90))], [rng.random((2, 90))])],
        "embed_id_gradient": [(rng.integers(0, 50, 3000), draw(3000, 300), 50, None)],
        "linear": [(rows, draw(500, 1001), draw(500))],
        "linear_relu": [(rows, draw(500, 1001), draw(500))],
        "matmul": [(rows, draw(1001, 200))],
        "lstm": [(draw(300, 256), draw(300, 1024))],
        "recurrence": [
            (Walk(cell, (20, 20, 7), False, True), draw(47, 64), *_gates(draw, cell.gates * 96, 64, 96))
            + (draw(20, 96),) * cell.states
            for cell in (LSTM_CELL, GRU_CELL)
        ],
        "scaled_dot_product_attention": [(*(draw(3, 4, 130, 32) for _ in range(3)), None, None, True, 0.2)],
        "region_sums": [(draw(800, 70), weights)],
        "region_spread": [(images(90, 70, 3), weights, 800)],
        "non_maximum_suppression": [(boxes, np.array([0, 300, 400, 900]), 0.4, 900)],
    }
    for x, W, groups, pad in (
        (images(4, 32, 40), draw(48, 32, 3, 3), 1, 1),
        (images(4, 32, 40), draw(64, 32, 1, 1), 1, 0),
        (images(8, 70, 40), draw(70, 1, 3, 3), 70, 1),
        (images(4, 32, 40), draw(32, 8, 3, 3), 4, 1),
    ):
        window_of = ((1, 1), (pad, pad), (1, 1), groups)
        y = images(len(x), len(W), 40)
        made.setdefault("convolution", []).append((x, W, draw(len(W)), *window_of, (40, 40)))
        made.setdefault("deconvolution", []).append((y, W, draw(x.shape[1]), *window_of, (40, 40)))
        for name in ("convolution_filter_gradient", "convolution_parameter_gradients"):
            made.setdefault(name, []).append((x, y, *window_of, W.shape[2:]))
    return made


def _gates(draw: Any, gates: int, features: int, units: int) -> Arguments:
    return draw(gates, features) / 8, draw(gates), draw(gates, units) / 8, draw(gates)
