"""The kits, applied to all that is installed: providers come from the registry, and not from a list."""

import functools
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
import training_trials

from renga_core.kinds import (
    ARRAY_BACKEND,
    COMMAND,
    COMMUNICATOR,
    DATASET,
    DOCTOR_CHECK,
    EXTENSION,
    FILE_FORMAT,
    FUNCTION,
    FUNCTION_HOOK,
    ITERATOR,
    KERNEL,
    LAUNCHER,
    LINK,
    MODEL,
    OPTIMIZER,
    OPTIMIZER_HOOK,
    TRIGGER,
)
from renga_core.link import Link
from renga_core.plugin import State, get_manager, registry
from renga_testing.suites import PluginSuite, classes_for
from renga_training.extensions import LogReport
from renga_training.tasks import Task


class Told(Task):
    """A task whose samples are text."""

    def samples(self, target, examples):
        return f"{len(examples)} examples"


EXTENSION_OPTIONS = {
    "exponential_shift": {"attr": "lr", "rate": 0.9},
    "linear_shift": {"attr": "alpha", "value_range": (0.05, 0.01), "time_range": (2, 6)},
    "step_shift": {"attr": "lr", "gamma": 0.5, "step": 3},
    "inverse_shift": {"attr": "lr", "gamma": 0.5, "power": 0.7},
    "multistep_shift": {"attr": "lr", "gamma": 0.5, "step_value": (2, 5), "init": None},
    "polynomial_shift": {"attr": "lr", "rate": 2, "max_count": 7},
    "warmup_shift": {"attr": "lr", "warmup_start": 0.001, "warmup_iter": 5, "init": 0.05},
    "cosine_schedule": {"warmup": 0.5, "final": 0.1, "epochs": 3},
    "samples": {"task": Told(), "link": Link(), "examples": [1, 2]},
    "plot_report": {"y_keys": ["main/loss"]},
    "micro_average": {"numerator_key": "main/loss", "denominator_key": "main/accuracy", "result_key": "ratio"},
    "early_stopping": {"monitor": "main/loss", "trigger": (2, "iteration")},
    "dump_graph": {"root_name": "main/loss"},
    "snapshot_best": {"key": "main/loss", "n_retains": 2, "trigger": (2, "iteration")},
    "parameter_statistics": {"links": Link(w=((2, 3), np.float32)), "trigger": (2, "iteration")},
    "variable_statistics_plot": {"targets": Link(w=((2, 3), np.float32)), "max_sample_size": 3},
}
DISTRIBUTED_EXTENSION_OPTIONS = {
    "learning_rate_warmup": {"factor": 4, "warmup_epochs": 1.5},
}
TRIGGER_OPTIONS = {
    "interval": {"period": 5, "unit": "iteration"},
    "manual_schedule": {"points": [2, 3.5], "unit": "epoch"},
    "time": {"period": 2.5},
    "min_value": {"key": "main/loss"},
    "max_value": {"key": "validation/main/accuracy"},
    "early_stopping": {"max_trigger": (5, "epoch")},
}
HOOK_OPTIONS = {
    "gradient_clipping": {"threshold": 1.0},
    "gradient_hard_clipping": {"lower_bound": -1.0, "upper_bound": 1.0},
    "gradient_noise": {"eta": 0.3},
    "lasso": {"rate": 0.1},
    "weight_decay": {"rate": 0.1},
}
ITERATOR_OPTIONS = {
    "multithread": {"n_threads": 2},
    "multiprocess": {"n_processes": 1},
}
MODEL_ATTRIBUTES = {
    "cv:mobilenet_v2": {"options": {"n_out": 10, "depth_multiplier": 0.1}, "example_shape": (3, 32, 32)},
}
OTHER_TASKS = {"detection", "instance_segmentation", "language_modelling", "semantic_segmentation"}
"""What models declare that do not classify; the kit is not for them."""
TOO_LARGE = {f"cv:{name}{depth}" for name in ("resnet", "se_resnet") for depth in (50, 101, 152)}
TOO_LARGE |= {"cv:se_resnext50", "cv:se_resnext101", "cv:vgg16"}
"""tests/cv/links/model/test_image_classifier.py tries each once, with few layers."""
FROM_FILES = {"onnx:onnx"}
"""Models that read a file; tests/onnx/load/test_model.py applies the kit."""
DOWNLOADED = {f"data:{name}" for name in ("mnist", "fashion_mnist", "kuzushiji_mnist", "cifar10", "cifar100", "svhn")}
"""Data sets that are not on this machine; tests/data/datasets tries each with small files of its own."""
FILE_OPTIONS = {
    "data:csv": {"path": "table.csv", "target": "species"},
    "data:text": {"path": "words.txt", "batch_size": 2, "steps": 5, "test_ratio": 0.3},
    "data:image_folder": {"path": "photos", "size": (4, 6)},
    "data:image_files": {"path": "photos", "size": (4, 6), "area": None, "flip": False},
    "cv:boxes_csv": {"path": "boxes.csv", "folder": "photos/a"},
    "cv:coco_json": {"path": "boxes.json", "folder": "photos/a"},
}
"""Data sets that read files, with options to read those of `data_files` by."""
FUNCTION_ATTRIBUTES = {
    "nn:relu": {},
    "nn:exp": {},
    "nn:softmax": {},
    "nn:sum": {"options": {"axis": 1}},
    "nn:maximum": {},
    "nn:linear": {},
    "nn:convolution_2d": {},
    "nn:max_pooling_2d": {},
    "nn:layer_normalization": {},
    "nn:squared_error": {},
    "nn:n_step_gru": {},
}
"""A sample of functions; tests/nn/functions has the kit's test base for each, with references."""
LINK_ATTRIBUTES = {
    "nn:linear": {},
    "nn:convolution_2d": {},
    "nn:batch_normalization": {},
    "nn:maxout": {},
    "nn:highway": {},
    "nn:lstm": {},
}
"""A sample of links; tests/nn/links has the kit's test base for each."""
NUMBERS_OF_RANKS = {
    "mpi:naive": (2, 5),
    "mpi:flat": (3,),
    "mpi:single_node": (4,),
    "mpi:two_dimensional": (3, 5),
    "mpi:non_cuda_aware": (2,),
    "nccl:tcp": (2, 3),
}
"""What MPI's communicators have in common is tried with each number of ranks by the one that is not here."""
WITHOUT_OPTIONS = (
    ARRAY_BACKEND,
    KERNEL,
    OPTIMIZER,
    FILE_FORMAT,
    COMMAND,
    "compiler",
    "converter",
)
"""Kinds whose providers are tried as they are."""


def attributes(table, plugin="training"):
    return {f"{plugin}:{name}": {"options": options} for name, options in table.items()}


def make_print_report(self):
    """Its log is an extension itself, and each needs one of its own."""
    return self.target(["epoch", "iteration", "main/loss"], LogReport(filename=None))


@functools.cache
def data_files():
    """A folder with a table, a text, images in two folders, and boxes in those of one; as long as the process lives."""
    place = tempfile.TemporaryDirectory()
    folder, rng = Path(place.name), np.random.default_rng(0)
    rows = [f"{rng.normal():.3f},{rng.choice(['red', 'blue'])},{number % 3}" for number in range(30)]
    (folder / "table.csv").write_text("\n".join(["height,colour,species", *rows]), encoding="utf-8")
    (folder / "words.txt").write_text("".join(rng.choice(list("abc "), 240)), encoding="utf-8")
    boxes = ["file,x_min,y_min,x_max,y_max,class"]
    for number in range(12):
        file = folder / "photos" / "ab"[number % 2] / f"{number}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        # Pillow is there where a data set that reads images is ready.
        picture = rng.integers(0, 256, (8, 9 + number, 3), np.uint8)
        __import__("PIL.Image").Image.fromarray(picture).save(file)
        if number % 2 == 0:
            boxes += [f"{file.name},{left},1,{left + 3},6,dog" for left in range(number // 2)] or [f"{file.name},,,,,"]
    (folder / "boxes.csv").write_text("\n".join(boxes), encoding="utf-8")
    (folder / "boxes.json").write_text(json.dumps(as_coco(boxes[1:])), encoding="utf-8")
    return place, folder


def as_coco(rows):
    """Rows of a table of boxes, as a document in COCO's format."""
    cells = [row.split(",") for row in rows]
    names = sorted({file for file, *_ in cells})
    annotations = [
        {"image_id": names.index(file), "category_id": 1, "bbox": [int(left), 1, 3, 5]}
        for file, left, *_ in cells
        if left
    ]
    images = [{"id": number, "file_name": name} for number, name in enumerate(names)]
    return {"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "dog"}]}


def make_of_files(self):
    """Paths are of files that are written when the first test runs."""
    _, folder = data_files()
    places = {key: str(folder / value) for key, value in self.options.items() if key in ("path", "folder")}
    return self.target(**{**self.options, **places})


def of_shapes(shapes):
    """A method `make_inputs`."""
    return lambda self, rng, dtype: tuple(rng.uniform(0.2, 2, shape).astype(dtype) for shape in shapes)


def sample_of(kind, table):
    """The kits of some providers of a kind."""
    given = {name: {"make_inputs": of_shapes(row["inputs"])} if "inputs" in row else row for name, row in table.items()}
    return {name: suite for name, suite in classes_for(kind, given).items() if getattr(suite, "provider", "") in table}


globals().update(
    {
        f"Test{p.name.title()}Plugin": type(f"Test{p.name.title()}Plugin", (PluginSuite,), {"plugin": p.name})
        for p in get_manager().plugins()
    }
)
for kind in WITHOUT_OPTIONS:
    globals().update(classes_for(kind))
MODEL_OFFERS = [registry(MODEL).get(name) for name in registry(MODEL).names()]
NOT_TRIED = TOO_LARGE | FROM_FILES | DOWNLOADED
NOT_TRIED |= {offer.full_name for offer in MODEL_OFFERS if offer.provider.capabilities & OTHER_TASKS}
suites = classes_for(MODEL, MODEL_ATTRIBUTES)
globals().update({name: suite for name, suite in suites.items() if getattr(suite, "provider", "") not in NOT_TRIED})
globals().update(
    classes_for(
        EXTENSION,
        {
            **attributes(EXTENSION_OPTIONS),
            **attributes(DISTRIBUTED_EXTENSION_OPTIONS, "distributed"),
            "training:print_report": {"make": make_print_report},
        },
    )
)
suites = classes_for(
    DATASET, {name: {"options": options, "make": make_of_files} for name, options in FILE_OPTIONS.items()}
)
globals().update({name: suite for name, suite in suites.items() if getattr(suite, "provider", "") not in NOT_TRIED})
globals().update(classes_for(OPTIMIZER_HOOK, attributes(HOOK_OPTIONS, "optimizers")))
globals().update(classes_for(ITERATOR, attributes(ITERATOR_OPTIONS, "data")))
globals().update(classes_for(COMMUNICATOR, {name: {"sizes": sizes} for name, sizes in NUMBERS_OF_RANKS.items()}))
globals().update(sample_of(FUNCTION, FUNCTION_ATTRIBUTES))
# What is of several kinds may have one name.
globals().update({f"{name}Link": suite for name, suite in sample_of(LINK, LINK_ATTRIBUTES).items()})
triggers = classes_for(TRIGGER, attributes(TRIGGER_OPTIONS))
globals().update({f"{name}Trigger": suite for name, suite in triggers.items()})
updaters = classes_for("updater", training_trials.UPDATERS)
globals().update({f"{name}Updater": suite for name, suite in updaters.items()})
evaluators = classes_for("evaluator", training_trials.EVALUATORS)
globals().update({f"{name}Evaluator": suite for name, suite in evaluators.items()})
globals().update(classes_for("task", training_trials.TASKS))
globals().update({f"{name}FunctionHook": suite for name, suite in classes_for(FUNCTION_HOOK).items()})
globals().update({f"{name}Launcher": suite for name, suite in classes_for(LAUNCHER).items()})
globals().update({f"{name}DoctorCheck": suite for name, suite in classes_for(DOCTOR_CHECK).items()})


@pytest.mark.parametrize(
    "kind",
    [
        *WITHOUT_OPTIONS,
        COMMUNICATOR,
        MODEL,
        DATASET,
        ITERATOR,
        OPTIMIZER_HOOK,
        EXTENSION,
        TRIGGER,
        LAUNCHER,
        FUNCTION_HOOK,
        DOCTOR_CHECK,
        "task",
        "updater",
        "evaluator",
    ],
)
def test_every_provider_is_tested(kind):
    tested = {cls.provider for cls in vars(sys.modules[__name__]).values() if getattr(cls, "kind", None) is kind}
    offers = [registry(kind).get(name) for name in registry(kind).names()]
    ready = {offer.full_name for offer in offers if offer.probe().state is State.READY}
    left_out = NOT_TRIED & ready
    assert tested | left_out == ready
    assert not tested & left_out
