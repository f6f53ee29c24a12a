"""Applying a trained network to raw values, with named results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from os import PathLike, fspath
from threading import Lock
from typing import Any

from renga.dataset import PicturePreprocessing
from renga.run.freezing import freezing
from renga.run.trained import Network, load_trained, using_run_folder
from renga.training import Task
from renga_core.errors import RengaError
from renga_core.link import Link

__all__ = ["Predictor", "load"]

Row = dict[str, Any]


def load(folder: str | PathLike[str], *, weights: str = "best", backend: str | None = None) -> Predictor:
    """Load a trained network from a run's folder, with its preprocessing::

        network = renga.load("result")
        network("seven.png")            # [{"input": "seven.png", "class": "7", "probability": 0.998}]
        network(pixels)                 # {"class": "7", "probability": 0.998}

    Args:
        folder: The folder that `renga train` wrote.
        weights: ``"best"``, or ``"last"`` for the newest snapshot.
        backend: The backend: ``"numpy"``, ``"cupy:0"``; None: as in training.

    Raises:
        RengaError: The folder holds no run, or the run has no weights.
    """
    words = {} if backend is None else {"run.backend": ("renga.load(backend=…)", backend)}
    if weights not in ("best", "last"):
        raise RengaError(f"weights is {weights!r}, and must be 'best' or 'last'")
    with using_run_folder(fspath(folder), words) as run:
        return Predictor(load_trained(run, fspath(folder), weights))


class Predictor:
    """A trained network that takes raw values: files, images, rows of tables.

    Several threads may call it. It computes one batch at a time, in test mode, without a graph.

    Args:
        network: The network.

    Attributes:
        network: The network as given.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self._target = network.target
        self._lock = Lock()

    def freeze(self) -> None:
        """From the fourth batch on, compute with a frozen model (`renga.inference`), if there is one for this network.

        Call it if the weights will not change any more. Results differ by rounding.
        """
        self._target = freezing(self.network.target)

    @property
    def task(self) -> Task:
        """The task that the network is trained for."""
        return self.network.task

    @property
    def model(self) -> Link:
        """The underlying link, which takes arrays."""
        return self.network.model

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes; empty if there are no classes or no names."""
        return tuple(getattr(self.task.preprocessing, "classes", ()))

    def __call__(self, value: Any) -> Any:
        """Predict a value or a list of values.

        Args:
            value: The path of a file; a Pillow image, or an array of its pixels, uint8 (height, width) or (height,
                width, 3); a row of a table, as a dictionary; or a list of these.

        Returns:
            For an image or a row, a dictionary by name. For a file, a list of dictionaries, because a CSV file may have
            many rows. For a list of values, one list with the results in the same order.

        Raises:
            TypeError: The network does not take values of this type.
            RengaError: The file or value cannot be used, or the run does not define its preprocessing.
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
        """Make the network's input from a raw value: an image or a row."""
        preprocessing = self._preprocessing()
        if not hasattr(preprocessing, "prepare"):
            raise RengaError(
                f"{type(preprocessing).__name__} can only read files, by its method read. "
                "Next: give the path of a file, or define prepare(value)."
            )
        with self.network.using():
            return preprocessing.prepare(value)

    def files(self, paths: Iterable[str]) -> Iterator[Row]:
        """Predict the examples in files, batch by batch; each result contains its name as ``"input"``."""
        names: list[str] = []

        def inputs() -> Iterator[Any]:
            for name, example in self.read(paths):
                names.append(name)
                yield example

        for number, row in enumerate(self.rows(inputs())):
            yield {"input": names[number], **row}

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, Any]]:
        """Yield the name and the input of each example in files.

        Raises:
            RengaError: The data set of the run does not say how to read files.
        """
        preprocessing = self._preprocessing()
        return (example for path in paths for example in preprocessing.read(path))

    def rows(self, inputs: Iterable[Any]) -> Iterator[Row]:
        """Predict inputs, in batches."""
        network = self.network
        convert = network.converter.make()
        # Images keep their sizes, which may differ, so they do not fit into one batch.
        size = 1 if isinstance(self.task.preprocessing, PicturePreprocessing) else network.description.batch_size
        waiting = iter(inputs)
        while True:
            with self._lock, network.using():
                batch = list(islice(waiting, size))
                made = self.task.predict(self._target, convert(batch, network.device)) if batch else []
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
