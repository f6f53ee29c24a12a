"""`renga.compile` chooses a compiler through the registry."""

import sys

import numpy as np
import pytest

import renga
from renga_compile.kind import COMPILER
from renga_compile.replay.step import ReplayedStep
from renga_core.plugin import UnknownProvider, registry
from renga_core.tracepoints import side_effect
from renga_testing.fake_distribution import write_distribution

PLUGIN = """
from renga import Provider, hookimpl

@hookimpl
def renga_compilers():
    return [Provider("eager", "acme_eager:Eager", 1, "calls the step")]
"""
EAGER = """
from renga import CompiledStep

class Eager(CompiledStep):
    def __call__(self, *args):
        return self.step(*args)

    def explain(self):
        return "ordinary calls: that is all it does"
"""


def step(x):
    return x


def test_the_default_is_replay():
    assert type(renga.compile(step)) is ReplayedStep
    assert renga.compile(step, "replay").step is step
    assert registry("compiler").kind is COMPILER


def test_an_unknown_one_is_refused():
    with pytest.raises(UnknownProvider, match=r"no compiler named 'reply' .*Did you mean 'replay'\?"):
        renga.compile(step, "reply")


def test_what_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match="takes a function or a Link, not int 3"):
        renga.compile(3)


def test_a_third_partys(tmp_path, monkeypatch, request):
    from renga_core.plugin import PluginManager
    from renga_core.plugin.manager import using_manager

    modules = {"acme_plugin": PLUGIN, "acme_eager": EAGER}
    write_distribution(tmp_path, "acme-eager", modules=modules, entry_points={"acme": "acme_plugin"})
    monkeypatch.syspath_prepend(str(tmp_path))
    request.addfinalizer(lambda: [sys.modules.pop(name, None) for name in modules])
    with using_manager(PluginManager()):
        compiled = renga.compile(step, "eager")
        assert compiled.explain().startswith("ordinary calls")
        with renga.using({"run.compiler": "acme:eager"}):
            assert type(renga.compile(step)).__name__ == "Eager"
        assert np.array_equal(compiled(np.ones(2)), np.ones(2))


def test_a_side_effect_without_a_compiler():
    done = []
    side_effect(lambda: done.append(1))
    assert done == [1]


def test_a_method_is_compiled_for_each_object():
    class Training:
        def __init__(self):
            self.step = renga.compile(self.step)

        def step(self, x):
            return x * 2

    class Decorated:
        @renga.compile
        def step(self, x):
            return x * 2

        alone = renga.compile(lambda x: x * 2)

    assert Training().step(3) == Decorated().alone(3) == 6
    with pytest.raises(TypeError, match=r"in the constructor: self\.step = renga\.compile\(self\.step\)"):
        Decorated().step(3)
