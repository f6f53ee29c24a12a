"""The examples of the API reference run. Those of the packages `ELSEWHERE` are run beside their own tests."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import names
import numpy as np
import pytest
import stand_ins

import renga
import renga_optimizers
from renga.iterators import SerialIterator
from renga.links import Classifier, Linear
from renga.optimizers import SGD
from renga.training import StandardUpdater, Trainer
from renga_data.datasets import remote
from renga_nn.initializers import normal

OPTIONAL = {
    "renga.onnx.": "onnx",
    "hdf5": "h5py",
    "HDF5": "h5py",
    "safetensors": "safetensors",
    "renga.onnx.check": "onnxruntime",
    "renga.onnx.Report": "onnxruntime",
    "renga.onnx.NotTheSame": "onnxruntime",
    "language.Tokenizer": "tokenizers",
    "distribution_unittest": "scipy",
    "renga.cv.utils": "PIL",
    "matplotlib": "matplotlib",
    "scale_model.draw": "matplotlib",
    "PlotReport": "matplotlib",
    "VariableStatisticsPlot": "matplotlib",
}
"""Parts of a name, or of what an example imports, and the library that is then needed."""
WITH_FILES = (
    ".dataset",
    "download_model",
    "renga.language.load_llama",
    "renga.links.CaffeFunction",
    "renga.load",
    "renga.run.",
)
"""Parts of names whose examples read files of `stand_ins`."""
ELSEWHERE = {"renga_nn", "renga_data", "renga_cv", "renga_testing"}
PUBLIC = {name.full: name for module in names.modules() for name in names.public_names(module)}


MODULES = sorted(module.name for module in pkgutil.walk_packages(renga_optimizers.__path__, "renga_optimizers."))


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_optimizers(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_examples_of_docstrings() -> None:
    """Of public names whose examples no other test runs."""
    pytest.importorskip("onnx", reason="the names of renga.onnx cannot be imported without it")
    entities = [names.Entity(name) for name in PUBLIC.values()]
    modules = {getattr(it.value, "__module__", it.name.home) for it in entities if ">>>" in it.doc}
    mine = [name for name in sorted(modules) if name.partition(".")[0] not in {*ELSEWHERE, "renga_optimizers"}]
    assert mine
    assert [name for name in mine if doctest.testmod(importlib.import_module(name)).failed] == []


def a_trainer(folder: Path) -> Trainer:
    """Trains for two epochs; reports main/loss, main/accuracy, main/correct and main/total."""
    data = [(np.full(3, i, np.float32), np.int32(i % 2)) for i in range(8)]
    model = Classifier(Linear(3, 2))
    optimizer = SGD(lr=0.1).setup(model)
    updater = StandardUpdater(SerialIterator(data, 4), optimizer)
    trainer = Trainer(updater, (2, "epoch"), out=str(folder))
    trainer.extend(
        lambda trainer: renga.report({"main/correct": 1, "main/total": 2}), name="counts", trigger=(1, "iteration")
    )
    return trainer


@pytest.fixture(scope="module")
def data_files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder with files of data sets, and what there is to be downloaded."""
    pytest.importorskip("PIL", reason="examples of data sets read pictures")
    pytest.importorskip("scipy", reason="examples of data sets read files of MATLAB")
    root = tmp_path_factory.mktemp("data")
    stand_ins.write_folders(root)
    return root, stand_ins.write_mirror(root / "mirror")


@pytest.fixture
def data(data_files: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in a folder with files of data sets. Downloads come from there, too."""
    root, downloads = data_files
    monkeypatch.chdir(root)
    monkeypatch.setenv("RENGA_DATASET_ROOT", str(root / "cache"))
    monkeypatch.setenv("RENGA_DATASET_MIRROR", (root / "mirror").as_uri())
    for name, files in downloads.items():
        monkeypatch.setattr(remote, name, files)


@pytest.fixture
def large_weights_are_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples show how large networks are built, not what they compute: drawing VGG's weights takes seconds."""
    draw = normal._NormalBase.__call__

    def cheap(self: Any, array: np.ndarray) -> None:
        if array.size < 10**5:
            draw(self, array)
        elif array.size < 10**7:
            array.fill(0)  # not so the largest layers, which no example computes with: that takes half a second

    monkeypatch.setattr(normal._NormalBase, "__call__", cheap)


@pytest.fixture
def random_state_stays() -> Iterator[None]:
    """Examples may draw numbers of Python's and NumPy's global generators."""
    states = random.getstate(), np.random.get_state()
    yield
    random.setstate(states[0])
    np.random.set_state(states[1])


@pytest.mark.usefixtures("large_weights_are_not_drawn", "random_state_stays")
@pytest.mark.parametrize("name", names.examples())
def test_examples_of_the_reference(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if any(part in name for part in WITH_FILES):
        request.getfixturevalue("data")
    for part, library in OPTIONAL.items():
        if part in name or f">>> from {part}" in names.examples()[name]:
            pytest.importorskip(library, reason=f"the example uses {library}")
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    trainer = a_trainer(tmp_path) if "trainer" in names.examples()[name] else None
    globs = {PUBLIC[name].name: PUBLIC[name].load(), "trainer": trainer}
    test = parser.get_doctest(names.examples()[name], globs, name, f"{names.EXAMPLES}/{PUBLIC[name].module}.txt", 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert test.examples
        assert runner.run(test, clear_globs=False).failed == 0
        if (
            "trainer.extend" in names.examples()[name]
            and "trainer.run" not in names.examples()[name]
            and test.globs["trainer"] is trainer
        ):
            trainer.run()


def test_no_example_stands_in_two_places() -> None:
    assert [name for name in names.examples() if ">>>" in names.Entity(PUBLIC[name]).doc] == []


WITHOUT = {
    "renga.function_hooks.CUDAProfileHook": "needs a GPU of NVIDIA",
    "renga.function_hooks.CupyMemoryProfileHook": "needs a GPU of NVIDIA",
}
"""Names without an example, and why. A new public name gets an example, in its docstring or in `names.EXAMPLES`."""


def test_each_public_name_has_an_example() -> None:
    pytest.importorskip("onnx", reason="the names of renga.onnx cannot be imported without it")
    without = {full for full, name in PUBLIC.items() if not names.Entity(name).has_example}
    assert without == set(WITHOUT), f"Next: write one into the docstring, or into {names.EXAMPLES}"
