"""Names that Chainer 7 deprecated; they work, with a DeprecationWarning for programs."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from renga_chainer.patches import device, variable
from renga_chainer.scope import called_by_renga
from renga_core.backend import DeviceResident
from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_core.optimizer import GradientMethod

__all__ = ["ADDITIONS", "deprecated"]


def deprecated(function: Callable[..., Any], message: str) -> Callable[..., Any]:
    """Wrap a function so that a successful call warns, unless Renga itself calls it."""

    @functools.wraps(function)
    def warned(*args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        if not called_by_renga():
            warnings.warn(message, DeprecationWarning, stacklevel=2)
        return made

    return warned


_TO_GPU = "to_gpu is deprecated. Please use to_device('@cupy:N') instead."
_ZEROGRAD = "Variable.zerograd is deprecated. Use Variable.cleargrad instead."

ADDITIONS: list[tuple[Any, str, Any]] = [
    (
        DeviceResident,
        "to_cpu",
        deprecated(DeviceResident.to_cpu, "to_cpu is deprecated. Please use to_device('@numpy') instead."),
    ),
    (DeviceResident, "to_gpu", deprecated(device.to_gpu, _TO_GPU)),
    (Link, "zerograds", deprecated(Link.zerograds, "Link.zerograds is deprecated. Use Link.cleargrads instead.")),
    (Variable, "zerograd", deprecated(Variable.zerograd, _ZEROGRAD)),
    (Parameter, "zerograd", deprecated(variable.zerograd_of_parameter, _ZEROGRAD)),
    (
        GradientMethod,
        "use_cleargrads",
        deprecated(GradientMethod.use_cleargrads, "GradientMethod.use_cleargrads is deprecated."),
    ),
]
