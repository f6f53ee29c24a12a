"""``chainer.links``: Renga's, their base classes, and two helpers for sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_nn.links.gru import GRUBase
from renga_nn.links.lstm import LSTMBase
from renga_nn.links.mgu import MGUBase
from renga_nn.links.n_step_rnn import NStepGRUBase, NStepLSTMBase, NStepRNNBase
from renga_nn.links.vision.resnet import ResNetLayers
from renga_nn.links.vision.vgg import _VGGLayers as VGGLayers

__all__ = [
    "GRUBase",
    "LSTMBase",
    "MGUBase",
    "NStepGRUBase",
    "NStepLSTMBase",
    "NStepRNNBase",
    "ResNetLayers",
    "VGGLayers",
    "argsort_list_descent",
    "permutate_list",
]


def argsort_list_descent(lst: Sequence[Any]) -> Any:
    """Return the indices that sort sequences from longest to shortest, int32."""
    return np.argsort([-len(x) for x in lst], kind="stable").astype(np.int32)


def permutate_list(lst: Sequence[Any], indices: Sequence[int], inv: bool) -> list[Any]:
    """Reorder the elements by `indices`; with `inv`, undo that."""
    order = np.argsort(indices) if inv else indices
    return [lst[i] for i in order]
