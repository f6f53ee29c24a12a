"""Evaluating a trained network on the test data of its run."""

from __future__ import annotations

from renga.distributed import SingleCommunicator
from renga.iterators import SerialIterator
from renga.run.building import known_to, make_data
from renga.run.trained import Trained
from renga_core.dataset import Dataset
from renga_core.errors import RengaError

__all__ = ["data_of", "evaluate"]


def data_of(trained: Trained) -> tuple[Dataset, Dataset]:
    """Return the training data and test data of a trained network's run.

    Raises:
        RengaError: Means or classes of the data differ from those in training.
    """
    parts, task = trained.parts, trained.task
    try:
        data = make_data(parts.data, task, SingleCommunicator(), trained.description.batch_size)
    except RengaError as error:
        if "path" in parts.data.parameters:
            error.add_note("Next, if the data have moved: --set data.path=PATH")
        raise
    now, kept = getattr(data, "preprocessing", None), task.preprocessing
    if kept is not None and now != kept:
        raise RengaError(
            f"{parts.data.label}: the data are not those that the network was trained on: means, scales or classes "
            "differ from those in preprocessing.json. Next: give the same data, or train again."
        )
    train, test = data
    return train, test


def evaluate(trained: Trained) -> tuple[dict[str, float], int]:
    """Return the metrics of a trained network on the test data of its run, and the number of examples.

    Raises:
        RengaError: Means or classes of the data differ from those in training.
    """
    parts, task, comm = trained.parts, trained.task, SingleCommunicator()
    train, test = data_of(trained)
    converter = parts.converter.make()
    known = known_to(parts.evaluator, comm, task=task, converter=converter, device=trained.device, train=train)
    batches = SerialIterator(test, trained.description.batch_size, repeat=False, shuffle=False)
    found = parts.evaluator.make(batches, trained.target, **known)()
    return {key.removeprefix("main/"): float(value) for key, value in found.items()}, len(test)
