"""Arguments of functions and links from Chainer 1. They raise errors with Chainer 7's messages."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from renga_nn.links import BatchNormalization, Convolution2D, Deconvolution2D, MLPConvolution2D
from renga_nn.links.n_step_rnn import NStepRNNBase

__all__ = ["ADDITIONS", "refusing"]

_INSTEAD = {
    "deterministic": "Use chainer.using_config('cudnn_deterministic', value) context where value is either `True` or "
    "`False`.",
    "wscale": "Use conv_init and bias_init argument to change the scale of initial parameters.",
}


def refusing(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """Wrap a function: an argument with one of these names raises ValueError, with what to use instead."""

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        for name in names:
            if name in kwargs:
                instead = _INSTEAD.get(name, "Use chainer.using_config")
                raise ValueError(f"{name} argument is not supported anymore. {instead}")
        return function(*args, **kwargs)

    return checked


ADDITIONS: list[tuple[Any, str, Any]] = [
    (BatchNormalization, "forward", refusing(BatchNormalization.forward, "test")),
    (Convolution2D, "__init__", refusing(Convolution2D.__init__, "deterministic")),
    (Deconvolution2D, "__init__", refusing(Deconvolution2D.__init__, "deterministic")),
    (MLPConvolution2D, "__init__", refusing(MLPConvolution2D.__init__, "wscale")),
    (NStepRNNBase, "__init__", refusing(NStepRNNBase.__init__, "use_cudnn", "use_bi_direction", "activation")),
]
