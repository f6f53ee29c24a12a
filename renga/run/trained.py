"""A network that a run has trained, taken from the run's folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from renga.dataset import read_preprocessing
from renga.run.building import make_model
from renga.run.device import find_device
from renga.run.folder import COPY, PREPROCESSING, snapshot_store
from renga.run.part import Part
from renga.run.precision import numpy_dtype
from renga.run.run_file import RunDescription, describe
from renga.run.run_parts import RunParts, find_parts
from renga.run.shipped import read_run
from renga.serializers import load_npz, open_archive
from renga.training import Task
from renga.training.snapshots import Best
from renga_core.backend import Device, using_device
from renga_core.configuration import using_config
from renga_core.errors import RengaError
from renga_core.graph import no_backprop_mode
from renga_core.link import Link
from renga_core.settings import using_command_line, using_run_file

__all__ = ["Network", "Trained", "is_run", "load_trained", "using_run_folder"]

_BEST = "extensions/snapshot_best/best"
_AVERAGE = "extensions/moving_average/average"


@dataclass(frozen=True)
class Network:
    """A network with its weights, ready to predict.

    Attributes:
        description: Of the run, or of as much of one as there is.
        task: What it is trained for.
        model: The network.
        target: The link that is trained: the network and its loss.
        converter: Makes arrays of a batch of inputs.
        device: Where it is.
        weights: Which weights it has, in words.
    """

    description: RunDescription
    task: Task
    model: Link
    target: Link
    converter: Part
    device: Device
    weights: str

    @contextmanager
    def using(self) -> Iterator[None]:
        """Compute as a trained network does: in test mode, without a graph, in the run's dtype."""
        dtype = numpy_dtype(self.description.dtype)
        with using_config("train", False), using_config("dtype", dtype), no_backprop_mode(), using_device(self.device):
            yield


@dataclass(frozen=True)
class Trained(Network):
    """A network that a run has trained.

    Attributes:
        parts: Of the run.
    """

    parts: RunParts


def is_run(folder: str) -> bool:
    """Whether this is the folder of a run, or the run file in one."""
    path = _run_file(folder)
    return path.is_file() and path.name == COPY


def _run_file(folder: str) -> Path:
    return Path(folder, COPY) if Path(folder).is_dir() else Path(folder)


@contextmanager
def using_run_folder(folder: str, words: Mapping[str, tuple[str, Any]] | None = None) -> Iterator[RunDescription]:
    """Let the run file in a run's folder speak, below the command line, and give the run that it describes.

    Args:
        folder: The folder, or the run file in it.
        words: What the command line says.

    Raises:
        RengaError: There is no run in the folder.
    """
    path = _run_file(folder)
    if not is_run(folder):
        raise RengaError(
            f"{folder} is not a folder of a run: there is no {COPY} in it. "
            "Next: give the folder that `renga train` has written."
        )
    with using_run_file(read_run(str(path))), using_command_line(words or {}):
        yield describe()


def load_trained(run: RunDescription, folder: str, weights: str = "best") -> Trained:
    """Make the network of a run, and give it the weights that the run has found.

    Args:
        run: The run.
        folder: Its folder, or the run file in it.
        weights: ``"best"``: those of the snapshot that ``run.keep_best`` is about, or those that the extension
            `snapshot_best` has kept, or the last where the run has neither;
            ``"last"``: those of the newest snapshot, averaged where the run has a moving average.

    Raises:
        RengaError: There are no weights in the folder.
    """
    place = Path(folder) if Path(folder).is_dir() else Path(folder).parent
    notes: list[str] = []
    parts = find_parts(run, notes)
    device = find_device(run, notes)
    task = parts.task.make()
    if Path(place, PREPROCESSING).is_file():
        task.preprocessing = read_preprocessing(Path(place, PREPROCESSING))
    with using_config("dtype", numpy_dtype(run.dtype)), using_device(device):
        model = make_model(parts.model, task)
        target = task.target(model)
        target.to_device(device)
    found = _load_weights(place, task, target, weights, run.keep_best)
    return Trained(run, task, model, target, parts.converter, device, found, parts)


def _load_weights(place: Path, task: Task, target: Link, weights: str, keep_best: str | None) -> str:
    """Load the weights of the newest undamaged snapshot, or of the best that it names; return their file."""
    store = snapshot_store(place)
    best_snapshots = Best(keep_best).choose(store.find()) if keep_best is not None and weights == "best" else []
    loaded: list[str] = []

    def load(path: Path) -> None:
        with open_archive(path) as archive:
            best = _best(archive[_BEST]) if _BEST in archive else None
            averaged = any(name.startswith(f"{_AVERAGE}/") for name in archive)
        if not best_snapshots and weights == "best" and best is not None and Path(place, best).is_file():
            load_npz(Path(place, best), target)
            loaded.append(str(Path(place, best)))
            return
        for name, link in task.optimized(target).items():
            load_npz(path, link, path=f"updater/model:{name}")
        if averaged:
            load_npz(path, task.optimized(target)["main"], path=_AVERAGE)
        loaded.append(f"{path}, moving average" if averaged else str(path))

    if best_snapshots:
        load(best_snapshots[0].path)
    elif store.load_newest(load) is None:
        raise RengaError(f"there is no snapshot in {place}: nothing has been trained there yet.")
    return loaded[0]


def _best(stored: Any) -> str | None:
    """The name of the best file, as the state of `snapshot_best` has it."""
    value = stored.item()
    files = json.loads(value.decode() if isinstance(value, bytes) else str(value))
    return str(files[0][1]) if files else None
