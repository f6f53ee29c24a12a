# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_optimizers.ada_delta import AdaDelta as AdaDelta
from renga_optimizers.ada_grad import AdaGrad as AdaGrad
from renga_optimizers.adam import Adam as Adam
from renga_optimizers.adam_variants import AMSBound as AMSBound
from renga_optimizers.adam_variants import AMSGrad as AMSGrad
from renga_optimizers.adam_variants import AdaBound as AdaBound
from renga_optimizers.adam_variants import AdamW as AdamW
from renga_optimizers.corrected_momentum_sgd import CorrectedMomentumSGD as CorrectedMomentumSGD
from renga_optimizers.momentum_sgd import MomentumSGD as MomentumSGD
from renga_optimizers.msvag import MSVAG as MSVAG
from renga_optimizers.nesterov_ag import NesterovAG as NesterovAG
from renga_optimizers.rmsprop import RMSprop as RMSprop
from renga_optimizers.rmsprop_graves import RMSpropGraves as RMSpropGraves
from renga_optimizers.sgd import SGD as SGD
from renga_optimizers.smorms3 import SMORMS3 as SMORMS3

__all__ = [
    "AMSBound",
    "AMSGrad",
    "AdaBound",
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "AdamW",
    "CorrectedMomentumSGD",
    "MSVAG",
    "MomentumSGD",
    "NesterovAG",
    "RMSprop",
    "RMSpropGraves",
    "SGD",
    "SMORMS3",
]
