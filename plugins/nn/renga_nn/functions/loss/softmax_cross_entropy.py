"""Cross entropy between scores and classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.backend import Array, get_backend, get_device_of, is_floating
from renga_core.configuration import config
from renga_core.graph import FunctionNode, InvalidType, Variable, as_array
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import reshape
from renga_core.kernel import Operation
from renga_nn.functions.activation import softmax
from renga_nn.functions.checks import (
    as_integer,
    labels_of,
    require_array,
    require_choice,
    require_floating,
    require_labels_in_range,
    wide,
)
from renga_nn.functions.loss.soft_targets import soft_target_cross_entropy

__all__ = ["softmax_cross_entropy"]


def softmax_cross_entropy(
    x: Any,
    t: Any,
    normalize: bool = True,
    cache_score: bool = True,
    class_weight: Array | None = None,
    ignore_label: int = -1,
    reduce: str = "mean",
    enable_double_backprop: bool = False,
    soft_target_loss: str = "cross-entropy",
) -> Variable:
    """``-log softmax(x)[t]``: the cross entropy of scores `x` and classes `t`.

    With weights `w` the loss of an entry is ``-w[t] * log_softmax(x)[t]``; the loss of an ignored entry is 0. It is
    computed as ``log(sum(exp(x - m))) - (x[t] - m)`` with the largest score m, which neither overflows nor takes the
    logarithm of 0.

    Args:
        x: Scores ``(N, classes, ...)`` of a floating dtype.
        t: Classes ``(N, ...)``, integers from 0; or soft targets, floating probabilities in the shape of `x`, which
            receive gradients too.
        normalize: Divide by the number of entries that are not ignored; else by N.
        cache_score: Keep the exponentials for backward; otherwise recompute them, which takes less memory. A kernel may
            ignore this.
        class_weight: A floating array ``(classes,)``, on any device.
        ignore_label: Entries of this class are ignored. It need not be a class.
        reduce: ``"mean"``, or ``"no"`` for the loss of each entry.
        enable_double_backprop: Accepted for Chainer's programs and ignored. The gradient can always be differentiated.
        soft_target_loss: For soft targets, ``"cross-entropy"``, or ``"kl-divergence"``, which is smaller by the entropy
            of the targets.

    Returns:
        Variable of the dtype of `x`: a scalar, or ``(N, ...)`` with ``reduce="no"``.

    Raises:
        InvalidType: Shapes or dtypes do not fit together.
        ValueError: `t` has a label that is not a class, or `reduce` or `soft_target_loss` is invalid.

    >>> import numpy as np
    >>> x = np.array([[0.0, 0.0], [100.0, 0.0]])
    >>> softmax_cross_entropy(x, np.array([0, 1]), reduce="no").array.round(4).tolist()
    [0.6931, 100.0]
    """
    require_floating("softmax_cross_entropy", "x", x)
    require_choice("softmax_cross_entropy", "reduce", reduce, ("mean", "no"))
    require_choice("softmax_cross_entropy", "soft_target_loss", soft_target_loss, ("cross-entropy", "kl-divergence"))
    weight = None if class_weight is None else _checked_weight(x, class_weight)
    if not hasattr(t, "dtype"):
        expected = f"an array of labels or probabilities for x: {describe_array(x)}"
        raise InvalidType("softmax_cross_entropy", "t", expected, describe_array(t))
    if is_floating(t.dtype):
        if t.shape != x.shape:
            expected = f"integers, which are labels, or probabilities in the shape of x: {describe_array(x)}"
            raise InvalidType("softmax_cross_entropy", "t", expected, describe_array(t))
        return soft_target_cross_entropy(x, t, normalize, weight, reduce, soft_target_loss)
    labels = labels_of("softmax_cross_entropy", x, t)
    ignore_label = as_integer("softmax_cross_entropy", "ignore_label", ignore_label)
    function = SoftmaxCrossEntropy(labels, weight, ignore_label, reduce == "mean", normalize, cache_score)
    return function.apply((x,))[0]


def _checked_weight(x: Any, class_weight: Any) -> Array:
    require_array("softmax_cross_entropy", "class_weight", class_weight)
    weight = as_array(class_weight)
    if x.ndim < 2 or tuple(weight.shape) != (x.shape[1],) or not is_floating(weight.dtype):
        expected = f"{x.dtype} (classes,) for x: {describe_array(x)}"
        raise InvalidType("softmax_cross_entropy", "class_weight", expected, describe_array(weight))
    return get_device_of(x).send(weight).astype(x.dtype, copy=False)


def _label_weights(
    labels: Array, classes: int, ignore_label: int, number: int, check: bool, dtype: Any
) -> tuple[Array, Array, Array | None]:
    """Operation ``label_weights``: convert labels to classes and weights for cross entropy.

    Args:
        labels: Integers.
        classes: The number of classes.
        ignore_label: The label of ignored entries.
        number: Divisor of the weights; 0: the number of entries not ignored.
        check: Whether to check that labels are in range.
        dtype: Dtype of the weights.

    Returns:
        The class of each entry, 0 for ignored ones; its weight, 0 for ignored ones; and with `check` a 0-d array that
        says whether all classes are in range.
    """
    xp = get_backend(labels).xp
    counts = labels != ignore_label
    found = xp.where(counts, labels, 0)
    in_range = (found.min() >= 0) & (found.max() < classes) if check and labels.size else None
    weight = counts.astype(dtype)
    if number != 1:
        weight /= xp.asarray(number or xp.maximum(counts.sum(), 1), dtype=dtype)
    return found, weight, in_range


LABEL_WEIGHTS = Operation("label_weights", _label_weights, samples="renga_nn.functions.example_arguments:label_weights")


def _forward(x: Array, classes: Array, weight: Array, cache_score: bool) -> tuple[Array, tuple[Array, Array] | None]:
    """The weighted loss of each entry, in the dtype of `weight`; and what backward needs."""
    xp = get_backend(x).xp
    scores = wide(x)
    shifted = scores - scores.max(axis=1, keepdims=True)
    exponentials = xp.exp(shifted)
    total = exponentials.sum(axis=1, keepdims=True)
    loss = xp.log(total)[:, 0] - _pick(xp, shifted, classes)
    # Infinite scores of ignored entries must not give NaN by 0 * inf.
    loss = xp.where(weight != 0, loss, 0) * weight
    return loss, (exponentials, total) if cache_score else None


def _backward(x: Array, classes: Array, weight: Array, kept: tuple[Array, Array] | None) -> Array:
    """``(softmax(x) - onehot(classes)) * weight`` in place, where `weight` already contains the gradient."""
    xp = get_backend(x).xp
    if kept is None:
        scores = wide(x)
        exponentials = xp.exp(scores - scores.max(axis=1, keepdims=True))
        total = exponentials.sum(axis=1, keepdims=True)
    else:
        exponentials, total = kept
    gx = exponentials * (weight[:, None] / total)
    _subtract(xp, gx, classes, weight)
    return gx.astype(x.dtype, copy=False)


SOFTMAX_CROSS_ENTROPY = Operation(
    "softmax_cross_entropy", _forward, _backward, samples="renga_nn.functions.example_arguments:softmax_cross_entropy"
)


class SoftmaxCrossEntropy(FunctionNode):
    """The loss of scores in one node; the derivative is ``softmax(x) - onehot(t)``, weighted.

    Args:
        labels: Classes ``(N, ...)``.
        class_weight: ``(classes,)``, or None.
        ignore_label: Label of ignored entries.
        mean: Whether to reduce to a scalar.
        normalize: Divide by the number of entries not ignored, instead of N.
        cache_score: Keep the exponentials for backward.
    """

    fresh_gradients = True

    def __init__(
        self,
        labels: Array,
        class_weight: Array | None,
        ignore_label: int,
        mean: bool,
        normalize: bool,
        cache_score: bool,
    ) -> None:
        self.labels = labels
        self.class_weight = class_weight
        self.ignore_label = ignore_label
        self.mean = mean
        self.normalize = normalize
        self.cache_score = cache_score

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute the loss; the weights of entries are kept as `weight`, in the shape of the labels."""
        (x,) = inputs
        backend = get_backend(x)
        xp = backend.xp
        self.retain_inputs((0,))
        number = (0 if self.normalize else max(1, x.shape[0])) if self.mean else 1
        given = (self.labels, x.shape[1], self.ignore_label, number, bool(config.type_check), wide(x[:0]).dtype)
        self.classes, self.weight, in_range = LABEL_WEIGHTS.select(backend, *given).forward(*given)
        if in_range is not None and not bool(in_range):
            counted = xp.where(self.labels != self.ignore_label, self.labels, 0)
            require_labels_in_range("softmax_cross_entropy", counted, x.shape[1])
        if self.class_weight is not None:
            self.weight *= self.class_weight[self.classes]
        args = (x, self.classes, self.weight, self.cache_score)
        self._implementation = SOFTMAX_CROSS_ENTROPY.select(backend, *args)
        loss, self._kept = self._implementation.forward(*args)
        return (xp.asarray(loss.sum(), dtype=x.dtype) if self.mean else loss.astype(x.dtype, copy=False),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """``(softmax(x) - onehot(t)) * weight * gy``."""
        assert self._implementation.backward is not None
        (gy,) = grad_outputs
        if gy.dtype.name == "bfloat16":  # CuPy has no product of it and float32
            gy = gy.astype(self.weight.dtype)
        weight = self.weight * gy
        return (self._implementation.backward(self.saved_inputs[0], self.classes, weight, self._kept),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        (x,) = self.get_retained_inputs()
        xp = x.xp
        onehot = xp.zeros(x.shape, dtype=x.dtype)
        _subtract(xp, onehot, self.classes, xp.asarray(-1, dtype=x.dtype))
        weight = grad_outputs[0] * self.weight.astype(x.dtype, copy=False)
        return ((softmax(x, axis=1) - onehot) * reshape(weight, (x.shape[0], 1, *x.shape[2:])),)


def _index(xp: Any, shape: tuple[int, ...], classes: Array) -> tuple[Array, ...]:
    """The index that selects one class for each entry of an array ``(N, classes, ...)``."""
    if len(shape) == 2:
        return xp.arange(shape[0]), classes
    grid = [xp.arange(size).reshape(-1, *[1] * (len(shape) - 2 - k)) for k, size in enumerate((shape[0], *shape[2:]))]
    return grid[0], classes, *grid[1:]


def _pick(xp: Any, x: Array, classes: Array) -> Array:
    return x[_index(xp, x.shape, classes)]


def _subtract(xp: Any, x: Array, classes: Array, values: Array) -> None:
    """Subtract in place; each position occurs once, so plain indexing works."""
    x[_index(xp, x.shape, classes)] -= values
