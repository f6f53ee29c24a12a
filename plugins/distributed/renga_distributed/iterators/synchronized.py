"""All ranks take their examples in one order."""

from __future__ import annotations

from typing import Any, TypeVar

from renga_core.communicator import CommunicatorBase
from renga_core.dataset import Iterator
from renga_serializers.npz import DictionarySerializer, NpzDeserializer

__all__ = ["create_synchronized_iterator"]

AnyIterator = TypeVar("AnyIterator", bound=Iterator)


def create_synchronized_iterator(actual_iterator: AnyIterator, communicator: CommunicatorBase) -> AnyIterator:
    """Give each rank's iterator the position, order and generator of rank 0's. Every rank calls this.

    From then on all give the examples with the same indices, epoch by epoch, without communicating. It is for models of
    which each rank holds a part, where the ranks' data sets belong together: the input here, the labels there.

    Args:
        actual_iterator: One of `renga.iterators`, alike on all ranks: of one type, batch size and number of examples.
            An order sampler other than Renga's must have `get_state` and `set_state`, or depend on its arguments only.
        communicator: The communicator.

    Returns:
        The iterator itself.

    Raises:
        MismatchError: The iterators are not alike; raised on every rank.
        ValueError: It has no order sampler that could be told the order; raised on every rank.

    Source: ChainerMN's documentation, *Iterators*.
    """
    iterator: Any = actual_iterator
    orderly = hasattr(iterator, "order_sampler")
    details = {
        "iterator": type(iterator).__qualname__,
        "batch_size": getattr(iterator, "batch_size", None),
        "repeat": getattr(iterator, "repeat", None),
        "examples": len(iterator.dataset) if orderly else None,
        "in order": orderly and iterator.order_sampler is None,
    }
    communicator.agree("create_synchronized_iterator", details)
    if not orderly:
        raise ValueError(
            f"{type(iterator).__qualname__} has no order_sampler, so its order cannot be told to other ranks. "
            "create_multi_node_iterator sends batches of any iterator"
        )
    place: dict[str, Any] = {}
    if communicator.rank == 0:
        DictionarySerializer(place).save(iterator)
    place = communicator.bcast_obj(place)
    if communicator.rank != 0:
        NpzDeserializer(place).load(iterator)
    return actual_iterator
