"""``chainermn``: mostly `renga.distributed`. These modules contain only what ChainerMN does differently.

Numbers of updates, means and random numbers equal ChainerMN's: see each function.
"""

from renga_chainer.modules.chainermn.communicators import create_communicator
from renga_chainer.modules.chainermn.datasets import scatter_dataset
from renga_chainer.modules.chainermn.extensions import create_multi_node_evaluator
from renga_chainer.modules.chainermn.optimizers import create_multi_node_optimizer

__all__ = [
    "create_communicator",
    "create_multi_node_evaluator",
    "create_multi_node_optimizer",
    "scatter_dataset",
]
