"""When numba is imported and what is said; what happens where it does not work."""

import os
import subprocess
import sys
import types

import numpy as np
import pytest

from renga_backend_numpy.arrays import address
from renga_kernels_numba import availability, compiling, disk, in_advance, loop
from renga_kernels_numba.loops.intrinsics import loop as compiled

UPDATE = """
import sys, numpy as np, renga
from renga.optimizers import SGD
from renga_core.graph import Parameter
from renga_core.link import Link
from renga_core.settings import using
assert "numba" not in sys.modules and "llvmlite" not in sys.modules
link = Link()
with link.init_scope():
    link.W = Parameter(np.ones(3, np.float32))
optimizer = SGD(0.5).setup(link)
link.W.grad = np.ones(3, np.float32)
with using({"kernels.sgd_update": "numba"}):
    optimizer.update()
print(link.W.array.tolist(), "numba" in sys.modules or "llvmlite" in sys.modules)
"""


def start(cache, program=UPDATE, **environment):
    environment = {**os.environ, disk.VARIABLE: str(cache), **environment}
    command = [sys.executable, *(["-c", program] if isinstance(program, str) else program)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_processes_that_start_at_once_compile_once_and_the_next_one_not(tmp_path):
    outcomes = [process.communicate(timeout=120) for process in [start(tmp_path) for _ in range(3)]]
    assert all(out.startswith("[0.5, 0.5, 0.5]") for out, _ in outcomes)
    told = "".join(err for _, err in outcomes).splitlines()
    # The loop of the probe, and the one that is used; and what to do about it once in a process.
    loops = sorted(line for line in told if line.startswith("Renga compiles the loop "))
    assert [line.split()[-1] for line in loops] == ["nothing:nothing", "optimizer_updates:sgd"]
    assert all("in advance" in line for line in told if line not in loops)
    assert start(tmp_path).communicate(timeout=120) == ("[0.5, 0.5, 0.5] False\n", "")


def test_a_numba_that_is_broken(tmp_path):
    (tmp_path / "numba.py").write_text("raise ImportError('Numba needs NumPy 2.4 or less')")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    out, _ = start(tmp_path / "cache", ["-m", "renga", "kernels", "sgd_update"], PYTHONPATH=path).communicate(
        timeout=120
    )
    assert "never: unavailable: " in out
    assert "Numba needs NumPy 2.4 or less" in out
    assert not (tmp_path / "cache" / "nothing.o").exists()


def test_no_numba(monkeypatch):
    monkeypatch.setattr(availability.importlib.util, "find_spec", lambda name: None)
    assert availability.unavailable.__wrapped__() == "module 'numba' is not installed"


def raises(piece, x):
    if x[piece] > 0:
        raise ValueError


def makes_an_array(piece, x):
    made = np.empty(x[0])
    x[1] = made.size + len(str(x[0]))


@pytest.mark.parametrize("function", [raises, makes_an_array])
def test_a_loop_that_needs_python_is_refused(tmp_path, monkeypatch, function):
    monkeypatch.setenv(disk.VARIABLE, str(tmp_path))
    module = types.SimpleNamespace(wrong=compiled(function))
    monkeypatch.setitem(sys.modules, "renga_kernels_numba.loops.wrong", module)
    monkeypatch.setattr(loop.Loop, "known", {})
    numbers = np.ones(2, np.int64)
    with pytest.raises(loop.NumbaError, match=r"wrong:wrong.*needs Python.*plugins\.disable"):
        loop.Loop("wrong:wrong", "i8*")(1, address(numbers))
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_a_change_of_a_source_is_compiled_anew(monkeypatch):
    keys = []
    monkeypatch.setattr(compiling.disk, "kept", lambda key, make: keys.append(key) or b"")
    compiling.machine_code("softmax:forward", "f4* i8")
    compiling.machine_code("softmax:forward", "f4* i8 i8")
    monkeypatch.setattr(compiling, "_origin", lambda: "another processor, compiler or source")
    compiling.machine_code("softmax:forward", "f4* i8")
    assert len(set(keys)) == 3


def test_all_in_advance(monkeypatch):
    """Those of the kernels' modules, each by another process; what is on disk already is not compiled again."""
    monkeypatch.setattr(in_advance, "_all", lambda: ["nothing:nothing i8"])
    assert in_advance.prepare_all() == 1
    monkeypatch.undo()
    found = {name.partition(" ")[0] for name in in_advance._all()}
    assert {"nothing:nothing", "optimizer_updates:adam", "softmax:log_softmax_gradient"} <= found
