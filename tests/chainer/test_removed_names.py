"""Old names of NumPy and Python. In a process of its own: they are put into modules that everybody uses."""

import subprocess
import sys

PROGRAM = r"""
import warnings
import numpy as np
import renga_chainer

before = dict(vars(np))
renga_chainer.install()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert np.int is int and np.float is float and np.object is object and np.str is str and np.unicode is str
    assert np.zeros(2, np.int).dtype == np.int64
    assert np.int is int
said = [str(w.message) for w in caught]
assert said.count("numpy.int was removed: write int. It works only while renga_chainer is installed") == 1, said
assert all(w.category is renga_chainer.CompatibilityWarning and w.filename == "<string>" for w in caught)
warnings.simplefilter("ignore", renga_chainer.CompatibilityWarning)

a = np.array([[3.0, 1.0], [2.0, 4.0]])
assert np.product(a) == 24 and np.cumproduct([1, 2, 3]).tolist() == [1, 2, 6]
assert np.alltrue([1, 0]) == False and np.sometrue([1, 0]) == True
assert np.in1d([1, 5], [5, 6]).tolist() == [False, True]
assert np.trapz([1.0, 3.0]) == 2
assert np.msort(a).tolist() == [[2, 1], [3, 4]] and np.asscalar(np.array([7])) == 7 and np.alen([1, 2, 3]) == 3
assert np.asfarray([1, 2]).dtype == "f8" and np.asfarray([1], "f4").dtype == "f4"
assert np.asfarray([1], int).dtype == "f8"
assert np.float_ is np.float64 and np.complex_ is np.complex128
assert np.Inf == np.infty == np.inf and np.isnan(np.NaN) and np.NINF == -np.inf
assert np.cast[np.float32]([1]).dtype == np.float32 and np.cast["i4"](2.7) == 2
assert np.nbytes[np.float64] == 8
assert np.find_common_type([np.float32], [np.float64]) == np.float32
assert np.find_common_type([np.int32], [np.float32]) == np.float32
assert np.find_common_type([np.float32, np.int64], []) == np.float64
assert np.float32 in np.sctypes["float"] and np.uint8 in np.sctypes["uint"] and str in np.sctypes["others"]
assert [np.dtype(t).itemsize for t in np.sctypes["int"]][:3] == [1, 2, 4]
try:
    np.no_such_thing
except AttributeError as error:
    assert "no_such_thing" in str(error)
else:
    raise AssertionError

import collections, collections.abc, fractions, inspect, time
assert collections.Iterable is collections.abc.Iterable and collections.MutableMapping is collections.abc.MutableMapping
from collections import Sequence, Callable
assert collections.OrderedDict is not None
assert fractions.gcd(12, 18) == 6
assert time.clock() <= time.clock()
assert inspect.getargspec(lambda a, b=1, *c, **d: 0) == (["a", "b"], "c", "d", (1,))
for module in (collections, fractions, inspect, time):
    assert not hasattr(module, "no_such_thing")

try:
    import six
except ModuleNotFoundError as error:
    assert error.name == "six" and "renga[chainer]" in str(error), error

renga_chainer.uninstall()
assert vars(np).get("__getattr__") is before.get("__getattr__")
gone = [(np, "int"), (collections, "Iterable"), (fractions, "gcd"), (inspect, "getargspec"), (time, "clock")]
for module, name in gone:
    assert not hasattr(module, name), name
assert "__getattr__" not in vars(time)
"""


def test_old_names_are_there_while_installed():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
