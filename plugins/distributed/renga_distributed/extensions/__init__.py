"""Extensions and triggers for training with several processes.

- `evaluator`: `create_multi_node_evaluator`: means over the examples of all ranks.
- `generic_evaluator`: `GenericMultiNodeEvaluator`, for metrics that are not means over examples.
- `observation_aggregator`: `ObservationAggregator`: combines a reported value of all ranks.
- `rank_synchronizer`: `RankSynchronizer`: averages all reported values, and shares requests to stop.
- `early_stopping`: `MultiNodeEarlyStoppingTrigger`: all ranks stop together.
- `allreduce_persistent`: `AllreducePersistent`: averages running means over ranks.
- `multi_node_snapshot`: `multi_node_snapshot`, for ranks with different extensions.
- `learning_rate_warmup`: `LearningRateWarmup`: the learning rate for large batches.

Add extensions that print, draw or write on rank 0 only: ``if comm.rank == 0: trainer.extend(PrintReport(...))``.
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
