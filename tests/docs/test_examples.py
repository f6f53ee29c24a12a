"""The examples of the API reference run. Those of renga_nn, renga_data and renga_cv are run beside their own tests."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import warnings

import names
import pytest

import renga_optimizers

MODULES = sorted(module.name for module in pkgutil.walk_packages(renga_optimizers.__path__, "renga_optimizers."))
PUBLIC = {name.full: name for module in names.modules() for name in names.public_names(module)}


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_optimizers(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", names.examples())
def test_examples_of_the_reference(name: str) -> None:
    if name.startswith("renga.onnx."):
        pytest.importorskip("onnx", reason="the example writes an ONNX file")
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    globs = {PUBLIC[name].name: PUBLIC[name].load()}
    test = parser.get_doctest(names.examples()[name], globs, name, str(names.EXAMPLES), 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert test.examples
        assert runner.run(test).failed == 0


def test_no_example_stands_in_two_places() -> None:
    assert [name for name in names.examples() if ">>>" in names.Entity(PUBLIC[name]).doc] == []
