import doctest
import importlib
import pkgutil

import pytest

from renga_testing import cases


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(cases.__path__)])
def test_examples_in_docstrings_run(name):
    module = importlib.import_module(f"{cases.__name__}.{name}")
    assert doctest.testmod(module).failed == 0
