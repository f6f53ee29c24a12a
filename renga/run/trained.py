"""Loading a trained network from a run's folder."""

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
from renga.run.folder import COPY, PREPROCESSING, not_a_run, snapshot_store
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
        description: Description of the run, or a partial one if there is no run.
        task: The task that the network is trained for.
        model: The network.
        target: The trained link: the network and its loss.
        converter: Makes arrays from a batch of inputs.
        device: The device of the network.
        weights: Describes which weights were loaded.
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
        """Compute in test mode, without a graph, in the run's dtype, while the block runs."""
        dtype = numpy_dtype(self.description.dtype)
        with using_config("train", False), using_config("dtype", dtype), no_backprop_mode(), using_device(self.device):
            yield


@dataclass(frozen=True)
class Trained(Network):
    """A network that a run has trained.

    Attributes:
        parts: Parts of the run.
    """

    parts: RunParts


def is_run(folder: str) -> bool:
    """Whether this path is the folder of a run, or the run file in such a folder."""
    path = _run_file(folder)
    return path.is_file() and path.name == COPY


def _run_file(folder: str) -> Path:
    return Path(folder, COPY) if Path(folder).is_dir() else Path(folder)


@contextmanager
def using_run_folder(folder: str, words: Mapping[str, tuple[str, Any]] | None = None) -> Iterator[RunDescription]:
    """Use the run file of a run's folder as a layer of settings, below the command line, and yield the run.

    Args:
        folder: The folder, or the run file in it.
        words: Settings of the command line.

    Raises:
        RengaError: The folder holds no run.
    """
    path = _run_file(folder)
    if not is_run(folder):
        raise not_a_run(folder, f"no {COPY}")
    with using_run_file(read_run(str(path))), using_command_line(words or {}):
        yield describe()


def load_trained(run: RunDescription, folder: str, weights: str = "best") -> Trained:
    """Make the network of a run, and load its trained weights.

    Args:
        run: The run.
        folder: Its folder, or the run file in it.
        weights: ``"best"``: weights of the snapshot kept by ``run.keep_best``, or kept by the extension
            `snapshot_best`, or else the last weights. ``"last"``: weights of the newest snapshot, averaged if the run
            has a moving average.

    Raises:
        RengaError: The folder holds no weights.
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
    """Load the newest undamaged snapshot, or the best one that it names; return its file."""
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
    """The name of the best file, from the state of `snapshot_best`."""
    value = stored.item()
    files = json.loads(value.decode() if isinstance(value, bytes) else str(value))
    return str(files[0][1]) if files else None
