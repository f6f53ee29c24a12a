"""Every plugin can be disabled, alone and in pairs: what is left works, and what is gone says so.

In one process: each combination has a manager and views of its own. What such a process imports was imported before, so
that the time goes into asking; `test_in_a_process_of_its_own` imports afresh.
"""

import importlib
import itertools
import json
import subprocess
import sys

import pytest

from renga.view import VIEWS, View
from renga_core.plugin import PluginManager, ProviderUnavailable, Registry, State, get_manager, using_manager
from renga_core.settings import using

PLUGINS = sorted(plugin.name for plugin in get_manager().plugins() if plugin.shipped)
PAIRS = list(itertools.combinations(PLUGINS, 2))


def modules(module="renga"):
    importlib.import_module(module)
    return [module, *itertools.chain(*[modules(f"{module}.{name}") for name in VIEWS[module].modules])]


@pytest.fixture(scope="module")
def everything():
    """By module of the face, its names, and the plugin of each; "" for core's."""
    found = {}
    for module in modules():
        view = VIEWS[module]
        found[module] = {name: entry.offer.plugin.name for name, entry in view.public.usable().items()}
        found[module] |= dict.fromkeys(view.own, "")
    return found


def check(disabled, everything):
    with using({"plugins.disable": disabled}), using_manager(PluginManager()) as manager:
        states = {plugin.name: plugin.status.state for plugin in manager.plugins()}
        assert all(state is State.DISABLED for name, state in states.items() if name in disabled)
        assert all(state is State.READY for name, state in states.items() if name not in disabled)
        for kind in manager.kinds().values():
            for offer, status in Registry(kind, manager).list():
                assert offer.plugin.name not in disabled
                assert status.state in (State.READY, State.UNAVAILABLE), (offer, status)
        assert manager.problems() == ()
        for module, names in everything.items():
            assert set(VIEWS[module].public.usable()) >= {
                name for name, plugin in names.items() if plugin and plugin not in disabled
            }


@pytest.mark.parametrize("disabled", [*((name,) for name in PLUGINS), *PAIRS], ids="+".join)
def test_the_rest_is_there(disabled, everything):
    check(disabled, everything)


@pytest.mark.parametrize("plugin", PLUGINS)
def test_each_of_its_names_says_so(plugin, everything):
    with using({"plugins.disable": (plugin,)}), using_manager(PluginManager()):
        for module, names in everything.items():
            view = View(module, {}, "")  # one that has kept nothing
            for name in [name for name, owner in names.items() if owner == plugin]:
                with pytest.raises(ProviderUnavailable) as caught:
                    view.get(name)
                assert str(caught.value).startswith(f"{module}.{name} cannot be used: plugin '{plugin}' (renga ")
                assert str(caught.value).endswith(f"Next: Remove '{plugin}' there to use it.")


LEFT = """
import json
import numpy as np
import renga
from renga_core.plugin import RengaPluginError
told = {}
def attempt(name, work):
    try:
        work()
        told[name] = "done"
    except (RengaPluginError, TypeError) as error:
        told[name] = str(error)
def compute():
    x = renga.Variable(np.ones(3, np.float32))
    y = renga.functions.sum(renga.functions.relu(x) * 2)
    y.backward()
    assert x.grad.tolist() == [2, 2, 2]
def train():
    link = renga.links.Linear(2, 1)
    optimizer = renga.optimizers.SGD(lr=0.1).setup(link)
    optimizer.update(lambda: renga.functions.sum(link(np.ones((1, 2), np.float32))))
attempt("compute", compute)
attempt("train", train)
attempt("data", lambda: renga.iterators.SerialIterator(renga.datasets.TupleDataset([1, 2]), 1).next())
attempt("loop", lambda: renga.training.Trainer)
attempt("ranks", lambda: renga.distributed.create_communicator("single"))
attempt("hdf5", lambda: renga.serializers.save_hdf5)
attempt("npz", lambda: renga.serializers.save("model", renga.Chain()))
attempt("snapshot", lambda: renga.training.extensions.snapshot())
print(json.dumps(told))
"""
NEEDS = {
    "compute": {"nn", "numpy"},
    "train": {"nn", "numpy", "optimizers"},
    "data": {"data"},
    "loop": {"training"},
    "ranks": {"distributed"},
    "hdf5": {"serializers"},
    "npz": {"serializers"},
    "snapshot": {"serializers", "training"},
}


@pytest.mark.parametrize("plugin", PLUGINS)
def test_in_a_process_of_its_own(shell, plugin):
    environment = {**shell.environment, "RENGA_PLUGINS_DISABLE": plugin}
    done = subprocess.run(
        [sys.executable, "-c", LEFT], capture_output=True, text=True, cwd=shell.folder, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    for name, needed in NEEDS.items():
        if plugin in needed:
            assert "disabled" in told[name], (name, told[name])
        else:
            assert told[name] == "done", (name, told[name])
