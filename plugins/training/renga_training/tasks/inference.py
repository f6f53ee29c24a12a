"""What of a trained network is used elsewhere: the network, its inputs and its outputs by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from renga_core.backend import Array
from renga_core.link import Link
from renga_data.preprocessing import ImagePreprocessing, PicturePreprocessing, TablePreprocessing

__all__ = ["Computing", "Inference", "inputs_by_name"]


@dataclass(frozen=True)
class Inference:
    """How a task describes its trained network for an export (`Task.inference`).

    Attributes:
        network: Called with the inputs, in order, it returns the outputs: a Variable, or a tuple of them.
        inputs: Arrays by name, made of examples. They are on the device of the network.
        outputs: Names of the outputs.
        axes: For each input, names of its axes that may have any size, by position.
    """

    network: Link
    inputs: Mapping[str, Array]
    outputs: Sequence[str]
    axes: Mapping[str, Mapping[int, str]]


class Computing(Link):
    """Calls a function, which computes with a link; parameters have the names that they have in that link.

    Args:
        link: Has the parameters.
        function: What is called.
    """

    def __init__(self, link: Link, function: Callable[..., Any]) -> None:
        super().__init__()
        self._link, self._function = link, function

    def forward(self, *inputs: Any) -> Any:
        """What the function returns."""
        return self._function(*inputs)

    def namedlinks(self, skipself: bool = False) -> Iterator[tuple[str, Link]]:
        """The links in the link."""
        return self._link.namedlinks(skipself)


def inputs_by_name(preprocessing: Any, inputs: Sequence[Array]) -> dict[str, Array]:
    """Inputs by a name that says how they were made: ``images``, ``rows`` or ``inputs``; of several, ``images_0`` …."""
    match preprocessing:
        case ImagePreprocessing() | PicturePreprocessing():
            name = "images"
        case TablePreprocessing():
            name = "rows"
        case _:
            name = "inputs"
    return {name if len(inputs) == 1 else f"{name}_{i}": x for i, x in enumerate(inputs)}
