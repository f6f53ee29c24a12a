"""Updaters, which make one step of the optimization. To write one, derive from `renga_core.training.Updater`.

- `standard_updater`: `StandardUpdater`, one batch per update, or several.
- `adversarial_updater`: `AdversarialUpdater`, several updates of a critic, then one of a generator.
- `parallel_updater`: `ParallelUpdater`, splits a batch over several devices of one process.
- `multiprocess_parallel_updater`: `MultiprocessParallelUpdater`, an error that says what to use instead.
- `parts`: the gradient of a batch that is computed in parts, for the standard and the parallel updater.
"""

from renga_training.updaters.adversarial_updater import AdversarialUpdater
from renga_training.updaters.multiprocess_parallel_updater import MultiprocessParallelUpdater
from renga_training.updaters.parallel_updater import ParallelUpdater
from renga_training.updaters.standard_updater import StandardUpdater

__all__ = ["AdversarialUpdater", "MultiprocessParallelUpdater", "ParallelUpdater", "StandardUpdater"]
