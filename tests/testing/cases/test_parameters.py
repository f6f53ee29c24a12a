import subprocess
import sys
import unittest

import numpy as np
import pytest

from renga_testing import cases
from renga_testing.cases.parameters import Generated

SEEN = []


@cases.parameterize(*cases.product({"a": [1, 2], "function": [np.sin]}))
@cases.fix_random()
class TestMade(unittest.TestCase):
    def setUp(self):
        self.x = np.random.uniform()

    def test_attributes(self):
        SEEN.append((type(self).__name__, self.a, self.function(0.0), self.x))


def test_the_classes_are_found_under_their_own_names():
    assert isinstance(TestMade, Generated)
    names = [cls.__name__ for cls in TestMade.classes]
    assert names == ["TestMade_param_0_{a=1, function=sin}", "TestMade_param_1_{a=2, function=sin}"]
    for cls in TestMade.classes:
        assert getattr(sys.modules[__name__], cls.__name__) is cls
    SEEN.clear()
    for cls in TestMade.classes:
        unittest.defaultTestLoader.loadTestsFromTestCase(cls).run(unittest.TestResult())
    assert [(a, y) for _, a, y, _ in SEEN] == [(1, 0), (2, 0)]
    assert SEEN[0][3] == SEEN[1][3], "random numbers are the same in each test"


def test_pytest_runs_them(tmp_path):
    """Parameterized twice, and on two devices; one of two tests is wrong."""
    (tmp_path / "test_it.py").write_text(
        "import unittest\n"
        "from renga_testing import cases\n"
        "@cases.parameterize({'b': 1}, {'b': 2})\n"
        "@cases.parameterize_pytest('a', [1])\n"
        "@cases.inject_backend_tests(['test_one'], [{}, {'use_ideep': 'always'}])\n"
        "class TestIt(unittest.TestCase):\n"
        "    def test_one(self, backend_config):\n"
        "        assert backend_config.xp.zeros(1).shape == (1,)\n"
        "    def test_two(self):\n"
        "        assert self.a > self.b\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "2 failed, 4 passed" in run.stdout, run.stdout


def test_product():
    assert cases.product({"b": [1, 2], "a": "xy"}) == [
        {"a": "x", "b": 1},
        {"a": "x", "b": 2},
        {"a": "y", "b": 1},
        {"a": "y", "b": 2},
    ]
    assert cases.product([[{"a": 1}], [{"b": 2}, {"a": 3}]]) == [{"a": 1, "b": 2}, {"a": 3}]
    with pytest.raises(TypeError, match="a dict of lists, or a list of lists of dicts"):
        cases.product([{"a": 1}])


def test_names_and_values():
    assert cases.from_pytest_parameterize(["a"], [1, (2,)]) == [{"a": 1}, {"a": (2,)}]
    with pytest.raises(ValueError, match=r"3 values \(1, 2, 3\) for 2 names"):
        cases.from_pytest_parameterize("a,b", [(1, 2, 3)])
    with pytest.raises(TypeError, match="expected dicts of attributes, got 3"):
        cases.parameterize(3)
