"""The examples in the docstrings of `renga_nn` run, and every public function has one."""

import doctest
import importlib
import pkgutil

import pytest

import renga_nn
import renga_nn.functions

MODULES = sorted(module.name for module in pkgutil.walk_packages(renga_nn.__path__, "renga_nn."))


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


@pytest.mark.parametrize("name", renga_nn.functions.__all__)
def test_every_function_is_described_and_shown(name):
    function = getattr(renga_nn.functions, name)
    assert function.__doc__
    if function.__module__.startswith("renga_nn."):
        assert ">>>" in function.__doc__, f"{function.__module__}.{name} has no example"
