"""The examples in the docstrings of `renga_cv` run."""

import doctest
import importlib
import pkgutil

import renga_cv


def test_examples():
    names = [module.name for module in pkgutil.walk_packages(renga_cv.__path__, "renga_cv.")]
    failed = {name: doctest.testmod(importlib.import_module(name)).failed for name in sorted(names)}
    assert not [name for name, count in failed.items() if count]
