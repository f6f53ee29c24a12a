"""Models of which each rank has a part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from renga_core.errors import RengaError
from renga_core.link import Link
from renga_core.serializers import AbstractSerializer
from renga_distributed.optimizers.private import State
from renga_serializers.npz import DictionarySerializer, NpzDeserializer

__all__ = ["ModelPart", "has_a_part"]


def has_a_part(links: Iterable[Link]) -> bool:
    """Whether links are the part of this rank of a model that spans several: a `MultiNodeChainList`, for one."""
    return any(getattr(each, "spans_ranks", False) for link in links for each in link.links())


class ModelPart:
    """This rank's part of a model, with its optimizer and iterator: all that updates change.

    Args:
        serialize: Saves or loads it.
    """

    what = "its part of the model"

    def __init__(self, serialize: Callable[[AbstractSerializer], None]) -> None:
        self._serialize = serialize

    def own(self) -> State:
        """As of `Private`."""
        saving = DictionarySerializer()
        self._serialize(saving)
        return saving.target

    def take(self, state: State) -> None:
        """As of `Private`."""
        self._serialize(NpzDeserializer(state))

    def indivisible(self) -> str:
        """It cannot: each rank has the links that it has made."""
        return "each rank has another part of the model"

    def share_out(self, states: Sequence[State]) -> State:
        """Raises AssertionError: it is never called, because the state is indivisible."""
        raise AssertionError("parts of a model are never shared out")


def check_parts(hyperparameters: Sequence[Mapping[str, Any]], parted: Sequence[bool]) -> None:
    """Make sure that all ranks have a part, and that what is not part of it is the same.

    Args:
        hyperparameters: Of the optimizers of each rank, by name.
        parted: Whether each rank has a part.

    Raises:
        RengaError: It is not so.
    """
    others = [str(rank) for rank, has in enumerate(parted) if not has]
    if others:
        raise RengaError(
            f"rank {', '.join(others)} has no MultiNodeChainList, and other ranks have one. Next: put the part of each "
            "rank into a MultiNodeChainList, so that it can be given to whoever takes the place"
        )
    if any(each != hyperparameters[0] for each in hyperparameters):
        raise RengaError(
            "ranks have parts of a model and optimizers with different hyperparameters, which a new process would not "
            "get. Next: use the same ones on all ranks, or a communicator that is not resilient"
        )
