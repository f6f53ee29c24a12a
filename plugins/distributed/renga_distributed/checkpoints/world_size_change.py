"""What becomes of a run's state when another number of processes (the world size) goes on with it.

Where the model is the same on all ranks, rank 0's state serves every one. Three things are left:

- Iterators over all data that share their batches (``communicator=``) are at the same place on all ranks: they go on
  with the very examples that would have been next.
- Iterators over parts of a data set (`scatter_dataset`) have other parts now. They go on after the same fraction of the
  epoch, in a new order: until that epoch ends, some examples come a second time, and as many not at all.
- Random numbers: rank 0's generators go on, the other ranks' begin anew, each with numbers of its own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from renga_core import random
from renga_core.backend import to_host
from renga_distributed.checkpoints.errors import CheckpointError
from renga_distributed.checkpoints.generation import Arrays, content, digest

__all__ = ["begin_random_numbers", "epoch_of", "iterators_of_parts", "model_digest", "seek"]

_ITERATOR = "updater/iterator:{}/"


def model_digest(target: Any, digests: Mapping[str, str]) -> str:
    """What is equal on two ranks if, and only if, they have the same model; of other objects: the same state.

    Args:
        target: A trainer, a link, or any other object that can be saved.
        digests: Of its state.
    """
    if hasattr(target, "updater"):
        models = {name: each.target for name, each in target.updater.get_all_optimizers().items()}
    elif hasattr(target, "namedparams"):
        models = {"": target}
    else:
        return content(digests)
    return content(
        {
            name + path: "" if param.array is None else digest(to_host(param.array))
            for name, model in models.items()
            for path, param in model.namedparams()
        }
    )


def iterators_of_parts(target: Any, keys: Iterable[str]) -> dict[str, Any]:
    """The iterators of a trainer's updater, by name, but for those that share their batches.

    Args:
        target: The trainer; any other object has none.
        keys: Of its state.
    """
    get = getattr(getattr(target, "updater", None), "get_iterator", None)
    if get is None:
        return {}
    names = {found[1] for key in keys if (found := re.match(_ITERATOR.format("([^/]+)"), key))}
    return {name: it for name in sorted(names) if not getattr(it := get(name), "shares_batches", False)}


def epoch_of(arrays: Arrays, name: str, length: int) -> float:
    """The epochs, and the fraction of one, after which an iterator was saved."""
    prefix = _ITERATOR.format(name)
    return float(arrays[prefix + "epoch"]) + float(arrays[prefix + "current_position"]) / length


def seek(name: str, iterator: Any, epoch_detail: float) -> None:
    """Have an iterator go there.

    Raises:
        CheckpointError: It cannot.
    """
    if not hasattr(iterator, "seek"):
        raise CheckpointError(
            f"iterator '{name}' is a {type(iterator).__qualname__}, which has no method seek(epoch_detail). So the "
            "number of processes must be that of the checkpoint"
        )
    iterator.seek(epoch_detail)


def begin_random_numbers(arrays: Arrays, rank: int) -> None:
    """On a rank other than 0 that has only rank 0's state: draw other numbers than that, but each time the same."""
    seed = hashlib.sha256(f"{digest(arrays['random'])} {rank}".encode()).digest()
    random.seed(int.from_bytes(seed[:8]))
