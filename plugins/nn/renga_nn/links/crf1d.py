"""Conditional random field for sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, Device, get_device_of
from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_nn.functions.array import permutate, transpose_sequence
from renga_nn.functions.loss import argmax_crf1d, crf1d
from renga_nn.initializers import get_initializer

__all__ = ["CRF1d"]


class CRF1d(Link):
    """Loss and best labels of a linear-chain conditional random field: see `renga.functions.crf1d`.

    Args:
        n_label: Number of labels K.
        initial_cost: Initializer of `cost`. Default: 0.

    Attributes:
        cost: Score of each label after each other label, ``(K, K)``.

    >>> import numpy as np
    >>> layer = CRF1d(n_label=3)
    >>> scores = [np.zeros((2, 3), np.float32), np.zeros((1, 3), np.float32)]  # two sequences at time 0, one at time 1
    >>> layer(scores, [np.array([0, 2]), np.array([1])]).shape
    ()
    """

    def __init__(self, n_label: int, initial_cost: Any = None) -> None:
        super().__init__()
        with self.init_scope():
            self.cost = Parameter(get_initializer(0 if initial_cost is None else initial_cost), (n_label, n_label))

    def forward(self, xs: Sequence[Any], ys: Sequence[Any], reduce: str = "mean", transpose: bool = False) -> Variable:
        """Compute the loss.

        Args:
            xs: Scores per time step, ``(B_t, K)``; with `transpose`, per sequence, ``(length_i, K)``.
            ys: Labels per time step, ``(B_t,)``; with `transpose`, per sequence, ``(length_i,)``.
            reduce: ``"mean"``, or ``"no"`` for the loss of each sequence.
            transpose: The arguments are sequences, in any order, instead of time steps.

        Raises:
            InvalidType, ValueError: See `renga.functions.crf1d`.
        """
        if not transpose:
            return crf1d(self.cost, xs, ys, reduce)
        order = _longest_first(xs)
        steps, labels = _steps(xs, order), [y.array for y in _steps(ys, order)]
        loss = crf1d(self.cost, steps, labels, reduce)
        return permutate(loss, _device_of(xs).send(order), inv=True) if reduce == "no" else loss

    def argmax(self, xs: Sequence[Any], transpose: bool = False) -> tuple[Variable, list[Array]]:
        """Return scores of the best labelings, and the labels, by step or (`transpose`) by sequence, like `xs`.

        Args:
            xs, transpose: See `forward`.
        """
        if not transpose:
            return argmax_crf1d(self.cost, xs)
        order = _longest_first(xs)
        scores, steps = argmax_crf1d(self.cost, _steps(xs, order))
        labels: list[Any] = [None] * len(xs)
        for number, sequence in zip(order, transpose_sequence(steps), strict=True):
            labels[number] = sequence.array
        return permutate(scores, _device_of(xs).send(order), inv=True), labels


def _device_of(xs: Sequence[Any]) -> Device:
    return get_device_of(xs[0])


def _longest_first(xs: Sequence[Any]) -> np.ndarray[Any, Any]:
    return np.argsort([-x.shape[0] for x in xs], kind="stable")


def _steps(xs: Sequence[Any], order: np.ndarray[Any, Any]) -> tuple[Variable, ...]:
    return transpose_sequence([xs[number] for number in order])
