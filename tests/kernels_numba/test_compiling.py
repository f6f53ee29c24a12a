"""When numba is imported and what is said; what happens where it does not work."""

import importlib
import inspect
import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

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
    monkeypatch.setattr(compiling, "_origin", lambda loop: "another processor, compiler or source")
    compiling.machine_code("softmax:forward", "f4* i8")
    assert len(set(keys)) == 3


LOOPS = Path(compiling.__file__).parent / "loops"


@pytest.mark.parametrize("path", sorted(LOOPS.glob("*.py")), ids=lambda path: path.stem)
def test_sources_are_the_modules_whose_names_are_used(path):
    """Python knows from which module each name of a module is, and what that module uses in turn."""
    prefix = compiling.__package__

    def used(name):
        module = importlib.import_module(name)
        if not name.startswith(f"{prefix}.loops."):
            return {name}
        names = vars(module).values()
        homes = [it.__name__ if inspect.ismodule(it) else getattr(it, "__module__", None) for it in names]
        others = {home for home in homes if home and home.startswith(f"{prefix}.") and home != name}
        return {name}.union(*map(used, others))

    files = [it.relative_to(LOOPS.parent).with_suffix("") for it in compiling.sources(path)]
    assert used(f"{prefix}.loops.{path.stem}") <= {".".join([prefix, *it.parts]) for it in files}


def test_a_change_of_a_helper_changes_the_keys_of_its_users_only(tmp_path, monkeypatch):
    shutil.copytree(LOOPS.parent, tmp_path / "package", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(compiling, "__file__", str(tmp_path / "package" / "compiling.py"))

    def keys():
        compiling.sources.cache_clear()
        compiling.origin.cache_clear()
        return {
            loop: compiling._origin(loop) for loop in ("softmax:forward", "attention:forward", "resample:last_axis")
        }

    before = keys()
    for file, users in {
        "loops/rows_of_scores.py": {"softmax:forward", "attention:forward"},
        "loops/mathematics.py": {"softmax:forward", "attention:forward"},
        "loops/resample.py": {"resample:last_axis"},
        "availability.py": {"attention:forward"},
        "compiling.py": set(before),
        "loops/lstm.py": set(),
        "softmax.py": set(),
    }.items():
        with (tmp_path / "package" / file).open("a") as changed:
            changed.write("# changed\n")
        after = keys()
        assert {loop for loop in before if before[loop] != after[loop]} == users, file
        before = after
    compiling.sources.cache_clear()


def test_all_in_advance(monkeypatch):
    """Those of the kernels' modules, each by another process; what is on disk already is not compiled again."""
    monkeypatch.setattr(in_advance, "_all", lambda: ["nothing:nothing i8"])
    assert in_advance.prepare_all() == 1
    monkeypatch.undo()
    found = {name.partition(" ")[0] for name in in_advance._all()}
    assert {"nothing:nothing", "optimizer_updates:adam", "softmax:log_softmax_gradient"} <= found
