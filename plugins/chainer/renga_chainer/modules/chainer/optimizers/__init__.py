"""``chainer.optimizers``: Renga's, and their update rules."""

from renga_optimizers.ada_delta import AdaDeltaRule
from renga_optimizers.ada_grad import AdaGradRule
from renga_optimizers.adam import AdamRule
from renga_optimizers.corrected_momentum_sgd import CorrectedMomentumSGDRule
from renga_optimizers.momentum_sgd import MomentumSGDRule
from renga_optimizers.msvag import MSVAGRule
from renga_optimizers.nesterov_ag import NesterovAGRule
from renga_optimizers.rmsprop import RMSpropRule
from renga_optimizers.rmsprop_graves import RMSpropGravesRule
from renga_optimizers.sgd import SGDRule
from renga_optimizers.smorms3 import SMORMS3Rule

__all__ = [
    "AdaDeltaRule",
    "AdaGradRule",
    "AdamRule",
    "CorrectedMomentumSGDRule",
    "MSVAGRule",
    "MomentumSGDRule",
    "NesterovAGRule",
    "RMSpropGravesRule",
    "RMSpropRule",
    "SGDRule",
    "SMORMS3Rule",
]
