# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga.distributed import functions as functions
from renga.distributed import links as links
from renga.distributed import scale_model as scale_model
from renga_distributed.checkpoints import CheckpointError as CheckpointError
from renga_distributed.checkpoints import MultiNodeCheckpointer as MultiNodeCheckpointer
from renga_distributed.checkpoints import create_multi_node_checkpointer as create_multi_node_checkpointer
from renga_distributed.create import create_communicator as create_communicator
from renga_distributed.datasets import DataSizeError as DataSizeError
from renga_distributed.datasets import create_empty_dataset as create_empty_dataset
from renga_distributed.datasets import scatter_dataset as scatter_dataset
from renga_distributed.datasets import scatter_index as scatter_index
from renga_distributed.extensions import AllreducePersistent as AllreducePersistent
from renga_distributed.extensions import GenericMultiNodeEvaluator as GenericMultiNodeEvaluator
from renga_distributed.extensions import LearningRateWarmup as LearningRateWarmup
from renga_distributed.extensions import MultiNodeEarlyStoppingTrigger as MultiNodeEarlyStoppingTrigger
from renga_distributed.extensions import ObservationAggregator as ObservationAggregator
from renga_distributed.extensions import RankSynchronizer as RankSynchronizer
from renga_distributed.extensions import create_multi_node_evaluator as create_multi_node_evaluator
from renga_distributed.extensions import multi_node_snapshot as multi_node_snapshot
from renga_distributed.iterators import MultiNodeIterator as MultiNodeIterator
from renga_distributed.iterators import create_multi_node_iterator as create_multi_node_iterator
from renga_distributed.iterators import create_synchronized_iterator as create_synchronized_iterator
from renga_distributed.links import MultiNodeChainList as MultiNodeChainList
from renga_distributed.optimizers import MultiNodeOptimizer as MultiNodeOptimizer
from renga_distributed.optimizers import create_multi_node_optimizer as create_multi_node_optimizer
from renga_distributed.recovery import Recovery as Recovery
from renga_distributed.recovery import TrainerRecovery as TrainerRecovery
from renga_distributed.recovery import build_and_run as build_and_run
from renga_distributed.recovery import take_place as take_place
from renga_distributed.single import SingleCommunicator as SingleCommunicator
from renga_distributed.threads import ThreadsCommunicator as ThreadsCommunicator
from renga_distributed.threads import launch as launch

__all__ = [
    "AllreducePersistent",
    "CheckpointError",
    "DataSizeError",
    "GenericMultiNodeEvaluator",
    "LearningRateWarmup",
    "MultiNodeChainList",
    "MultiNodeCheckpointer",
    "MultiNodeEarlyStoppingTrigger",
    "MultiNodeIterator",
    "MultiNodeOptimizer",
    "ObservationAggregator",
    "RankSynchronizer",
    "Recovery",
    "SingleCommunicator",
    "ThreadsCommunicator",
    "TrainerRecovery",
    "build_and_run",
    "create_communicator",
    "create_empty_dataset",
    "create_multi_node_checkpointer",
    "create_multi_node_evaluator",
    "create_multi_node_iterator",
    "create_multi_node_optimizer",
    "create_synchronized_iterator",
    "functions",
    "launch",
    "links",
    "multi_node_snapshot",
    "scale_model",
    "scatter_dataset",
    "scatter_index",
    "take_place",
]
