"""The examples in the docstrings of `renga_nn` and of the core's operators run, and every public function has one."""

import doctest
import importlib
import pkgutil

import pytest

import renga_core.graph.operators
import renga_nn
import renga_nn.functions

MODULES = sorted(
    module.name
    for package in (renga_nn, renga_core.graph.operators)
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


@pytest.mark.parametrize("name", renga_nn.functions.__all__)
def test_every_function_is_described_and_shown(name):
    function = getattr(renga_nn.functions, name)
    assert function.__doc__
    assert ">>>" in function.__doc__, f"{function.__module__}.{name} has no example"
