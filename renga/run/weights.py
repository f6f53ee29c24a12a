"""A network by the name of its model, with a file of weights: no run has trained it here."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from renga.dataset import PicturePreprocessing
from renga.run.building import make_model
from renga.run.device import find_device
from renga.run.part import Part, find_part
from renga.run.precision import numpy_dtype
from renga.run.run_file import Choice, RunDescription
from renga.run.trained import Network
from renga.training import Task
from renga_core.backend import using_device
from renga_core.configuration import using_config
from renga_core.errors import RengaError
from renga_core.kinds import MODEL
from renga_core.link import Link
from renga_core.plugin import get_manager, registry
from renga_core.serializers import FileDamaged, FileMismatched, PartlyLoaded, load
from renga_core.settings import SettingsError, lookup, section
from renga_serializers.paths import find_file

__all__ = ["load_network"]

_BATCH = 8  # the largest networks need a gigabyte for so many pictures


def load_network(model: str, weights: str, classes: tuple[str, ...] = ()) -> Network:
    """Make a registered model, with the arguments that the settings ``model.…`` say, and load its weights.

    What it is for follows from the model: one of its capabilities is the name of a task; one without is a classifier.
    How files become inputs, its attribute `preprocessing` says, or else the task.

    Args:
        model: Its name.
        weights: The file: what the model takes as `pretrained_model`; where it does not, its own parameters.
        classes: Names of the classes. Where they are given, the number of classes is that of names.

    Raises:
        RengaPluginError: There is no such model, or it cannot be used.
        SettingsError: An argument is unknown or missing.
        RengaError: There is no such file, or it is of a network of another size; or nothing tells how inputs are read.
        FileDamaged, FileMismatched: The file is none of weights, or of another model.
    """
    run = _describe(model)
    part = find_part(MODEL, run.model, "model", run, supplied=["communicator"], known_later=["n_out"])
    path = find_file(weights, ".npz")
    if not Path(path).is_file():
        what = "that is a folder" if Path(path).is_dir() else "there is no such file"
        raise RengaError(f"--weights {weights}: {what}.")
    kind = get_manager().kind
    task: Task = find_part(kind("task"), run.task, "task", run).make()
    converter = find_part(kind("converter"), Choice(task.converter), "converter", run)
    device = find_device(run, [])
    with using_config("dtype", numpy_dtype(run.dtype)), using_device(device):
        network = _load(part, path, task, classes)
        task.preprocessing = _preprocessing(part, network, task, classes)
        target = task.target(network)
        target.to_device(device)
    return Network(run, task, network, target, converter, device, path)


def _describe(model: str) -> RunDescription:
    arguments = section("model")
    tasks = registry("task").names()
    known = registry(MODEL).select(model, origin="command line").offer.provider.capabilities
    backend, dtype = lookup("run.backend"), lookup("run.dtype")
    return RunDescription(
        model=Choice(model, {name: setting.value for name, setting in arguments.items()}),
        task=Choice(next((task for task in tasks if task in known), "classification")),
        data=Choice(""),
        optimizer=Choice(""),
        batch_size=_BATCH,
        backend=backend.value,
        dtype=dtype.value,
        origins={
            "model.use": "command line",
            **{setting.key: setting.origin for setting in (backend, dtype, *arguments.values())},
        },
    )


def _load(part: Part, path: str, task: Task, classes: tuple[str, ...]) -> Link:
    """The network with its weights: all of them."""
    own = "pretrained_model" not in part.parameters
    supplied: dict[str, Any] = {} if own else {"pretrained_model": path}
    if "n_out" in part.parameters and "n_out" not in part.arguments and classes:
        supplied["n_out"] = len(classes)
    if "n_out" in part.required and not {"n_out"} & {*part.arguments, *supplied}:
        raise SettingsError(
            f"model.n_out is missing: the number of classes of {part.label}. Next: --set model.n_out=NUMBER, or "
            "their names: --classes FILE"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error", PartlyLoaded)
        try:
            network = make_model(part, task, **supplied)
            if own:
                load(path, network)
        except PartlyLoaded as warning:
            raise RengaError(f"{warning}. Next: say how many classes there are: --set model.n_out=NUMBER") from warning
        except FileDamaged as error:
            error.add_note(f"Next, if another program has trained them: renga weights convert {path} converted.npz")
            raise
        except FileMismatched as error:
            error.add_note(f"It is not a file of {part.label}, or of one with other arguments: see --set model.…")
            raise
    return network


def _preprocessing(part: Part, network: Link, task: Task, classes: tuple[str, ...]) -> Any:
    found = getattr(network, "preprocessing", None) or task.preprocessing
    if found is None:
        raise RengaError(
            f"{part.label} does not say how to make inputs from files; only a run does. Next: train it and give the "
            "folder of the run. Without a run, only models for photographs can be used."
        )
    if not classes and isinstance(found, PicturePreprocessing):
        # Rows and COCO's categories are for all classes, found or not.
        classes = tuple(map(str, range(int(part.arguments.get("n_out", 0)))))
    return replace(found, classes=classes)
