"""The kits, applied to all that is installed: providers come from the registry, and not from a list."""

import sys

import numpy as np
import pytest

from renga_core.kinds import ARRAY_BACKEND, COMMUNICATOR, EXTENSION, FILE_FORMAT, KERNEL, MODEL, OPTIMIZER, TRIGGER
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
MODEL_ATTRIBUTES = {
    "cv:mobilenet_v2": {"options": {"n_out": 10, "depth_multiplier": 0.1}, "example_shape": (3, 32, 32)},
}
OTHER_TASKS = {"detection", "instance_segmentation", "semantic_segmentation"}
"""What models declare that do not classify; the kit is not for them."""
TOO_LARGE = {f"cv:{name}{depth}" for name in ("resnet", "se_resnet") for depth in (50, 101, 152)}
TOO_LARGE |= {"cv:se_resnext50", "cv:se_resnext101", "cv:vgg16"}
"""tests/cv/links/model/test_image_classifier.py tries each once, with few layers."""
WITHOUT_OPTIONS = (ARRAY_BACKEND, KERNEL, OPTIMIZER, COMMUNICATOR, FILE_FORMAT, "compiler")
"""Kinds whose providers are tried as they are."""


def attributes(table, plugin="training"):
    return {f"{plugin}:{name}": {"options": options} for name, options in table.items()}


def make_print_report(self):
    """Its log is an extension itself, and each needs one of its own."""
    return self.target(["epoch", "iteration", "main/loss"], LogReport(filename=None))


globals().update(
    {
        f"Test{p.name.title()}Plugin": type(f"Test{p.name.title()}Plugin", (PluginSuite,), {"plugin": p.name})
        for p in get_manager().plugins()
    }
)
for kind in WITHOUT_OPTIONS:
    globals().update(classes_for(kind))
MODEL_OFFERS = [registry(MODEL).get(name) for name in registry(MODEL).names()]
NOT_TRIED = TOO_LARGE | {offer.full_name for offer in MODEL_OFFERS if offer.provider.capabilities & OTHER_TASKS}
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
# An extension and a trigger may have one name.
triggers = classes_for(TRIGGER, attributes(TRIGGER_OPTIONS))
globals().update({f"{name}Trigger": suite for name, suite in triggers.items()})


@pytest.mark.parametrize("kind", [*WITHOUT_OPTIONS, MODEL, EXTENSION, TRIGGER])
def test_every_provider_is_tested(kind):
    tested = {cls.provider for cls in vars(sys.modules[__name__]).values() if getattr(cls, "kind", None) is kind}
    offers = [registry(kind).get(name) for name in registry(kind).names()]
    left_out = NOT_TRIED if kind is MODEL else set()
    assert tested | left_out == {offer.full_name for offer in offers if offer.probe().state is State.READY}
    assert not tested & left_out
