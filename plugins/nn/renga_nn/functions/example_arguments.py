"""Example arguments of operations, with which the conformance kit compares kernels with the reference.

One function for each operation, with the operation's name: odd and even sizes, sizes of 1, batches of one and none,
strides, borders, dilations and groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from renga_core.kernel import Sample, Samples, Seeded
from renga_nn.functions.pooling.window import Window
from renga_nn.functions.rnn.n_step_gru import GRU_CELL
from renga_nn.functions.rnn.n_step_lstm import LSTM_CELL
from renga_nn.functions.rnn.n_step_rnn import RNN_CELLS
from renga_nn.functions.rnn.recurrence import Walk
from renga_nn.functions.window import conv_outsize

__all__ = [
    "batch_normalization",
    "batch_normalization_fixed",
    "batch_normalization_fixed_relu",
    "batch_normalization_relu",
    "clipped_relu",
    "convolution",
    "convolution_filter_gradient",
    "deconvolution",
    "dropout",
    "dropout_add",
    "elu",
    "embed_id_gradient",
    "erf",
    "gelu",
    "gelu_tanh",
    "hard_sigmoid",
    "label_weights",
    "layer_normalization",
    "leaky_relu",
    "linear",
    "linear_relu",
    "log_softmax",
    "lstm",
    "max_pooling",
    "moving_average",
    "recurrence",
    "relu",
    "rms_normalization",
    "rotary_embedding",
    "scaled_dot_product_attention",
    "sigmoid",
    "silu",
    "softmax",
    "softmax_cross_entropy",
    "softplus",
    "sparse_matmul",
    "swiglu",
    "tanh",
    "window_spread",
    "window_sum",
]

Host = np.ndarray[Any, Any]

# images, filters, stride, pad, dilate, groups
_CONVOLUTIONS: dict[
    str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...], int]
] = {
    "3 x 3": ((2, 3, 6, 7), (4, 3, 3, 3), (1, 1), (0, 0), (1, 1), 1),
    "3 x 3 with a border": ((2, 3, 5, 4), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "1 x 1": ((2, 3, 5, 5), (4, 3, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    "strides": ((1, 2, 8, 9), (3, 2, 3, 2), (2, 3), (1, 0), (1, 1), 1),
    "dilated": ((2, 2, 9, 8), (2, 2, 3, 2), (1, 2), (2, 1), (2, 3), 1),
    "groups": ((2, 4, 5, 5), (6, 2, 3, 3), (1, 1), (1, 1), (1, 1), 2),
    "each channel a group": ((2, 9, 5, 6), (9, 1, 3, 3), (1, 1), (1, 1), (1, 1), 9),
    "each channel a group, two filters": ((2, 8, 7, 6), (16, 1, 3, 2), (2, 1), (1, 0), (1, 2), 8),
    "one dimension": ((3, 2, 10), (4, 2, 3), (2,), (1,), (1,), 1),
    "large": ((2, 17, 15, 16), (18, 17, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "no examples": ((0, 3, 6, 6), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
}


def _draw(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Host:
    return np.asarray(rng.uniform(-1, 1, shape).astype(dtype))


def moving_average(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(running, value, factor, decay)``."""
    for name, shape in {"channels": (7,), "two axes": (3, 5), "many": (5000,), "none": (0,)}.items():
        for factor in (1.0, 1.25):
            given = (_draw(rng, shape, dtype), _draw(rng, shape, dtype), factor, 0.9)
            yield Sample(f"{name}, times {factor}", given, changed=(0,))


def linear(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, W, b)``."""
    for name, (rows, size, out) in {
        "odd sizes": (3, 5, 7),
        "one of each": (1, 1, 1),
        "many rows": (65, 33, 10),
        "large": (129, 67, 71),
        "deep": (21, 800, 40),
        "one large row": (1, 513, 517),
        "one unit": (515, 513, 1),
        "no rows": (0, 4, 3),
    }.items():
        x, W = _draw(rng, (rows, size), dtype), _draw(rng, (out, size), dtype)
        yield Sample(name, (x, W, _draw(rng, (out,), dtype)), _linear_backward((0, 1, 2)))
        yield Sample(f"{name}, no bias", (x, W, None), _linear_backward((1,)))


def linear_relu(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, W, b)``."""
    for sample in linear(rng, dtype):
        wanted = (1,) if sample.args[2] is None else (0, 1, 2)
        yield Sample(sample.name, sample.args, _linear_relu_backward(wanted))


def _linear_relu_backward(wanted: tuple[int, ...]) -> Any:
    return lambda args, y, gy: (*args[:2], y, gy, wanted)


def _linear_backward(wanted: tuple[int, ...]) -> Any:
    return lambda args, y, gy: (*args[:2], gy, wanted)


def _maps(case: str) -> tuple[int, ...]:
    images, filters, stride, pad, dilate, _ = _CONVOLUTIONS[case]
    sizes = zip(images[2:], filters[2:], stride, pad, dilate, strict=True)
    return tuple(conv_outsize(n, k, s, p, d=d) for n, k, s, p, d in sizes)


def convolution(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, W, b, stride, pad, dilate, groups, out)``."""
    for name, (images, filters, stride, pad, dilate, groups) in _CONVOLUTIONS.items():
        x, W = _draw(rng, images, dtype), _draw(rng, filters, dtype)
        for b in (_draw(rng, filters[:1], dtype), None):
            yield Sample(name, (x, W, b, stride, pad, dilate, groups, _maps(name)), bordered=(0, 1))


def deconvolution(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(y, W, b, stride, pad, dilate, groups, size)``."""
    for name, (images, filters, stride, pad, dilate, groups) in _CONVOLUTIONS.items():
        y, W = _draw(rng, (images[0], filters[0], *_maps(name)), dtype), _draw(rng, filters, dtype)
        for b in (_draw(rng, images[1:2], dtype), None):
            yield Sample(name, (y, W, b, stride, pad, dilate, groups, images[2:]), bordered=(0, 1))


def convolution_filter_gradient(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, y, stride, pad, dilate, groups, ksize)``."""
    for name, (images, filters, stride, pad, dilate, groups) in _CONVOLUTIONS.items():
        x, y = _draw(rng, images, dtype), _draw(rng, (images[0], filters[0], *_maps(name)), dtype)
        yield Sample(name, (x, y, stride, pad, dilate, groups, filters[2:]), bordered=(0, 1))


def max_pooling(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, window)``; of equal elements the first one counts as the largest."""
    for name, (shape, ksize, stride, pad, cover_all) in {
        "2 x 2": ((2, 3, 6, 4), 2, 2, 0, True),
        "overlapping, with a border": ((2, 3, 7, 6), 3, 2, 1, True),
        "last pixels left out": ((1, 2, 7, 8), 3, 3, 0, False),
        "no examples": ((0, 2, 4, 4), 2, 2, 0, True),
    }.items():
        # Only a few different values, so that windows contain ties.
        x = np.asarray(rng.integers(-3, 4, shape).astype(dtype))
        window = Window.over("max_pooling", x, ksize, stride, pad, cover_all, 2)
        yield Sample(name, (x, window), lambda args, y, gy: (args[0], y, gy, args[1]))


def batch_normalization(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, gamma, beta, eps, axes)``."""
    for name, (shape, axes) in {
        "vectors": ((5, 3), (0,)),
        "images": ((2, 3, 4, 5), (0, 2, 3)),
        "one example": ((1, 2, 3, 3), (0, 2, 3)),
        "the last axis stays": ((4, 3, 2), (0, 1)),
        "each row by itself": ((3, 7), (1,)),
    }.items():
        kept = tuple(n for axis, n in enumerate(shape) if axis not in axes)
        gamma, beta = _draw(rng, kept, dtype), _draw(rng, kept, dtype)
        yield Sample(
            name,
            (_draw(rng, shape, dtype), gamma, beta, 2e-5, axes),
            lambda args, result, gy: (args[0], args[1], result[1], result[3], gy, args[4]),
        )


def batch_normalization_relu(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, gamma, beta, residual or None, eps, axes)``."""
    for sample in batch_normalization(rng, dtype):
        x, gamma, beta, eps, axes = sample.args
        for name, residual in {"": None, ", with a residual": _draw(rng, x.shape, dtype)}.items():
            yield Sample(
                f"{sample.name}{name}",
                (x, gamma, beta, residual, eps, axes),
                lambda args, result, gy: (
                    args[0],
                    args[1],
                    result[1],
                    result[3],
                    result[0],
                    gy,
                    args[3] is not None,
                    args[5],
                ),
            )


def _elementwise(keeps_output: bool, *parameters: float) -> Samples:
    """``(x, *parameters)``; backward takes y or x, and the gradient."""

    def samples(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
        # Numbers so large that an exponential overflows, both zeros, and the ends of intervals in piecewise functions.
        x = np.asarray([-np.inf, -1000, -3, -2.5, -1, -0.1, -0.0, 0.0, 0.3, 1, 2.5, 20, 1000, np.inf], dtype)
        for name, values in {
            "odd sizes": _draw(rng, (3, 5, 7), dtype) * np.asarray(3, dtype),
            "special values": x,
            "special values in a large one": np.resize(x, (11, 3001)),
            "large images": _draw(rng, (3, 5, 37, 41), dtype) * np.asarray(3, dtype),
            "empty": _draw(rng, (0, 4), dtype),
        }.items():
            yield Sample(
                name,
                (values, *parameters),
                lambda args, y, gy: (y if keeps_output else args[0], gy, *args[1:]),
            )

    return samples


relu = _elementwise(True)
sigmoid = _elementwise(True)
tanh = _elementwise(True)
erf = _elementwise(False)
gelu = _elementwise(False)
gelu_tanh = _elementwise(False)
silu = _elementwise(False)
hard_sigmoid = _elementwise(True)
clipped_relu = _elementwise(True, 20.0)
leaky_relu = _elementwise(False, 0.2)
elu = _elementwise(False, 1.5)
softplus = _elementwise(False, 2.0)


def softmax(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, axis)``."""
    for name, (shape, axis) in {
        "odd sizes": ((3, 5), 1),
        "longer than a block": ((2, 1030), 1),
        "pixels": ((2, 3, 4, 5), 1),
        "the first axis": ((4, 3), 0),
        "one class": ((3, 1), 1),
        "empty": ((0, 4), 1),
    }.items():
        x = _draw(rng, shape, dtype) * np.asarray(4, dtype)
        if x.shape[axis] > 1 and x.size:
            np.moveaxis(x, axis, 0)[1] = -np.inf
            np.moveaxis(x, axis, 0)[0] += 1000  # exponentials overflow
        yield Sample(name, (x, axis), lambda args, y, gy: (y, gy, args[1]))
    for name, shape in {"masked": (3, 6), "masked, longer than a block": (2, 1030)}.items():
        x = _draw(rng, shape, dtype)
        x[0, :-1] = -np.inf  # an attention query that sees only the last key
        x[1, 1:] = -np.inf
        yield Sample(name, (x, 1), lambda args, y, gy: (y, gy, args[1]))


log_softmax = softmax


def softmax_cross_entropy(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, classes, weight, cache_score)``; backward takes the weight multiplied by the gradient."""
    wide = np.promote_types(dtype, np.float32)
    for name, (shape, cache_score) in {
        "odd sizes": ((5, 7), True),
        "computed again": ((5, 7), False),
        "many classes": ((3, 1030), True),
        "pixels": ((2, 3, 4, 5), True),
        "no examples": ((0, 4), True),
        "masked": ((3, 6), True),
    }.items():
        x = _draw(rng, shape, dtype) * np.asarray(4, dtype)
        x[:, -1] += 1000
        entries = (shape[0], *shape[2:])
        classes = np.asarray(rng.integers(0, shape[1] - 1, entries))
        weight = _draw(rng, entries, wide)
        weight[:1] = 0
        if name == "masked":
            x[:, :-1] = -np.inf
            classes[:] = shape[1] - 1
        yield Sample(
            name,
            (x, classes, weight, cache_score),
            lambda args, result, gy: (args[0], args[1], args[2] * gy.astype(args[2].dtype), result[1]),
        )


def label_weights(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(labels, classes, ignore_label, number, check, dtype)``."""
    wide = np.promote_types(dtype, np.float32)
    for name, (shape, number) in {
        "each counts one": ((5,), 1),
        "a mean over those that count": ((2, 3, 4), 0),
        "a mean over all": ((300,), 300),
        "none counts": ((3,), 0),
        "no entries": ((0,), 0),
    }.items():
        for kind in (np.int32, np.int64):
            labels = rng.integers(0, 4, shape).astype(kind)
            labels[..., :1] = -1
            if name == "none counts":
                labels[...] = -1
            for check in (True, False):
                yield Sample(f"{name}, {np.dtype(kind)}", (labels, 4, -1, number, check, wide))


def dropout(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, generator, ratio)``."""
    for name, shape in {"odd sizes": (3, 5, 7), "one": (1,), "many": (40, 130), "empty": (0, 3)}.items():
        yield Sample(
            name, (_draw(rng, shape, dtype), Seeded(5), 0.3), lambda args, result, gy: (result[1], gy, args[2])
        )


def dropout_add(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, residual, generator, ratio)``."""
    for sample in dropout(rng, dtype):
        x, generator, ratio = sample.args
        args = x, _draw(rng, x.shape, dtype), generator, ratio
        yield Sample(sample.name, args, lambda args, result, gy: (result[1], gy, args[3]))


def lstm(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(c_prev, x)``; some gradients of backward are None."""
    for name, (cells, rows, units) in {
        "vectors": (3, 3, (5,)),
        "images": (2, 2, (3, 4, 5)),
        "sequences that have ended": (4, 2, (3,)),
        "no sequence goes on": (2, 0, (3,)),
        "no sequences": (0, 0, (3,)),
    }.items():
        x = _draw(rng, (rows, 4 * units[0], *units[1:]), dtype) * np.asarray(4, dtype)
        args = (_draw(rng, (cells, *units), dtype), x)
        yield Sample(name, args, lambda args, result, gy: (*args, result[0], gy, None))
        yield Sample(
            f"{name}, by the output",
            args,
            lambda args, result, gy: (*args, result[0], None, gy[: args[1].shape[0]]),
        )
        yield Sample(f"{name}, by both", args, lambda args, result, gy: (*args, result[0], gy, gy[: args[1].shape[0]]))


def recurrence(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(walk, x, Wx, bx, Wh, bh, *states)``; some gradients of backward are None."""
    for cell in (LSTM_CELL, GRU_CELL, *RNN_CELLS.values()):
        for name, (sizes, features, units, backwards) in {
            "odd sizes": ((3, 3, 3), 5, 7, False),
            "backwards": ((2, 2, 2), 3, 4, True),
            "sequences that end": ((3, 2, 2), 2, 16, False),
            "no sequences": ((0, 0), 2, 3, False),
        }.items():
            gates = cell.gates * units
            shapes = ((sum(sizes), features), (gates, features), (gates,), (gates, units), (gates,))
            args = tuple(_draw(rng, shape, dtype) for shape in (*shapes, *[(sizes[0], units)] * cell.states))
            walk = Walk(cell, sizes, backwards, True)
            yield Sample(
                f"{name}, {cell.name}",
                (walk, *args),
                lambda args, result, gy: (args[0], args[1:], result[-1], (gy, *[None] * args[0].cell.states)),
            )
            yield Sample(
                f"{name}, {cell.name}, by the states",
                (walk, *args),
                lambda args, result, gy: (args[0], args[1:], result[-1], (None, *result[1:-1])),
            )


def embed_id_gradient(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(ids, gy, rows, ignore_label)``."""
    for name, (shape, rows, ignore_label) in {
        "repeated": ((4, 5), 3, None),
        "an ignored one": ((30,), 4, 2),
        "an ignored one that is not a row": ((30,), 4, -1),
        "all the same": ((100,), 1, None),
        "none": ((0,), 3, None),
    }.items():
        ids = np.asarray(rng.integers(ignore_label if ignore_label == -1 else 0, rows, shape))
        yield Sample(name, (ids, _draw(rng, (*shape, 3), dtype), rows, ignore_label))


def resample(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, axes, columns, weights)``."""
    for name, (shape, matrices) in {
        "larger": ((2, 3, 4, 5), {2: (2, 9)}),
        "smaller, the last axis": ((2, 3, 4, 5), {3: (2, 2)}),
        "one entry": ((3, 5), {0: (1, 4)}),
        "several entries": ((2, 3, 6), {1: (5, 4)}),
        "no examples": ((0, 2, 3), {2: (2, 4)}),
        "two axes, the last one": ((2, 3, 4, 5), {2: (1, 3), 3: (2, 7)}),
        "two axes before another": ((3, 4, 17), {1: (2, 5), 0: (2, 2)}),
        "two axes apart": ((4, 2, 5), {0: (1, 3), 2: (3, 6)}),
    }.items():
        columns = [rng.integers(0, shape[axis], matrix) for axis, matrix in matrices.items()]
        weights = [rng.random(matrix) for matrix in matrices.values()]
        yield Sample(name, (_draw(rng, shape, dtype), list(matrices), columns, weights))


def batch_normalization_fixed(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, gamma, beta, mean, var, eps, axes)``."""
    for sample in batch_normalization(rng, dtype):
        x, gamma, beta, eps, axes = sample.args
        mean, var = _draw(rng, gamma.shape, dtype), abs(_draw(rng, gamma.shape, dtype)) + np.asarray(0.1, dtype)
        yield Sample(sample.name, (x, gamma, beta, mean, var, eps, axes))
    none = np.zeros(2, dtype)
    yield Sample("no examples", (np.zeros((0, 2, 3), dtype), none, none, none, none, 1e-5, (0, 2)))


def batch_normalization_fixed_relu(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, gamma, beta, mean, var, residual or None, eps, axes)``."""
    for sample in batch_normalization_fixed(rng, dtype):
        *given, eps, axes = sample.args
        for name, residual in {"": None, ", with a residual": _draw(rng, given[0].shape, dtype)}.items():
            yield Sample(f"{sample.name}{name}", (*given, residual, eps, axes))


_WINDOWS: dict[str, tuple[tuple[int, ...], int, int, int]] = {
    "2 x 2": ((2, 3, 6, 4), 2, 2, 0),
    "overlapping, with a border": ((2, 3, 7, 6), 3, 2, 1),
    "last pixels left out": ((1, 2, 7, 8), 3, 3, 0),
    "one axis": ((2, 3, 9), 3, 1, 1),
    "no examples": ((0, 2, 4, 4), 2, 2, 0),
}


def window_sum(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, window, scale)``."""
    for name, (shape, ksize, stride, pad) in _WINDOWS.items():
        x = _draw(rng, shape, dtype)
        yield Sample(name, (x, Window.over("window_sum", x, ksize, stride, pad, False, len(shape) - 2), 0.25))


def window_spread(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(gy, window, scale)``."""
    for sample in window_sum(rng, dtype):
        x, window, scale = sample.args
        yield Sample(sample.name, (_draw(rng, (*x.shape[:2], *window.out), dtype), window, scale))


def layer_normalization(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, gamma, beta, eps)``."""
    for name, shape in {
        "odd sizes": (3, 5),
        "longer than a block": (3, 1030),
        "sequences": (2, 3, 4),
        "one unit": (3, 1),
        "no rows": (0, 4),
    }.items():
        x, gamma, beta = _draw(rng, shape, dtype), _draw(rng, shape[-1:], dtype), _draw(rng, shape[-1:], dtype)
        yield Sample(
            name,
            (x, gamma, beta, 1e-5),
            lambda args, result, gy: (args[0], args[1], result[1], result[2], gy),
        )


def rms_normalization(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, gamma, eps)``."""
    for sample in layer_normalization(rng, dtype):
        x, gamma, _, eps = sample.args
        yield Sample(sample.name, (x, gamma, eps), lambda args, result, gy: (args[0], args[1], result[1], gy))


def swiglu(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(gate, x)``."""
    for name, shape in {"rows": (3, 5), "many": (7, 1030), "one": (1, 1), "none": (0, 4)}.items():
        args = _draw(rng, shape, dtype) * 4, _draw(rng, shape, dtype)
        yield Sample(name, args, lambda args, result, gy: (*args, gy))


def rotary_embedding(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, cos, sin)``."""
    for name, shape in {"heads": (2, 3, 5, 6), "one pair": (4, 2), "many": (3, 130, 64), "none": (0, 3, 4)}.items():
        angles = rng.uniform(-4, 4, (shape[-2], shape[-1] // 2))
        wide = np.result_type(dtype, np.float32)
        yield Sample(name, (_draw(rng, shape, dtype), np.cos(angles).astype(wide), np.sin(angles).astype(wide)))


def scaled_dot_product_attention(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(query, key, value, mask, keep, causal, scale)``; backward takes these, the result, what was kept, and gy."""
    for name, (front, queries, keys, features) in {
        "one sequence": ((), 3, 5, 4),
        "heads": ((2, 3), 5, 5, 7),
        "one key": ((2,), 3, 1, 1),
        "long ones": ((2,), 65, 66, 16),
        "no sequences": ((0,), 2, 3, 4),
        "heads of 8": ((2, 3), 5, 7, 8),
    }.items():
        query, key = _draw(rng, (*front, queries, features), dtype), _draw(rng, (*front, keys, features), dtype)
        value = _draw(rng, (*front, keys, features if features % 8 == 0 else 3), dtype)
        seen = rng.random((queries, keys)) < 0.7
        seen[:, 0] = True
        keep = np.asarray((rng.random((*front, queries, keys)) < 0.5) * 2, dtype)
        for kind, more in {
            "": (None, None, False, 0.5),
            ", causal": (None, None, True, 0.5),
            ", truth values as mask": (seen, None, False, 0.5),
            ", numbers as mask": (_draw(rng, (queries, keys), dtype), None, False, 0.5),
            ", a query that sees none": (np.arange(queries)[:, None] > 0, None, True, 0.5),
            ", dropout": (None, keep, False, 1.5),
        }.items():
            yield Sample(
                name + kind, (query, key, value, *more), lambda args, result, gy: (*args, result[0], result[1], gy)
            )


def sparse_matmul(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(data, row, col, rows, dense)``."""
    for name, (number, rows, dense) in {
        "some": (7, 4, (5, 3)),
        "repeated": (40, 3, (2, 4)),
        "one column": (9, 5, (6, 1)),
        "no elements": (0, 3, (4, 2)),
        "no columns": (5, 3, (4, 0)),
    }.items():
        row, col = (np.asarray(rng.integers(0, size, number), "i4") for size in (rows, dense[0]))
        yield Sample(name, (_draw(rng, (number,), dtype), row, col, rows, _draw(rng, dense, dtype)))
