"""What is drawn after ``np.random.seed``, against Chainer 7.8.1. In processes: the import system is global."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
EXPECTED = json.loads((Path(__file__).parent / "expected" / "random_numbers.json").read_text())
"""Made by Chainer 7.8.1 and NumPy 1.23.5 with `benchmarks/compat/random_numbers.py`: of arrays, shape and two sums."""


def run(*arguments):
    done = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_that_is_random_is_as_chainer_drew_it():
    found = json.loads(run("-m", "renga_chainer", ROOT / "benchmarks" / "compat" / "random_numbers.py"))
    assert found.keys() == EXPECTED.keys()
    for name, (shape, *sums) in EXPECTED.items():
        assert found[name][0] == shape, name
        np.testing.assert_allclose(found[name][1:], sums, rtol=1e-5, atol=1e-5, err_msg=name)


GOES_ON = """
import json
import numpy as np
import renga_chainer
import renga
from renga_core import random
from renga_core.backend import get_backend

own = random.generator(get_backend("numpy"))
renga_chainer.install(everywhere=True)
given = random.generator(get_backend("numpy"))
assert given is not own

np.random.seed(5)
np.random.standard_normal()  # the generator keeps the second of a pair
state = json.loads(json.dumps(random.get_state()))
expected = np.random.standard_normal(5)
with random.replaying(state):
    assert (given.standard_normal(5) == expected).all()
after = np.random.rand(3)
random.set_state(state)
assert (np.random.standard_normal(5) == expected).all()
assert (np.random.rand(3) == after).all()

random.seed(3)
assert random.generator(get_backend("numpy")) is given
assert given.random((2, 3), dtype=np.float32).shape == (2, 3)
assert 3 <= given.integers(3, 9, (100,)).min() and given.integers(3, 9, (100,)).max() == 8
assert sorted(given.permutation(4)) == [0, 1, 2, 3]

renga_chainer.uninstall()
random.seed(3)
assert isinstance(random.generator(get_backend("numpy")), np.random.Generator)
"""


def test_the_global_generator_is_used_while_installed_and_saved_and_replayed():
    run("-c", GOES_ON)


SHARED = """
import copy
import numpy as np
import renga_chainer
renga_chainer.install()
import chainer

iterator = chainer.iterators.SerialIterator(list(range(20)), 20)
np.random.seed(0)
twin = copy.copy(iterator)
next(twin)
assert (np.random.rand(2) != np.random.RandomState(0).rand(2)).all()  # which its next order was drawn from
np.random.seed(0)
iterator.reset()
assert next(iterator) == list(np.random.RandomState(0).permutation(20))
chainer.iterators.SerialIterator(list(range(20)), 20, shuffle=False)
try:
    chainer.iterators.SerialIterator([1], 1, shuffle=True, order_sampler=chainer.iterators.ShuffleOrderSampler())
except ValueError:
    pass
else:
    raise AssertionError("shuffle and order_sampler exclude each other")
"""


def test_iterators_share_the_global_generator():
    run("-c", SHARED)
