"""The engine ``onednn`` of frozen models: primitives with constants reordered once, and fused post-ops.

It does not import `renga_inference`; its arguments have the attributes of `renga_inference.engine.Call` and `Operator`.

Images have their channels last. If oneDNN 3.2 may choose, it chooses the same order and the same implementations
(measured on ResNet-50, for batches of 1 and 8): blocks of channels gain nothing.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any, TypeVar

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_core.settings import lookup, section, using
from renga_kernels_onednn import convolution, pooling, threads
from renga_kernels_onednn.cache import passing
from renga_kernels_onednn.handles import Added, Description, Function, Layout, dims, number
from renga_kernels_onednn.layout import image_layout, plain_layout
from renga_kernels_onednn.library import (
    BIAS,
    BINARY_ADD,
    BINARY_MULTIPLY,
    CONVOLUTION_DIRECT,
    DST,
    FORWARD_INFERENCE,
    FUNCTION_LINEAR,
    LOG_SOFTMAX,
    MEAN,
    OF_FIRST_POST_OP,
    POOLING_AVERAGE_WITH_BORDER,
    POOLING_MAX,
    SCALE,
    SHIFT,
    SOFTMAX,
    SRC,
    SRC_1,
    USE_SCALE,
    USE_SHIFT,
    VARIANCE,
    WEIGHTS,
)
from renga_kernels_onednn.packing import Packed, Packing
from renga_kernels_onednn.primitive import Primitive, reorder
from renga_kernels_onednn.steps import Bound, Prepared, Steps

__all__ = ["Engine"]

_RELU, _TANH, _ELU, _LOGISTIC, _CLIP = 0x20, 0x21, 0x22, 0x29, 0x2E  # dnnl_eltwise_*
_FUNCTIONS = {
    "affine": FUNCTION_LINEAR,
    "clip": _CLIP,
    "elu": _ELU,
    "relu": _RELU,
    "sigmoid": _LOGISTIC,
    "tanh": _TANH,
}
_BINARY = {"add": BINARY_ADD, "multiply": BINARY_MULTIPLY}

_LITTLE = 1 << 17
"""Number of elements that one thread processes before another one has woken up."""

_CROWDED, _APART = 256, 16
"""If weights have rows of a multiple of 1 KiB, all rows meet in few places of the caches. So the rows are kept 64 bytes
further apart. Measured with one thread on AVX2: 32 rows of 256 by 256 x 1024 take 0.41 of the time, 128 rows 0.42 to 1
(depending on the pages of memory), 128 rows of 1024 by 1024 x 256 0.82."""

Ints = tuple[int, ...]


class Engine:
    """Prepares the operations that oneDNN supports, for float32. Packed weights serve all sizes of the batch."""

    def __init__(self) -> None:
        self.threads = threads.count()
        self.packed = Packing()

    def prepare(self, call: Any) -> Prepared | None:
        """See the protocol."""
        others = [operator.other for operator in call.then if operator.other is not None]
        shown = [*call.arrays, *others, call.result]
        prepare = _PREPARED.get(call.operation)
        if prepare is None or not is_single(*shown) or not all(map(_is_dense, shown)):
            return None
        if any(other.shape != call.result.shape for other in others):
            return None
        return prepare(self, call)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """See the protocol. It also avoids compiling loops with numba (100 MB) for a few trial runs."""
        disabled = list(lookup("plugins.disable").value)
        there = "numba" in sys.modules or "numba" in disabled
        demanded = "numba" in [setting.value for setting in section("kernels").values()]
        without = nullcontext() if there or demanded else using({"plugins.disable": [*disabled, "numba"]})
        with without, passing():
            yield

    def copier(self, target: Array) -> Callable[[Array], None] | None:
        """See the protocol."""
        if not is_single(target) or not _is_dense(target):
            return None
        compute = _with(target.size, lambda: reorder(plain_layout(target.shape), _layout(target)))
        if compute is None:
            return None
        place = address(target)
        return lambda source: compute(address(source), place)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """See the protocol."""
        before = threads.use(1)
        try:
            yield
        finally:
            threads.use(before)

    def share(self, compute: Callable[[Iterator[int]], None], pieces: Sequence[int]) -> None:
        """See the protocol."""
        threads.share_pieces(compute, pieces, min(self.threads, threads.free()))

    def sequence(self, bound: Sequence[Bound]) -> Callable[[], None]:
        """See the protocol."""
        return Steps(bound)


def _is_dense(x: Array) -> bool:
    """Whether elements have no gaps and do not overlap, in any order of the axes."""
    axes = sorted((step, size) for step, size in zip(x.strides, x.shape, strict=True) if size > 1)
    expected = x.itemsize
    for step, size in axes:
        if step != expected:
            return False
        expected *= size
    return True


def _has_channels_last(x: Array) -> bool:
    return bool(x.transpose(0, *range(2, x.ndim), 1).flags.c_contiguous)


def _layout(x: Array) -> Layout:
    return Layout(x.shape, _strides(x))


def _strides(x: Array) -> Ints:
    """In elements. Strides of axes of size 1 have no meaning, and are adapted."""
    return tuple([step // x.itemsize for step in x.strides])


_Made = TypeVar("_Made")


def _with(work: int, make: Callable[[], _Made]) -> _Made:
    """A primitive made for one thread if there is little work."""
    before = threads.use(threads.count() if work > _LITTLE else 1)
    try:
        return make()
    finally:
        threads.use(before)


def _steps(call: Any) -> tuple[list[Any], list[int]]:
    """The post-ops of each result, and the argument numbers of their second operands."""
    steps: list[Any] = []
    numbers = []
    for place, operator in enumerate(call.then):
        if operator.name == "accumulate":
            steps.append(Added(1.0))
        elif operator.other is None:
            steps.append(Function(_FUNCTIONS[operator.name], *operator.numbers))
        else:
            steps.append((_BINARY[operator.name], _layout(operator.other)))
            numbers.append(OF_FIRST_POST_OP * (place + 1) | SRC_1)
    return steps, numbers


def _convolution(engine: Engine, call: Any) -> Prepared | None:
    x, W, *b = call.arrays
    stride, pad, dilate, groups, out = call.arguments
    if not all(call.constants[1:]) or not convolution.supports(x, W, b[0] if b else None, *call.arguments):
        return None
    fits = x.shape[1] == W.shape[1] * groups and all(each.shape == W.shape[:1] for each in b)
    if not fits or call.result.shape != (x.shape[0], W.shape[0], *out):
        return None
    if not _has_channels_last(x):  # only oneDNN's slowest implementation accepts other orders
        return None
    filters = W.shape if groups == 1 else (groups, W.shape[0] // groups, *W.shape[1:])
    end = [
        (o - 1) * s + (k - 1) * d + 1 - n - p
        for n, k, s, p, d, o in zip(x.shape[2:], W.shape[2:], stride, pad, dilate, out, strict=True)
    ]
    steps, others = _steps(call)

    def make() -> Primitive:
        description = Description(
            "convolution_forward",
            FORWARD_INFERENCE,
            CONVOLUTION_DIRECT,
            image_layout(x.shape),
            Layout(filters, None),
            Layout(W.shape[:1], (1,)) if b else None,
            image_layout(call.result.shape),
            dims(stride),
            dims([d - 1 for d in dilate]),
            dims(pad),
            dims(end),
            and_then=steps,
        )
        return Primitive(description, (SRC, WEIGHTS, *([BIAS] if b else []), *others, DST))

    products = W.size * x.shape[0] * math.prod(out)
    compute = _with(products >> (1 if W.shape[1] == 1 else 3), make)  # one channel: memory-bound
    return _with_weights(compute, engine.packed(call.constants[1], W.shape, plain_layout(filters), compute.description))


def _linear(engine: Engine, call: Any) -> Prepared | None:
    x, W, *b = call.arrays
    columns, inner = W.shape
    rows = x.size // inner
    images = x.shape[1:] if x.ndim > 2 and not x.flags.c_contiguous else ()
    if images and (rows != x.shape[0] or not _has_channels_last(x)):
        return None
    if not all(call.constants[1:]) or not call.result.flags.c_contiguous:
        return None
    if x.size != rows * inner or call.result.size != rows * columns or any(each.shape != (columns,) for each in b):
        return None
    steps, others = _steps(call)
    for place, operator in enumerate(call.then):
        if operator.other is not None:
            steps[place] = steps[place][0], plain_layout((rows, columns))

    def described(weights: Ints | None) -> Description:
        return Description(
            "matmul",
            plain_layout((rows, inner)),
            Layout((inner, columns), weights),
            plain_layout((1, columns)) if b else None,
            plain_layout((rows, columns)),
            and_then=steps,
        )

    def make() -> Primitive:
        description = described(None)
        if columns % _CROWDED == 0 and description.implementation.startswith("gemm"):  # it takes rows as they are
            description = described((columns + _APART, 1))
        return Primitive(description, (SRC, WEIGHTS, *([BIAS] if b else []), *others, DST))

    compute = _with(max(W.size, x.size * columns >> 4), make)
    plain = Layout((inner, columns), (1, inner))
    return _with_weights(compute, engine.packed(call.constants[1], W.shape, plain, compute.description, images))


def _with_weights(compute: Primitive, weights: Packed) -> Prepared:
    """Use this memory order for the second array."""
    return Prepared(lambda arrays: Bound(compute, (arrays[0], weights.array, *arrays[2:])), weights.unpacked)


def _simple(compute: Primitive) -> Prepared:
    return Prepared(partial(Bound, compute))


def _pooling(algorithm: int, factor: float, call: Any, window: Any) -> Prepared | None:
    (x,) = call.arrays
    if x.shape[2:] != tuple(window.size) or call.result.shape != (*x.shape[:2], *window.out):
        return None
    if not pooling.supports(x, window) or not _has_channels_last(x):
        return None
    axes = zip(window.out, window.stride, window.ksize, window.size, window.pad, strict=True)
    end = [(o - 1) * s + k - n - p for o, s, k, n, p in axes]
    steps = [] if abs(factor - 1) < 1e-12 else [Function(FUNCTION_LINEAR, factor, 0.0)]
    sizes = [dims(each) for each in (window.stride, window.ksize, [0] * len(end), window.pad, end)]

    def make() -> Primitive:
        layouts = image_layout(x.shape), image_layout(call.result.shape)
        description = Description("pooling_forward", FORWARD_INFERENCE, algorithm, *layouts, *sizes, and_then=steps)
        return Primitive(description, (SRC, DST))

    return _simple(_with(x.size, make))


def _max_pooling(engine: Engine, call: Any) -> Prepared | None:
    return _pooling(POOLING_MAX, 1.0, call, call.arguments[0])


def _window_sum(engine: Engine, call: Any) -> Prepared | None:
    window, scale = call.arguments
    if not isinstance(scale, (int, float)):
        return None
    return _pooling(POOLING_AVERAGE_WITH_BORDER, scale * math.prod(window.ksize), call, window)


def _softmax(algorithm: int, engine: Engine, call: Any) -> Prepared | None:
    (x,), (axis,) = call.arrays, call.arguments
    if x.shape != call.result.shape:
        return None

    def make() -> Primitive:
        layouts = _layout(x), _layout(call.result)
        description = Description("softmax_forward", FORWARD_INFERENCE, algorithm, *layouts, axis % x.ndim)
        return Primitive(description, (SRC, DST))

    return _simple(_with(x.size, make))


def _layer_normalization(engine: Engine, call: Any) -> Prepared | None:
    x, (eps,) = call.arrays[0], call.arguments
    if x.shape != call.result.shape or any(each.shape != x.shape[-1:] for each in call.arrays[1:]):
        return None
    if not x.flags.c_contiguous or not call.result.flags.c_contiguous or not 2 <= x.ndim <= 5:
        return None

    def make() -> Primitive:
        layout, statistics = plain_layout(x.shape), plain_layout(x.shape[:-1])
        kind, flags = "layer_normalization_forward", USE_SCALE | USE_SHIFT
        description = Description(kind, FORWARD_INFERENCE, layout, layout, statistics, number(eps), flags)
        return Primitive(description, (SRC, SCALE, SHIFT, DST))

    return _simple(_with(x.size, make))


def _batch_normalization(engine: Engine, call: Any) -> Prepared | None:
    x, (eps, axes) = call.arrays[0], call.arguments
    if x.shape != call.result.shape or any(each.shape != x.shape[1:2] for each in call.arrays[1:]):
        return None
    if not 2 <= x.ndim <= 5 or tuple(axes) != (0, *range(2, x.ndim)) or call.result.strides != x.strides:
        return None

    def make() -> Primitive:
        flags = 1 | USE_SCALE | USE_SHIFT  # with given statistics
        kind = "batch_normalization_forward"
        description = Description(kind, FORWARD_INFERENCE, _layout(x), _layout(x), number(eps), flags)
        return Primitive(description, (SRC, SCALE, SHIFT, MEAN, VARIANCE, DST))

    return _simple(_with(x.size, make))


def _matmul(engine: Engine, call: Any) -> Prepared | None:
    a, b = call.arrays
    if a.ndim != b.ndim or a.shape[:-2] != b.shape[:-2] or a.shape[-1] != b.shape[-2]:
        return None
    if call.result.shape != (*a.shape[:-1], b.shape[-1]):
        return None

    def make() -> Primitive:
        description = Description("matmul", _layout(a), _layout(b), None, _layout(call.result))
        return Primitive(description, (SRC, WEIGHTS, DST))

    return _simple(_with(a.size * b.shape[-1] >> 4, make))


def _binary(engine: Engine, call: Any) -> Prepared | None:
    a, b = call.arrays
    if not a.shape == b.shape == call.result.shape or not 1 <= a.ndim <= 5:
        return None

    def make() -> Primitive:
        layouts = [_layout(x) for x in (a, b, call.result)]
        return Primitive(Description("binary", _BINARY[call.operation], *layouts), (SRC, SRC_1, DST))

    return _simple(_with(a.size, make))


def _function(engine: Engine, call: Any) -> Prepared | None:
    (x,) = call.arrays
    alpha, beta = (*call.arguments, 0.0, 0.0)[:2]
    if x.shape != call.result.shape or x.strides != call.result.strides:
        return None

    def make() -> Primitive:
        layout = plain_layout((x.size,))
        kind, algorithm = "eltwise_forward", _FUNCTIONS[call.operation]
        description = Description(kind, FORWARD_INFERENCE, algorithm, layout, layout, number(alpha), number(beta))
        return Primitive(description, (SRC, DST))

    return _simple(_with(x.size, make))


_PREPARED: dict[str, Callable[[Engine, Any], Prepared | None]] = {
    "batch_normalization_fixed": _batch_normalization,
    "convolution": _convolution,
    "layer_normalization": _layer_normalization,
    "linear": _linear,
    "log_softmax": partial(_softmax, LOG_SOFTMAX),
    "matmul": _matmul,
    "max_pooling": _max_pooling,
    "softmax": partial(_softmax, SOFTMAX),
    "window_sum": _window_sum,
    **dict.fromkeys(_BINARY, _binary),
    **dict.fromkeys(_FUNCTIONS, _function),
}
