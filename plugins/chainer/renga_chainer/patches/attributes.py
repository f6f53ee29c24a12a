"""Attributes of Chainer's links, distributions and functions, computed from Renga's attributes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from renga_chainer.modules.chainer.function_node import FunctionNode as ChainerFunctionNode
from renga_core.graph import FunctionNode
from renga_core.optimizer import Hyperparameter
from renga_data.iterators import MultiprocessIterator
from renga_nn import functions as F
from renga_nn import links as L
from renga_nn.distributions import Dirichlet
from renga_nn.links.n_step_rnn import NStepRNNBase

__all__ = ["ADDITIONS"]


class _Computed:
    """A computed attribute, which a program may also assign."""

    def __init__(self, value: Callable[[Any], Any]) -> None:
        self._value = value

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else self._value(instance)


def _in_channels(link: Any) -> int | None:
    """Number of channels of the images; None if not known yet."""
    return link.W.shape[1] * link.groups if link.W.is_initialized else None


def _forward_cpu(self: FunctionNode, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """`forward`, the same for all kinds of arrays."""
    return self.forward(inputs)


def _no_check(self: FunctionNode, in_types: Any) -> None:
    """Do nothing: Renga's functions check their arguments before they are applied."""


_get_dict = Hyperparameter.get_dict


def _arguments(self: Hyperparameter) -> dict[str, Any]:
    """Like Renga's, without Adam's internal entries: programs pass them to the optimizer's class."""
    return {name: value for name, value in _get_dict(self).items() if name != "initial_alpha"}


_RNN: dict[type, Callable[..., Any]] = {
    L.NStepLSTM: F.n_step_lstm,
    L.NStepBiLSTM: F.n_step_bilstm,
    L.NStepGRU: F.n_step_gru,
    L.NStepBiGRU: F.n_step_bigru,
    L.NStepRNNTanh: functools.partial(F.n_step_rnn, activation="tanh"),
    L.NStepRNNReLU: functools.partial(F.n_step_rnn, activation="relu"),
    L.NStepBiRNNTanh: functools.partial(F.n_step_birnn, activation="tanh"),
    L.NStepBiRNNReLU: functools.partial(F.n_step_birnn, activation="relu"),
}
"""The functions that the links call."""

ADDITIONS: list[tuple[Any, str, Any]] = [
    (NStepRNNBase, "n_weights", _Computed(lambda link: 2 * link.cell.gates)),
    (NStepRNNBase, "use_bi_direction", _Computed(lambda link: link.direction == 2)),
    *[(cls, "rnn", staticmethod(function)) for cls, function in _RNN.items()],
    (L.Convolution2D, "in_channels", _Computed(_in_channels)),
    (L.DepthwiseConvolution2D, "nobias", _Computed(lambda link: link.b is None)),
    (L.LocalConvolution2D, "nobias", _Computed(lambda link: link.b is None)),
    (L.Bilinear, "in_sizes", _Computed(lambda link: link.W.shape[:2])),
    (L.Bilinear, "nobias", _Computed(lambda link: link.V1 is None)),
    (L.Bilinear, "zero_grads", L.Bilinear.zerograds),
    (L.EmbedID, "ignore_label", None),  # for links from old pickles
    (MultiprocessIterator, "shuffle", _Computed(lambda iterator: iterator.order_sampler is not None)),
    (Dirichlet, "alpha0", _Computed(lambda distribution: F.sum(distribution.alpha, axis=-1))),
    (FunctionNode, "output_data", ChainerFunctionNode.output_data),
    (FunctionNode, "backward_accumulate", ChainerFunctionNode.backward_accumulate),
    (FunctionNode, "forward_cpu", _forward_cpu),
    (FunctionNode, "check_type_forward", _no_check),
    (Hyperparameter, "get_dict", _arguments),
]
