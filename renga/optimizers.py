"""Optimizers: `renga_optimizers`, and by registered name those of other plugins."""

from renga.third_party import registered
from renga_core.plugin import OPTIMIZER
from renga_optimizers import (
    MSVAG,
    SGD,
    SMORMS3,
    AdaBound,
    AdaDelta,
    AdaGrad,
    Adam,
    AdamW,
    AMSBound,
    AMSGrad,
    CorrectedMomentumSGD,
    MomentumSGD,
    NesterovAG,
    RMSprop,
    RMSpropGraves,
)

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

__getattr__ = registered(OPTIMIZER, "renga.optimizers", __all__)
