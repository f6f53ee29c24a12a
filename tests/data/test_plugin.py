import inspect
import subprocess
import sys

import pytest

from renga_core.kinds import DATASET, ITERATOR
from renga_core.plugin import registry
from renga_data import plugin

NEEDED = {
    "text": {"path": "a.txt", "batch_size": 2},
    "csv": {"path": "a.csv", "target": "b"},
    "image_folder": {"path": "images", "size": 8},
    "image_files": {"path": "images"},
}


@pytest.mark.parametrize("name", [provider.name for provider in plugin.renga_datasets()])
def test_data_sets_load_by_name_and_take_options(name):
    function = registry(DATASET).load(name)
    assert function.__name__ == f"get_{name}"
    inspect.signature(function).bind(**NEEDED.get(name, {}))  # all other options have defaults


@pytest.mark.parametrize("name", [provider.name for provider in plugin.renga_iterators()])
def test_iterators_load_by_name(name):
    assert next(registry(ITERATOR).load(name)([1, 2, 3], 3, shuffle=False, repeat=False)) == [1, 2, 3]


def test_describing_imports_nothing_heavy():
    program = "import sys, renga_data.plugin; print('numpy' in sys.modules, 'renga_data.iterators' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "False"]
