"""`create_synchronized_iterator`: all ranks use examples in the same order."""

from __future__ import annotations

from typing import Any, TypeVar

from renga_core.communicator import CommunicatorBase
from renga_core.dataset import Iterator
from renga_serializers.npz import DictionarySerializer, NpzDeserializer

__all__ = ["create_synchronized_iterator"]

AnyIterator = TypeVar("AnyIterator", bound=Iterator)


def create_synchronized_iterator(actual_iterator: AnyIterator, communicator: CommunicatorBase) -> AnyIterator:
    """Set the position, order and generator of each rank's iterator to those of rank 0. Every rank calls this.

    From then on all ranks yield examples with the same indexes, epoch by epoch, without communication. Use it for
    models that are divided among ranks, if the ranks' data sets correspond: for example, inputs and labels.

    Args:
        actual_iterator: One of `renga.iterators`, of the same type, batch size and number of examples on all ranks. A
            custom order sampler must have `get_state` and `set_state`, or depend only on its arguments.
        communicator: The communicator.

    Returns:
        The iterator itself.

    Raises:
        MismatchError: The iterators differ; raised on every rank.
        ValueError: The iterator has no order sampler; raised on every rank.

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
            f"{type(iterator).__qualname__} has no order_sampler, so its order cannot be sent to other ranks. Next: "
            "create_multi_node_iterator sends batches of any iterator"
        )
    place: dict[str, Any] = {}
    if communicator.rank == 0:
        DictionarySerializer(place).save(iterator)
    place = communicator.bcast_obj(place)
    if communicator.rank != 0:
        NpzDeserializer(place).load(iterator)
    return actual_iterator
