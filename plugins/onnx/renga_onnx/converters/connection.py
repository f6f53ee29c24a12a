"""Linear layers, convolutions, embeddings, attention."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from renga_nn.functions.connection.convolution import Convolution, Deconvolution
from renga_nn.functions.connection.embed_id import EmbedID
from renga_nn.functions.connection.linear import Linear
from renga_nn.functions.connection.linear_relu import LinearReLU
from renga_nn.functions.connection.scaled_dot_product_attention import Attention
from renga_nn.functions.connection.shift import Shift
from renga_nn.functions.math.sparse_matmul import SparseMatmul
from renga_onnx.exporting.call import Call

__all__ = ["CONVERTERS"]


def _weights(call: Call) -> list[str]:
    """Return weights and bias in the dtype of the first input; with mixed precision, theirs differs."""
    held = zip(call.inputs[1:], call.run.inputs[1:], strict=True)
    return [name if array.dtype == call.x.dtype else call.cast(name, call.x.dtype) for name, array in held]


def _linear(call: Call) -> None:
    _product(call, call.outputs)


def _linear_relu(call: Call) -> None:
    call.op("Relu", [_product(call, None)], call.outputs)


def _product(call: Call, outputs: Sequence[str] | None) -> str:
    """Return the name of the result: the one of `outputs`, or a new one."""
    x, weights = call.inputs[0], call.run.inputs[1]
    if call.x.ndim != 2:
        x = call.op("Reshape", [x, call.integers([-1, weights.shape[1]])])
    flat = call.y.ndim == 2
    y = call.op("Gemm", [x, *_weights(call)], outputs if flat else None, transB=1)
    return y if flat else call.reshape(y, call.y.shape, call.twin.outputs[0].shape, outputs)


def _convolution(call: Call) -> None:
    geometry, out = call.function.geometry, call.function.out
    kernel = call.run.inputs[1].shape[2:]
    # With cover_all, a window may reach beyond the border: pad up to its last position.
    axes = zip(call.x.shape[2:], kernel, geometry.stride, geometry.pad, geometry.dilate, out, strict=True)
    after = [max(p, (o - 1) * s + (k - 1) * d + 1 - n - p) for n, k, s, p, d, o in axes]
    call.op(
        "Conv",
        [call.inputs[0], *_weights(call)],
        call.outputs,
        kernel_shape=list(kernel),
        strides=list(geometry.stride),
        pads=[*geometry.pad, *after],
        dilations=list(geometry.dilate),
        group=geometry.groups,
    )


def _deconvolution(call: Call) -> None:
    geometry, size = call.function.geometry, call.function.size
    kernel = call.run.inputs[1].shape[2:]
    axes = zip(call.x.shape[2:], kernel, geometry.stride, geometry.pad, geometry.dilate, size, strict=True)
    # If the smallest image is too small, reduce the padding at the end; if it is too large, add padding.
    after = [(n - 1) * s + (k - 1) * d + 1 - p - m for n, k, s, p, d, m in axes]
    call.op(
        "ConvTranspose",
        [call.inputs[0], *_weights(call)],
        call.outputs,
        kernel_shape=list(kernel),
        strides=list(geometry.stride),
        pads=[*geometry.pad, *[max(0, a) for a in after]],
        output_padding=[max(0, -a) for a in after] if any(a < 0 for a in after) else None,
        dilations=list(geometry.dilate),
        group=geometry.groups,
    )


def _embed_id(call: Call) -> None:
    ids = call.array(call.function.ids, call.other.ids)
    ignored = call.function.ignore_label
    if ignored is None:
        call.op("Gather", [call.inputs[0], ids], call.outputs, axis=0)
        return
    dtype = call.function.ids.dtype
    if dtype not in (np.int32, np.int64):
        ids, dtype = call.cast(ids, np.int64), np.dtype(np.int64)
    where = call.op("Equal", [ids, call.constant(ignored, dtype)])
    rows = call.op("Gather", [call.inputs[0], call.op("Where", [where, call.constant(0, dtype), ids])], axis=0)
    last = call.unsqueeze(where, [call.function.ids.ndim])
    call.op("Where", [last, call.constant(0), rows], call.outputs)


def _shift(call: Call) -> None:
    """Pad one side of each group of channels, and cut the other."""
    groups = []
    for channels, down, right in call.function._moves(call.x.shape[1]):
        x = _cut(call, call.inputs[0], [1], [channels.start], [channels.stop])
        moves = (down, right)
        pads = [0, 0, *[max(0, m) for m in moves], 0, 0, *[max(0, -m) for m in moves]]
        x = call.op("Pad", [x, call.integers(pads), call.constant(0)]) if any(pads) else x
        starts = [max(0, -m) for m in moves]
        ends = [-m if m > 0 else 2**63 - 1 for m in moves]
        groups.append(_cut(call, x, [2, 3], starts, ends) if any(moves) else x)
    call.op("Concat", groups, call.outputs, axis=1)


def _cut(call: Call, x: str, axes: list[int], starts: list[int], ends: list[int]) -> str:
    return call.op("Slice", [x, *map(call.integers, (starts, ends, axes))])


def _sparse_matmul(call: Call) -> None:
    """Multiply rows of the dense matrix by the elements, and add them to rows of zeros."""
    function, other = call.function, call.other
    data, dense = call.inputs
    row, col = (call.array(getattr(function, name), getattr(other, name)) for name in ("row", "col"))
    rows = call.op("Mul", [call.op("Gather", [dense, col], axis=0), call.unsqueeze(data, [1])])
    if call.opset < 16:  # ScatterND cannot add there; so multiply by a dense matrix of ones
        numbers = call.unsqueeze(call.numbers(function.rows, other.rows), [1])
        ones = call.cast(call.op("Equal", [numbers, call.cast(row, np.int64)]), call.x.dtype)
        call.op("MatMul", [ones, rows], call.outputs)
        return
    kind = np.dtype(np.float32) if call.x.dtype == np.float16 else call.x.dtype  # onnxruntime cannot add half precision
    zeros = call.op("Expand", [call.constant(0, kind), call.shape(call.y.shape, call.twin.outputs[0].shape)])
    places = call.unsqueeze(call.cast(row, np.int64), [1])
    rows = rows if kind == call.x.dtype else call.cast(rows, kind)
    whole = kind == call.x.dtype
    y = call.op("ScatterND", [zeros, places, rows], call.outputs if whole else None, reduction="add")
    if not whole:
        call.cast(y, call.x.dtype, call.outputs)


def _attention(call: Call) -> None:
    query, key, value = call.inputs
    mask, keep, causal, scale = call.function._more
    mask_there, keep_there, *_ = call.twin.function._more  # type: ignore[attr-defined]  # as above
    order = [*range(call.x.ndim - 2), call.x.ndim - 1, call.x.ndim - 2]
    products = call.op("MatMul", [query, call.op("Transpose", [key], perm=order)])
    scores = call.op("Mul", [products, call.constant(scale)])
    unseen = call.constant(-np.inf)
    blind = ""
    if causal:
        rows, columns = (_range(call, i) for i in (0, 1))
        seen = call.op("GreaterOrEqual", [call.unsqueeze(rows, [1]), columns])
        scores = call.op("Where", [seen, scores, unseen])
    if mask is not None:
        name = call.array(mask, mask_there)
        if mask.dtype == bool:
            scores = call.op("Where", [name, scores, unseen])
        else:
            scores = call.op("Add", [scores, name if mask.dtype == call.x.dtype else call.cast(name, call.x.dtype)])
        blind = call.op("Equal", [call.reduce("Max", scores, [call.x.ndim - 1], True), unseen])
        scores = call.op("Where", [blind, call.constant(0), scores])
    weights = call.op("Softmax", [scores], axis=-1)
    if blind:
        weights = call.op("Where", [blind, call.constant(0), weights])
    if keep is not None:
        weights = call.op("Mul", [weights, call.array(keep, keep_there)])
    call.op("MatMul", [weights, value], call.outputs)


def _range(call: Call, argument: int) -> str:
    """Return the indices of queries or of keys."""
    here, there = call.run.inputs[argument].shape[-2], call.twin.inputs[argument].shape[-2]
    size = call.squeeze(call.shape([here], [there]), [0])
    return call.op("Range", [call.constant(0, np.int64), size, call.constant(1, np.int64)])


CONVERTERS = {
    Attention: _attention,
    Convolution: _convolution,
    Deconvolution: _deconvolution,
    EmbedID: _embed_id,
    Linear: _linear,
    LinearReLU: _linear_relu,
    Shift: _shift,
    SparseMatmul: _sparse_matmul,
}
