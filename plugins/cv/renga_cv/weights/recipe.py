"""The mapping from arrays of a file to arrays of a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from renga_core.link import Link

__all__ = ["Host", "Recipe", "Source", "batch_normalization", "layer"]

Host = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Source:
    """The source of an array of a network.

    Attributes:
        name: Name of the array in the file.
        change: Converts the file's array to the network's.
        others: Names of further arrays of the file that are passed to `change`.
    """

    name: str
    change: Callable[..., Host] | None = None
    others: tuple[str, ...] = ()

    def taken(self, arrays: Mapping[str, Host]) -> Host:
        """The network's array."""
        array = arrays[self.name]
        return array if self.change is None else self.change(array, *(arrays[name] for name in self.others))


@dataclass(frozen=True)
class Recipe:
    """A network, and the sources of its arrays.

    Attributes:
        network: Makes the network for a number of classes or outputs; the results of `read` are further arguments.
        sources: The source of each array, by path.
        classes: The array of the file whose first axis has this number.
        summary: The call by which a user makes the network, with ``{weights}`` in place of the file.
        model: The options of ``renga predict`` for it.
        arguments: Arguments of the network's class that these weights need; they are saved with them.
        read: Computes further arguments from the file's arrays.
    """

    network: Callable[..., Link]
    sources: Mapping[str, Source]
    classes: str
    summary: str
    model: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    read: Callable[[Mapping[str, Host]], Mapping[str, Any]] = lambda arrays: {}

    @property
    def names(self) -> set[str]:
        """Names of the arrays in the file."""
        return {name for source in self.sources.values() for name in (source.name, *source.others)}


def layer(path: str, name: str, bias: bool = True, change: Callable[[Host], Host] | None = None) -> dict[str, Source]:
    """The sources of a convolution or a fully connected layer that PyTorch has trained.

    Args:
        path: Path of the network's link.
        name: Name of PyTorch's module.
        bias: Whether there is one.
        change: Converts PyTorch's weights.
    """
    return {
        f"{path}/W": Source(f"{name}.weight", change),
        **({f"{path}/b": Source(f"{name}.bias")} if bias else {}),
    }


def batch_normalization(path: str, name: str) -> dict[str, Source]:
    """The sources of a batch normalization that PyTorch has trained; for arguments see `layer`."""
    theirs = {"gamma": "weight", "beta": "bias", "avg_mean": "running_mean", "avg_var": "running_var"}
    return {f"{path}/{ours}": Source(f"{name}.{name_there}") for ours, name_there in theirs.items()}
