"""The examples in the docstrings of `renga_data` run."""

import doctest
import importlib
import pkgutil

import pytest

import renga_data

MODULES = sorted(module.name for module in pkgutil.walk_packages(renga_data.__path__, "renga_data."))


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
