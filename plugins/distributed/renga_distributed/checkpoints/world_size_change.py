"""Resuming with another number of processes (the world size).

If all ranks have the same model, rank 0's state can be used by each of them. Three things differ:

- Iterators over all data that share their batches (``communicator=``) have the same position on all ranks. They
  continue with exactly the next examples.
- Iterators over parts of a data set (`scatter_dataset`) have other parts now. They continue at the same fraction of the
  epoch, in a new order. Until that epoch ends, some examples are used twice, and as many are left out.
- Random numbers: rank 0's generators continue; on other ranks they start again, each with different numbers.
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
    """Return a value that is equal on two ranks exactly if they have the same model; for other objects: the same state.

    Args:
        target: A trainer, a link, or any other object that can be saved.
        digests: Digests of its state.
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
    """The iterators of a trainer's updater, by name, except for those that share their batches.

    Args:
        target: The trainer; any other object has none.
        keys: Keys of its state.
    """
    get = getattr(getattr(target, "updater", None), "get_iterator", None)
    if get is None:
        return {}
    names = {found[1] for key in keys if (found := re.match(_ITERATOR.format("([^/]+)"), key))}
    return {name: it for name in sorted(names) if not getattr(it := get(name), "shares_batches", False)}


def epoch_of(arrays: Arrays, name: str, length: int) -> float:
    """The position, in epochs as a fraction, at which an iterator was saved."""
    prefix = _ITERATOR.format(name)
    return float(arrays[prefix + "epoch"]) + float(arrays[prefix + "current_position"]) / length


def seek(name: str, iterator: Any, epoch_detail: float) -> None:
    """Move an iterator to a position.

    Raises:
        CheckpointError: The iterator does not support this.
    """
    if not hasattr(iterator, "seek"):
        raise CheckpointError(
            f"iterator '{name}' is a {type(iterator).__qualname__}, which has no method seek(epoch_detail). So the "
            "number of processes must be that of the checkpoint"
        )
    iterator.seek(epoch_detail)


def begin_random_numbers(arrays: Arrays, rank: int) -> None:
    """On a rank other than 0 that loaded rank 0's state: set other random numbers, the same in each resume."""
    seed = hashlib.sha256(f"{digest(arrays['random'])} {rank}".encode()).digest()
    random.seed(int.from_bytes(seed[:8]))
