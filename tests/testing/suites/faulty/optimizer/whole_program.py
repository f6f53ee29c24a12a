"""Optimizers that change what belongs to the whole program, or that cannot be used at all."""

import gc
import os
import random
import warnings

import numpy as np

import renga_core.random
from renga_core.configuration import config

from .right import Right


class NotHere(Right):
    """its probe says that it cannot work here"""

    breaks = "test_ready"

    @staticmethod
    def probe():
        return "there is no licence on this machine"


class Missing(Right):
    """its target does not exist"""

    breaks = "test_target"
    target = "Nobody"


class Boastful(Right):
    """it declares a capability that there is not"""

    declares = {"sparse"}
    breaks = "test_declared_capabilities_are_tested"


class SeedsNumpy(Right):
    """it seeds NumPy's global random numbers"""

    breaks = "test_is_an_optimizer"

    def __init__(self, lr: float = 0.01) -> None:
        super().__init__(lr)
        np.random.seed(0)


class SeedsPython(Right):
    """it seeds Python's random numbers in each update"""

    breaks = "test_counts_updates"

    def update(self, lossfun=None, *args, **kwds):
        random.seed(1)
        super().update(lossfun, *args, **kwds)


class SeedsRenga(Right):
    """it seeds Renga's random numbers when it is set up"""

    breaks = "test_is_an_optimizer"

    def setup(self, link):
        renga_core.random.seed(0)
        return super().setup(link)


class DrawsFromNumpy(Right):
    """it draws from NumPy's global random numbers, which no seed of Renga's reaches"""

    breaks = "test_counts_updates"

    def update(self, lossfun=None, *args, **kwds):
        np.random.normal()
        super().update(lossfun, *args, **kwds)


class SilencesNumpy(Right):
    """it switches off NumPy's warnings for the whole program"""

    breaks = "test_counts_updates"

    def update(self, lossfun=None, *args, **kwds):
        np.seterr(all="ignore")
        super().update(lossfun, *args, **kwds)


class SilencesWarnings(Right):
    """it adds a filter for warnings"""

    breaks = "test_is_an_optimizer"

    def setup(self, link):
        warnings.simplefilter("ignore")
        return super().setup(link)


class LeavesBackpropOff(Right):
    """it switches off graphs and leaves them so"""

    breaks = "test_counts_updates"

    def update(self, lossfun=None, *args, **kwds):
        super().update(lossfun, *args, **kwds)
        config.enable_backprop = False


class SetsTheEnvironment(Right):
    """it sets an environment variable"""

    breaks = "test_is_an_optimizer"

    def setup(self, link):
        os.environ["RENGA_FAST"] = "1"
        return super().setup(link)


class StopsCollecting(Right):
    """it switches garbage collection off"""

    breaks = "test_is_an_optimizer"

    def setup(self, link):
        gc.disable()
        return super().setup(link)
