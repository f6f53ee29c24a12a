"""Iterators that yield the same examples on all ranks, for models that are divided among ranks.

- `multi_node`: `create_multi_node_iterator`: one rank has the data, and sends its batches to all.
- `synchronized`: `create_synchronized_iterator`: all ranks have the data, and use the same order.
"""

from renga_distributed.iterators.multi_node import MultiNodeIterator, create_multi_node_iterator
from renga_distributed.iterators.synchronized import create_synchronized_iterator

__all__ = ["MultiNodeIterator", "create_multi_node_iterator", "create_synchronized_iterator"]
