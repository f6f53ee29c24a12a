"""Memory of freed arrays is kept: page faults are counted, in processes of their own."""

import os
import subprocess
import sys

import numpy as np
import pytest

from renga_backend_numpy import memory
from renga_core.backend import get_backend
from renga_core.settings import SettingsError, using

TOLD = memory._glibc() is not None
only_glibc = pytest.mark.skipif(not TOLD, reason="the C library is not glibc")

STEPS = """
import resource, sys
import numpy as np
from renga_core.backend import get_backend
get_backend("numpy")

def step():
    arrays = [np.ones(2**17, np.float64) for _ in range(30)]  # 1 MiB each

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

step()
step()
before = faults()
for _ in range(10):
    step()
print(faults() - before)
"""

BOUND = """
import numpy as np
from renga_backend_numpy import memory
memory.keep_freed(8 * 2**20)
before = memory.statistics()
arrays = [np.ones(2**17, np.float64) for _ in range(30)]
between = memory.statistics()
del arrays
after = memory.statistics()
memory.release()
print(*(a - b for a, b in zip(between, before)), *(a - b for a, b in zip(after, before)))
"""


def run(program, **environment):
    """What a new process prints, where nothing is said about memory but `environment`."""
    unsaid = {k: v for k, v in os.environ.items() if not k.startswith(("MALLOC_", "GLIBC_", "RENGA_MEMORY"))}
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=unsaid | environment)
    assert ended.returncode == 0, ended.stderr
    return [int(word) for word in ended.stdout.split()]


@only_glibc
def test_freed_memory_is_used_again():
    (kept,) = run(STEPS)
    (given_back,) = run(STEPS, RENGA_MEMORY_KEEP="0")
    assert given_back > 10 * (kept + 10)


@only_glibc
@pytest.mark.parametrize(
    "said", [{"MALLOC_TRIM_THRESHOLD_": "131072"}, {"GLIBC_TUNABLES": "glibc.malloc.trim_threshold=131072"}]
)
def test_the_environments_word_to_the_c_library_counts(said):
    (faults,) = run(STEPS, **said)
    (given_back,) = run(STEPS, RENGA_MEMORY_KEEP="0", **said)
    assert faults > given_back / 2


@pytest.mark.skipif(memory.statistics() is None, reason="the C library does not tell")
def test_what_is_kept_is_bounded():
    used_between, held_between, used_after, held_after = run(BOUND)
    assert used_between >= 30 * 2**20
    assert held_between >= 29 * 2**20  # some was held before
    assert used_after < 2**20
    assert held_after < 10 * 2**20


@only_glibc
def test_release_gives_all_back():
    program = """
import numpy as np
from renga_core.backend import get_backend
from renga_backend_numpy import memory
get_backend("numpy")
def resident():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmRSS"))
arrays = [np.ones(2**17, np.float64) for _ in range(40)]
last = arrays[-1]
del arrays
before = resident()
memory.release()
print(before - resident(), int(last.sum() == last.size))
"""
    kilobytes, intact = run(program)
    assert kilobytes > 35 * 2**10
    assert intact


def test_more_than_the_c_library_takes_is_refused():
    with using({"memory.keep": 2**31}), pytest.raises(SettingsError, match=r"memory\.keep \(from renga\.using\)"):
        memory.keep_freed_as_set()


def test_the_backend_tells():
    info = get_backend("numpy").memory_info()
    if memory.statistics() is None:
        assert info == {}
    else:
        held = np.ones(2**22)
        assert get_backend("numpy").memory_info()["pool_used"] >= info["pool_used"] + held.nbytes
        assert 0 < info["pool_used"] <= info["pool_total"]


def test_elsewhere_nothing_is_done(monkeypatch):
    monkeypatch.setattr(memory, "_glibc", lambda: None)
    assert not memory.keep_freed(1000)
    assert memory.statistics() is None
    memory.release()
    assert get_backend("numpy").memory_info() == {}
