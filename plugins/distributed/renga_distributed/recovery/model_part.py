"""Models divided over ranks."""

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
    """Whether links are this rank's part of a model divided over ranks, such as a `MultiNodeChainList`."""
    return any(getattr(each, "spans_ranks", False) for link in links for each in link.links())


class ModelPart:
    """This rank's part of a model, with its optimizer and iterator: all state that updates change.

    Args:
        serialize: Saves or loads the part.
    """

    what = "its part of the model"

    def __init__(self, serialize: Callable[[AbstractSerializer], None]) -> None:
        self._serialize = serialize

    def own(self) -> State:
        """See `Private`."""
        saving = DictionarySerializer()
        self._serialize(saving)
        return saving.target

    def take(self, state: State) -> None:
        """See `Private`."""
        self._serialize(NpzDeserializer(state))

    def indivisible(self) -> str:
        """Return why it cannot be divided: each rank has its own links."""
        return "each rank has another part of the model"

    def share_out(self, states: Sequence[State]) -> State:
        """Raises AssertionError: never called, because the state is indivisible."""
        raise AssertionError("parts of a model are never shared out")


def check_parts(hyperparameters: Sequence[Mapping[str, Any]], parted: Sequence[bool]) -> None:
    """Check that all ranks have a part, and that everything else is the same.

    Args:
        hyperparameters: Hyperparameters of each rank's optimizers, by name.
        parted: Whether each rank has a part.

    Raises:
        RengaError: A rank has no part, or something else differs.
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
