"""Optimizers, and functions that change gradients on the way.

Reading guide
-------------
- One file for each family: `sgd`, `momentum_sgd`, `corrected_momentum_sgd`, `nesterov_ag`; `ada_grad`, `ada_delta`,
  `rmsprop`, `rmsprop_graves`, `smorms3`; `adam` with its variants in `adam_variants`; `msvag`.
- `hooks`: weight decay, gradient clipping and others, for ``optimizer.add_hook``.
- `precision`: what half precision cannot hold.
- `plugin`: the names under which all of these are offered.

Each optimizer consists of two classes. The *rule* updates one parameter and holds its state. The *optimizer* holds the
hyperparameters. The docstring of the rule has the formula, in which g is the gradient and θ the parameter.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from renga_optimizers.ada_delta import AdaDelta
    from renga_optimizers.ada_grad import AdaGrad
    from renga_optimizers.adam import Adam
    from renga_optimizers.adam_variants import AdaBound, AdamW, AMSBound, AMSGrad
    from renga_optimizers.corrected_momentum_sgd import CorrectedMomentumSGD
    from renga_optimizers.momentum_sgd import MomentumSGD
    from renga_optimizers.msvag import MSVAG
    from renga_optimizers.nesterov_ag import NesterovAG
    from renga_optimizers.rmsprop import RMSprop
    from renga_optimizers.rmsprop_graves import RMSpropGraves
    from renga_optimizers.sgd import SGD
    from renga_optimizers.smorms3 import SMORMS3

__all__ = [
    "MSVAG",
    "SGD",
    "SMORMS3",
    "AMSBound",
    "AMSGrad",
    "AdaBound",
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "AdamW",
    "CorrectedMomentumSGD",
    "MomentumSGD",
    "NesterovAG",
    "RMSprop",
    "RMSpropGraves",
]


def __getattr__(name: str) -> Any:
    """Import an optimizer at its first use, so that listing what `plugin` offers stays cheap."""
    module = _modules().get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module), name)


@cache
def _modules() -> dict[str, str]:
    """The module of each optimizer."""
    from renga_optimizers.plugin import renga_optimizers

    targets = [provider.target.partition(":") for provider in renga_optimizers()]
    return {attribute: module for module, _, attribute in targets}
