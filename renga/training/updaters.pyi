# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_core.training import Updater as Updater
from renga_training.updaters import AdversarialUpdater as AdversarialUpdater
from renga_training.updaters import ParallelUpdater as ParallelUpdater
from renga_training.updaters import StandardUpdater as StandardUpdater
from renga_training.updaters.multiprocess_parallel_updater import MultiprocessParallelUpdater as MultiprocessParallelUpdater
from renga_training.updaters.parts import call as call

__all__ = [
    "AdversarialUpdater",
    "MultiprocessParallelUpdater",
    "ParallelUpdater",
    "StandardUpdater",
    "Updater",
    "call",
]
