"""A library whose arrays cannot be changed: JAX, by the recipe of the documentation, to the letter."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from renga_backend_array_api import StandardArray, StandardBackend
from renga_testing.fake_distribution import write_distribution

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "write-a-backend.md"


class Frozen(np.ndarray):
    """An array of NumPy's whose elements cannot be assigned; operators in place give another array."""

    def __setitem__(self, key, value):
        raise TypeError("arrays are immutable")

    def __iadd__(self, other):
        return self + other

    def __imul__(self, other):
        return self * other


class Library:
    """NumPy with such arrays."""

    __name__ = "frozen"
    linalg = np.linalg
    fft = np.fft

    def __getattr__(self, name):
        found = getattr(np, name)
        if isinstance(found, type):
            return found
        return lambda *args, **kwargs: np.asarray(found(*args, **kwargs)).view(Frozen)


class FrozenArray(StandardArray, library=Library()):
    __slots__ = ()


BACKEND = StandardBackend("frozen", FrozenArray)


def test_that_arrays_are_immutable_is_found_out():
    class PlainArray(StandardArray, library=np):
        __slots__ = ()

    assert (PlainArray.mutable, FrozenArray.mutable) == (True, False)


def changed(change):
    """What a change does to an array of ours, and the same to one of NumPy's."""
    x, host = BACKEND.asarray(np.arange(6.0).reshape(2, 3)), np.arange(6.0).reshape(2, 3)
    former, held = x.native, [x]
    change(x)
    change(host)
    np.testing.assert_array_equal(held[0].to_host(), host)
    assert former.tolist() == [[0, 1, 2], [3, 4, 5]], "the library's immutable array was changed"


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.__iadd__(1),
        lambda x: x.__imul__(0.5),
        lambda x: x.fill(7.0),
        lambda x: x.__setitem__(0, -1.0),
        lambda x: x.__setitem__((..., slice(None, None, -2)), 3.0),
        lambda x: x.__setitem__((slice(None), np.array([0, 2])), 2.0),
        lambda x: x.__setitem__(..., x + x),
    ],
)
def test_operations_in_place_change_the_object(change):
    changed(change)


def test_scatter_and_assign_change_the_object():
    x = BACKEND.asarray(np.zeros(4))
    BACKEND.scatter_add(x, BACKEND.asarray(np.array([1, 1, -1])), BACKEND.asarray(np.ones(3)))
    assert x.tolist() == [0, 2, 0, 1]
    BACKEND.assign(x, BACKEND.asarray(np.arange(4.0)))
    assert x.tolist() == [0, 1, 2, 3]


def test_a_statement_in_place_keeps_the_object():
    x = same = BACKEND.asarray(np.zeros(4))
    x += 1
    x[1:] *= 3
    assert x is same
    assert same.tolist() == [1, 3, 3, 3]


def test_slices_and_the_hosts_memory_are_copies():
    host = np.zeros(4)
    x = BACKEND.asarray(host)
    part, flat = x[1:3], x.reshape(2, 2)
    part += 1
    host += 2
    assert x.tolist() == flat.reshape(-1).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    "grow", [lambda x: x.__iadd__(BACKEND.asarray(np.ones((2, 3)))), lambda x: x.__imul__(x[:, None])]
)
def test_an_array_cannot_grow_in_place(grow):
    x = BACKEND.asarray(np.ones(3))
    with pytest.raises(ValueError, match=r"shape \(.*\) cannot be stored in an array of \(3,\)"):
        grow(x)
    assert x.tolist() == [1, 1, 1]


@pytest.mark.parametrize("key", [3, -4, (0, 0), (..., 5)])
def test_an_index_out_of_range(key):
    x = BACKEND.asarray(np.ones(3))
    with pytest.raises(IndexError):
        x[key]
    with pytest.raises(IndexError):
        x[key] = 0.0


def run(*command, cwd):
    env = {**os.environ, "PYTHONPATH": str(cwd), "PYTHONWARNINGS": "error", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, *command], cwd=cwd, env=env, capture_output=True, text=True, timeout=800)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder where the recipe of the page is installed."""
    if importlib.util.find_spec("jax") is None:
        pytest.skip("jax is not installed")
    (recipe,) = re.findall(r"^```py\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    folder = tmp_path_factory.mktemp("jax")
    write_distribution(folder, "renga-jax", modules={"renga_jax": recipe}, entry_points={"jax": "renga_jax"})
    return folder


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_recipe_passes_the_kit(site):
    (site / "test_jax.py").write_text(
        "from renga_testing.suites import ArrayBackendSuite\n\n\n"
        "class TestJax(ArrayBackendSuite):\n    provider = 'jax'\n"
    )
    said = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_jax.py", cwd=site)
    assert re.search(r"array_backend 'jax': declared 3 .*, checked \d+, failed 0, skipped 3 ", said), said


TRAINING = """
import numpy as np
import renga
import renga.functions as F
import renga.links as L
from renga import optimizers

device = renga.get_device("jax")
rng = np.random.default_rng(0)
x, w = rng.random((32, 5), np.float32), rng.random((5, 1), np.float32)
link = L.Linear(5, 1)
link.to_device(device)
optimizer = optimizers.Adam(alpha=0.05).setup(link)
held = link.W.array
losses = []
for _ in range(60):
    optimizer.update(lambda: F.mean_squared_error(link(device.send(x)), device.send(x @ w)))
    losses.append(float(F.mean_squared_error(link(device.send(x)), device.send(x @ w)).array))
assert link.W.array is held
assert losses[-1] < losses[0] / 20, losses
"""


def test_it_learns_on_jax(site):
    run("-c", TRAINING, cwd=site)


def test_a_dtype_that_is_switched_off_is_refused(site):
    program = """
from renga_backend_array_api import StandardArray, StandardBackend
import jax.numpy, numpy as np
class JaxArray(StandardArray, library=jax.numpy):
    __slots__ = ()
try:
    StandardBackend("jax", JaxArray).asarray(np.zeros(3))
except TypeError as error:
    print(error)
"""
    said = run("-c", program, cwd=site)
    assert "jax.numpy has no arrays of float64 (it has bool, " in said
    assert "do that before JaxArray is defined" in said
