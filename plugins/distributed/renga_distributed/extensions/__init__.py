"""Extensions and triggers for training by several processes.

- `evaluator`: `create_multi_node_evaluator`: means over the examples of all ranks.
- `generic_evaluator`: `GenericMultiNodeEvaluator`, for what is not a mean over examples.
- `observation_aggregator`: `ObservationAggregator`: an observed value becomes one for all ranks.
- `rank_synchronizer`: `RankSynchronizer`: all observed values, and a wish to stop, become those of all ranks.
- `early_stopping`: `MultiNodeEarlyStoppingTrigger`: all ranks stop together.
- `allreduce_persistent`: `AllreducePersistent`: running means become the same on all ranks.
- `multi_node_snapshot`: `multi_node_snapshot`, for ranks with different extensions.
- `learning_rate_warmup`: `LearningRateWarmup`, the learning rate for large batches.

Extensions that print, draw or write are added on rank 0 only: ``if comm.rank == 0: trainer.extend(PrintReport(...))``.
"""

from renga_distributed.extensions.allreduce_persistent import AllreducePersistent
from renga_distributed.extensions.early_stopping import MultiNodeEarlyStoppingTrigger
from renga_distributed.extensions.evaluator import create_multi_node_evaluator
from renga_distributed.extensions.generic_evaluator import GenericMultiNodeEvaluator
from renga_distributed.extensions.learning_rate_warmup import LearningRateWarmup
from renga_distributed.extensions.multi_node_snapshot import multi_node_snapshot
from renga_distributed.extensions.observation_aggregator import ObservationAggregator
from renga_distributed.extensions.rank_synchronizer import RankSynchronizer

__all__ = [
    "AllreducePersistent",
    "GenericMultiNodeEvaluator",
    "LearningRateWarmup",
    "MultiNodeEarlyStoppingTrigger",
    "ObservationAggregator",
    "RankSynchronizer",
    "create_multi_node_evaluator",
    "multi_node_snapshot",
]
