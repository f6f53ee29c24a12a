"""``chainermn``: what works in one process does; the rest waits for communicators between processes."""

from renga_chainer.modules.chainermn.communicators import create_communicator
from renga_chainer.modules.chainermn.datasets import DataSizeError, scatter_dataset, scatter_index
from renga_chainer.modules.chainermn.extensions import create_multi_node_evaluator
from renga_chainer.modules.chainermn.optimizers import create_multi_node_optimizer
from renga_core.communicator import CommunicatorBase

__all__ = [
    "CommunicatorBase",
    "DataSizeError",
    "create_communicator",
    "create_multi_node_evaluator",
    "create_multi_node_optimizer",
    "scatter_dataset",
    "scatter_index",
]
