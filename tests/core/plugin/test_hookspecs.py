"""The documentation of a hook is a plugin to paste, and its signature is the real one."""

import inspect
import itertools
import textwrap
import types

import pytest

from renga_core.kinds import CORE_KINDS, NAMESPACE
from renga_core.plugin import Kind, PluginManager
from renga_core.plugin.events import EVENTS
from renga_core.plugin.hookspecs import hook_of, renga_kinds, specification
from renga_core.plugin.state import State

SPECIFICATIONS = [*map(hook_of, CORE_KINDS), renga_kinds, *EVENTS]


def example(function) -> str:
    """The last literal block of a docstring."""
    block = inspect.getdoc(function).rpartition("::\n\n")[2]
    indent = block[: len(block) - len(block.lstrip())]
    lines = itertools.takewhile(lambda line: not line or line.startswith(indent), block.splitlines())
    return textwrap.dedent("\n".join(lines))


@pytest.mark.parametrize("specified", SPECIFICATIONS, ids=lambda function: function.__name__)
def test_documented_plugin_works_as_it_stands(specified) -> None:
    module = types.ModuleType("pasted")
    exec(example(specified), vars(module))
    manager = PluginManager(list)
    manager.register("pasted", module)
    assert [plugin.status.state for plugin in manager.plugins()] == [State.READY]
    assert manager.problems() == ()
    implementation = getattr(module, specified.__name__)
    documented, real = inspect.signature(implementation), inspect.signature(specified)
    assert list(documented.parameters) == list(real.parameters)
    for kind in CORE_KINDS:
        name = "renga.optimizers" if kind is NAMESPACE else "acme"
        offers = manager.offers(kind)
        assert [offer.name for offer in offers] == ([name] if kind.hook == specified.__name__ else [])
    assert manager.problems() == ()
    if specified is renga_kinds:
        assert manager.kind("detector").hook == "renga_detectors"


@pytest.mark.parametrize("specified", SPECIFICATIONS, ids=lambda function: function.__name__)
def test_every_argument_is_documented(specified) -> None:
    documentation = inspect.getdoc(specified)
    assert documentation.splitlines()[0].endswith(".")
    for name in inspect.signature(specified).parameters:
        assert f"    {name}: " in documentation


def test_a_row_is_all_that_a_hook_needs() -> None:
    kind = Kind("segmenter", summary="a callable that returns a segmenter", revisions=(1, 2))
    hooks = specification([kind])
    assert hooks.renga_segmenters.__name__ == "renga_segmenters"
    assert "Describe the providers of kind ``segmenter``: a callable that returns a segmenter." in (
        hooks.renga_segmenters.__doc__
    )
    assert "revision=2" in hooks.renga_segmenters.__doc__
