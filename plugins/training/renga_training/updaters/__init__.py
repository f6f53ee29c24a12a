"""One step of the optimization. To write another, derive from `renga_core.training.Updater`.

- `standard_updater`: `StandardUpdater`, a batch an update, or several.
- `adversarial_updater`: `AdversarialUpdater`, a critic some times, then a generator.
- `parallel_updater`: `ParallelUpdater`, a batch on several devices of one process.
- `multiprocess_parallel_updater`: `MultiprocessParallelUpdater`, which says what to use instead.
- `parts`: what the standard and the parallel one have in common: the gradient of a batch, part by part.
"""

from renga_training.updaters.adversarial_updater import AdversarialUpdater
from renga_training.updaters.multiprocess_parallel_updater import MultiprocessParallelUpdater
from renga_training.updaters.parallel_updater import ParallelUpdater
from renga_training.updaters.standard_updater import StandardUpdater

__all__ = ["AdversarialUpdater", "MultiprocessParallelUpdater", "ParallelUpdater", "StandardUpdater"]
