"""What `renga port` makes of the programs in Chainer's idioms prints what they print with Chainer 7.8.1."""

from __future__ import annotations

import fcntl
import importlib
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("libcst")
from renga_chainer.port.rewriting import port

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent
NOT_COMPARED = {
    "distributions": "Renga's have more members, and draw otherwise",
    "iterators": "what iterators save",
    "reports": "errors of other types",
}
"""Programs about more than losses, in which most lines are otherwise by intention, and what they are about."""
PROGRAMS = {
    path.stem: path
    for path in sorted((HERE.parent / "programs").glob("*.py"))
    if path.stem not in {*NOT_COMPARED, "conftest"}
}
EXPECTED = HERE.parent / "expected"

TABLES = r"epoch  |\x1b|\s+\d|\s+(epoch|main|gen|validation|iteration)\b|\s*$"
OTHERWISE = {
    "configuration": (r"\w+Error True$", "Variable refuses `volatile` by an error of another type"),
    "copies_and_devices": (r".*numpy|cupy|\[1\.0", "names of devices and of a Parameter; an error's type"),
    "data_details": (r"\[\('(_order|current_position)|4 0 False|\. (str|PosixPath)", "what iterators save; paths"),
    "custom_optimizer": (r"\[", "names in files"),
    "gan": (TABLES + r"|\[", "tables, names of files"),
    "graph_dump": (r"(True|False) 14", "the name in the first line of a graph"),
    "hooks": (r"\[\(|added|deleted|\(", "which functions a loss is made of"),
    "in_the_style_of_version_1": (r"(?!loss)", "errors about what Chainer 1 had"),
    "mixed_precision": (r"float16 float32|/predictor", "half precision is no mode of its own; numbers of layers"),
    "old_style_function": (r"refused|\[", "check_type_forward is left out"),
    "optimizers": (r"loss (NesterovAG|GradientLARS)|\[\[", "they make the steps of their papers; Adam.lr is alpha"),
    "residual_network": (r"(?!loss)", "tables"),
    "rnn_language_model": (TABLES, "tables"),
    "schedules": (r"  loss (0\.9398|1\.3070|0\.7724|0\.7788)", "as `optimizers`"),
    "serializing": (r"missing", "the type of an error"),
    "snapshot_and_resume": (r"\[", "names in files"),
    "trainer_mlp": (TABLES + r"|files", "tables, names of files"),
    "segmentation": (r"again", "as `trainer_mlp`"),
    "wgan_gp": (r"\[", "names of files"),
    "variables": (r"wrong grad|vector backward", "errors of other types"),
}
"""Lines that are otherwise, by intention (docs/reference/differences.md), and why."""

NUMBERS = {
    "segmentation": (r"(loss \S+ \S+) \S+", r"\1"),
    "trainer_mlp": (r"(result \S+) \S+ (\S+) \S+", r"\1 \2"),
}
"""Numbers that are otherwise: in a mean over a data set each example counts alike, not each batch."""

FIRST = {"residual_network": 9}
"""How many lines are the same: what is resumed is as what was not stopped, where Chainer draws other numbers."""

LEFT = {
    "debugging": "type_check",
    "datasets_from_root": "RENGA_DATASET_ROOT",
    "parallel_updater": "cuda.available",
    "snapshot_autoload": "snapshot_writers",
    "training_details": "KeyError",
}
"""Programs that a person has to go on with, and what the command says is left to do."""


@pytest.fixture(scope="module")
def compare():
    sys.path.insert(0, str(ROOT))
    yield importlib.import_module("benchmarks.compat.comparison").compare
    sys.path.remove(str(ROOT))


@pytest.fixture(scope="module")
def ported(tmp_path_factory, worker_id, testrun_uid):
    """What `port` gives for each program, and the folder in which they have been run.

    If several processes run these tests, the first one does it for all.
    """
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / f"ported-{testrun_uid}"
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        results = folder / "results.pickle"
        if not results.exists():
            folder.mkdir(exist_ok=True)
            found = {name: port(path.read_text()) for name, path in PROGRAMS.items()}
            for name, result in found.items():
                (folder / f"{name}.py").write_text(result.source)
            stage = [sys.executable, HERE / "stage.py", folder]
            done = subprocess.run(stage, capture_output=True, text=True, timeout=200)
            assert done.returncode == 0, done.stderr
            results.write_bytes(pickle.dumps(found))
    return pickle.loads(results.read_bytes()), folder


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_ported_program_gives_the_same_losses(name, ported, compare):
    found, folder = ported
    if name in LEFT:
        assert any(LEFT[name] in f"{remark.what} {remark.todo}{remark.why}" for remark in found[name].left)
        return
    assert not re.search(r"^\s*(import|from) chainer", found[name].source, re.MULTILINE)
    assert (folder / f"{name}.status").read_text() == "0", (folder / f"{name}.err").read_text()[-2000:]
    expected = EXPECTED / f"{name}.txt"
    if not expected.exists():
        pytest.skip("not recorded with Chainer yet")
    texts = [_alike(name, text.read_text()) for text in (expected, folder / f"{name}.out")]
    assert texts[0], "there is something to compare"
    assert compare(*texts).first is None


def _alike(name, text):
    """The lines that shall be the same."""
    left_out = OTHERWISE.get(name, (r"(?!)", ""))[0]
    lines = [line for line in text.splitlines() if not re.match(left_out, line)]
    lines = [re.sub(*NUMBERS[name], line) if name in NUMBERS else line for line in lines]
    return "\n".join(lines[: FIRST.get(name)])


@pytest.mark.parametrize("name", ["gan", "old_style_function", "trainer_mlp"])
def test_what_is_ported_is_not_ported_again(name, ported):
    once = ported[0][name].source
    assert port(once).source == once


@pytest.mark.parametrize(("name", "line"), [("gan", "loss"), ("trainer_mlp", "result")])
def test_a_ported_program_runs_by_itself_and_its_seed_decides_it(name, line, ported):
    program = ported[1] / f"{name}.py"
    first, second = (
        [
            text
            for text in subprocess.run(
                [sys.executable, program], capture_output=True, text=True, timeout=120, check=True
            ).stdout.splitlines()
            if text.startswith(line)
        ]
        for _ in range(2)
    )
    assert first
    assert first == second
