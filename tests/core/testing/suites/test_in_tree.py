"""The kits, applied to all that is installed: providers come from the registry, and not from a list."""

import sys

import pytest

from renga_core.plugin import (
    ARRAY_BACKEND,
    COMMUNICATOR,
    EXTENSION,
    KERNEL,
    MODEL,
    OPTIMIZER,
    TRIGGER,
    State,
    get_manager,
    registry,
)
from renga_core.testing.suites import PluginSuite, classes_for
from renga_training.extensions import LogReport

EXTENSION_OPTIONS = {
    "exponential_shift": {"attr": "lr", "rate": 0.9},
    "linear_shift": {"attr": "alpha", "value_range": (0.05, 0.01), "time_range": (2, 6)},
    "step_shift": {"attr": "lr", "gamma": 0.5, "step": 3},
    "plot_report": {"y_keys": ["main/loss"]},
}
TRIGGER_OPTIONS = {
    "interval": {"period": 5, "unit": "iteration"},
    "manual_schedule": {"points": [2, 3.5], "unit": "epoch"},
    "time": {"period": 2.5},
    "min_value": {"key": "main/loss"},
    "max_value": {"key": "validation/main/accuracy"},
    "early_stopping": {"max_trigger": (5, "epoch")},
}


def attributes(table):
    return {f"training:{name}": {"options": options} for name, options in table.items()}


def make_print_report(self):
    """Its log is an extension itself, and each needs one of its own."""
    return self.target(["epoch", "iteration", "main/loss"], LogReport(filename=None))


globals().update(
    {
        f"Test{p.name.title()}Plugin": type(f"Test{p.name.title()}Plugin", (PluginSuite,), {"plugin": p.name})
        for p in get_manager().plugins()
    }
)
for kind in (ARRAY_BACKEND, KERNEL, OPTIMIZER, COMMUNICATOR, MODEL):
    globals().update(classes_for(kind))
globals().update(
    classes_for(EXTENSION, {**attributes(EXTENSION_OPTIONS), "training:print_report": {"make": make_print_report}})
)
globals().update(classes_for(TRIGGER, attributes(TRIGGER_OPTIONS)))


@pytest.mark.parametrize("kind", [ARRAY_BACKEND, KERNEL, OPTIMIZER, COMMUNICATOR, MODEL, EXTENSION, TRIGGER])
def test_every_provider_is_tested(kind):
    tested = {cls.provider for cls in vars(sys.modules[__name__]).values() if getattr(cls, "kind", None) is kind}
    offers = [registry(kind).get(name) for name in registry(kind).names()]
    assert tested == {offer.full_name for offer in offers if offer.probe().state is State.READY}
