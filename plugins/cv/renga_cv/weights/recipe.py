"""How the arrays of a file become those of a network."""

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
    """Where an array of a network comes from.

    Attributes:
        name: In the file.
        change: Makes the network's array of the file's.
        others: Names of more arrays of the file that `change` takes.
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
    """A network, and where its arrays come from.

    Attributes:
        network: Makes the network for a number of classes, or of outputs; what `read` returns are more arguments.
        sources: For each of its arrays, by path.
        classes: The array of the file whose first axis is that number.
        summary: How the network is made by the user, with ``{weights}`` in place of the file.
        model: What the user says of it to ``renga predict``.
        arguments: Arguments of the network's class that these weights need; they are saved with them.
        read: More of them, which differ from file to file, made of its arrays.
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
        """Of the arrays in the file."""
        return {name for source in self.sources.values() for name in (source.name, *source.others)}


def layer(path: str, name: str, bias: bool = True, change: Callable[[Host], Host] | None = None) -> dict[str, Source]:
    """The sources of a convolution or a fully connected layer that PyTorch has trained.

    Args:
        path: Of the network's link.
        name: Of PyTorch's module.
        bias: Whether there is one.
        change: Makes the weights of PyTorch's.
    """
    return {
        f"{path}/W": Source(f"{name}.weight", change),
        **({f"{path}/b": Source(f"{name}.bias")} if bias else {}),
    }


def batch_normalization(path: str, name: str) -> dict[str, Source]:
    """The sources of a batch normalization that PyTorch has trained; arguments as of `layer`."""
    theirs = {"gamma": "weight", "beta": "bias", "avg_mean": "running_mean", "avg_var": "running_var"}
    return {f"{path}/{ours}": Source(f"{name}.{name_there}") for ours, name_there in theirs.items()}
