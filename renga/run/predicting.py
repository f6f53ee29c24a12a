"""Applying a trained network: raw values go in, results with names come out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from os import PathLike, fspath
from threading import Lock
from typing import Any

from renga.dataset import PicturePreprocessing
from renga.run.trained import Network, load_trained, using_run_folder
from renga.training import Task
from renga_core.errors import RengaError
from renga_core.link import Link

__all__ = ["Predictor", "load"]

Row = dict[str, Any]


def load(folder: str | PathLike[str], *, weights: str = "best", backend: str | None = None) -> Predictor:
    """Load the network that a run has trained, with all that its inputs need::

        network = renga.load("result")
        network("seven.png")            # [{"input": "seven.png", "class": "7", "probability": 0.998}]
        network(pixels)                 # {"class": "7", "probability": 0.998}

    Args:
        folder: What `renga train` has written.
        weights: ``"best"``, or ``"last"``: those of the newest snapshot.
        backend: Where to compute: ``"numpy"``, ``"cupy:0"``; as in training if None.

    Raises:
        RengaError: There is no run in the folder, or it has no weights.
    """
    words = {} if backend is None else {"run.backend": ("renga.load(backend=…)", backend)}
    if weights not in ("best", "last"):
        raise RengaError(f"weights is {weights!r}, and must be 'best' or 'last'")
    with using_run_folder(fspath(folder), words) as run:
        return Predictor(load_trained(run, fspath(folder), weights))


class Predictor:
    """A trained network that takes raw values: files, images, rows of tables.

    Several threads may call it: it computes one batch after the other, in test mode, without a graph.

    Args:
        network: The network.

    Attributes:
        network: As given.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self._lock = Lock()

    @property
    def task(self) -> Task:
        """What it is trained for."""
        return self.network.task

    @property
    def model(self) -> Link:
        """The network itself, which takes arrays."""
        return self.network.model

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes; empty if there are none, or if they have no names."""
        return tuple(getattr(self.task.preprocessing, "classes", ()))

    def __call__(self, value: Any) -> Any:
        """Predict.

        Args:
            value: The path of a file; an image of Pillow's, or an array of its pixels, uint8 (height, width) or
                (height, width, 3); a row of a table, as a dictionary; or a list of these.

        Returns:
            For an image or a row, a dictionary by name. For a file, a list of these, for a CSV file may have many rows.
            For a list of values, a list in the same order, with those of a file in a row.

        Raises:
            TypeError: The network takes nothing like it.
            RengaError: The file or the value cannot be used; or the run does not tell how inputs are made.
        """
        if isinstance(value, str | PathLike):
            return list(self.files([fspath(value)]))
        if not isinstance(value, Sequence):
            return next(self.rows([self.prepare(value)]))
        found: list[Row] = []
        for each in value:
            result = self(each)
            found += result if isinstance(result, list) else [result]
        return found

    def prepare(self, value: Any) -> Any:
        """Make an input of one raw value: an image, or a row."""
        preprocessing = self._preprocessing()
        if not hasattr(preprocessing, "prepare"):
            raise RengaError(
                f"{type(preprocessing).__name__} makes inputs of files only, by its method read. "
                "Next: give the path of a file, or define prepare(value)."
            )
        with self.network.using():
            return preprocessing.prepare(value)

    def files(self, paths: Iterable[str]) -> Iterator[Row]:
        """Predict the examples in files, batch by batch: a row for each, with its name as ``"input"``."""
        names: list[str] = []

        def inputs() -> Iterator[Any]:
            for name, example in self.read(paths):
                names.append(name)
                yield example

        for number, row in enumerate(self.rows(inputs())):
            yield {"input": names[number], **row}

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, Any]]:
        """The name and the input of each example in files.

        Raises:
            RengaError: The data set of the run does not tell how to make them.
        """
        preprocessing = self._preprocessing()
        return (example for path in paths for example in preprocessing.read(path))

    def rows(self, inputs: Iterable[Any]) -> Iterator[Row]:
        """Predict inputs, in batches."""
        network = self.network
        convert = network.converter.make()
        # Pictures are read in the sizes they have, which do not fit into one batch.
        size = 1 if isinstance(self.task.preprocessing, PicturePreprocessing) else network.description.batch_size
        waiting = iter(inputs)
        while True:
            with self._lock, network.using():
                batch = list(islice(waiting, size))
                made = self.task.predict(network.target, convert(batch, network.device)) if batch else []
            if not batch:
                return
            yield from made

    def _preprocessing(self) -> Any:
        if self.task.preprocessing is None:
            raise RengaError(
                f"data set '{self.network.description.data.use}' cannot read inputs from files. "
                "These can: csv, image_folder, digits. "
                "To add this to your own data set, see docs/how-to/write-a-task.md"
            )
        return self.task.preprocessing
