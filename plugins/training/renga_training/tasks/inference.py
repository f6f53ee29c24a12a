"""`Inference`: a trained network with names for its inputs and outputs."""

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
    """How a task describes its trained network for export (`Task.inference`).

    Attributes:
        network: Called with the inputs in order; returns the outputs: a Variable, or a tuple of Variables.
        inputs: Example inputs by name, as arrays on the network's device.
        outputs: Names of the outputs.
        axes: For each input, names of its axes of variable size, by position.
    """

    network: Link
    inputs: Mapping[str, Array]
    outputs: Sequence[str]
    axes: Mapping[str, Mapping[int, str]]


class Computing(Link):
    """Calls a function that uses a link; parameters keep the names that they have in the link.

    Args:
        link: The link with the parameters.
        function: The function.
    """

    def __init__(self, link: Link, function: Callable[..., Any]) -> None:
        super().__init__()
        self._link, self._function = link, function

    def forward(self, *inputs: Any) -> Any:
        """Call the function."""
        return self._function(*inputs)

    def namedlinks(self, skipself: bool = False) -> Iterator[tuple[str, Link]]:
        """Yield the links in the link."""
        return self._link.namedlinks(skipself)


def inputs_by_name(preprocessing: Any, inputs: Sequence[Array]) -> dict[str, Array]:
    """Name inputs after their kind: ``images``, ``rows`` or ``inputs``; if there are several, ``images_0`` …."""
    match preprocessing:
        case ImagePreprocessing() | PicturePreprocessing():
            name = "images"
        case TablePreprocessing():
            name = "rows"
        case _:
            name = "inputs"
    return {name if len(inputs) == 1 else f"{name}_{i}": x for i, x in enumerate(inputs)}
