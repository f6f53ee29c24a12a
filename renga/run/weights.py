"""Loading a model by name with a file of weights, without a run."""

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

_BATCH = 8  # the largest networks need a gigabyte for 8 images


def load_network(model: str, weights: str, classes: tuple[str, ...] = ()) -> Network:
    """Make a registered model with the settings ``model.…`` as arguments, and load its weights.

    The model's capabilities name its task; a model without such a capability is a classifier. Its attribute
    `preprocessing`, or else the task, makes inputs from files.

    Args:
        model: Name of the model.
        weights: The file: passed to the model as `pretrained_model` if the model has this parameter, else loaded into
            the model.
        classes: Names of the classes. If given, they set the number of classes.

    Raises:
        RengaPluginError: The model does not exist or cannot be used.
        SettingsError: An argument is unknown or missing.
        RengaError: The file does not exist, it fits another number of classes, or it is unknown how to read inputs.
        FileDamaged, FileMismatched: The file contains no weights, or weights of another model.
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
    """Yield the network with all its weights."""
    own = "pretrained_model" not in part.parameters
    supplied: dict[str, Any] = {} if own else {"pretrained_model": path}
    if "n_out" in part.parameters and "n_out" not in part.arguments and classes:
        supplied["n_out"] = len(classes)
    if "n_out" in part.required and not {"n_out"} & {*part.arguments, *supplied}:
        raise SettingsError(
            f"model.n_out is missing: the number of classes of {part.label}. Next: --set model.n_out=NUMBER, or "
            "give their names: --classes FILE"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error", PartlyLoaded)
        try:
            network = make_model(part, task, **supplied)
            if own:
                load(path, network)
        except PartlyLoaded as warning:
            raise RengaError(f"{warning}. Next: set the number of classes: --set model.n_out=NUMBER") from warning
        except FileDamaged as error:
            error.add_note(f"Next, if another program wrote them: renga weights convert {path} converted.npz")
            raise
        except FileMismatched as error:
            error.add_note(f"The file does not fit {part.label}; it may need other arguments: see --set model.…")
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
        # Table rows and COCO's categories cover all classes, detected or not.
        classes = tuple(map(str, range(int(part.arguments.get("n_out", 0)))))
    return replace(found, classes=classes)
