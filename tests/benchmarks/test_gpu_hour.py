"""The hour with a GPU without one: a driver with parts that fail, hang and are cut off; the page; the real command."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from renga_testing.every_backend import ready_backends

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def at_root(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    monkeypatch.chdir(ROOT)


def module(name):
    return importlib.import_module(f"benchmarks.gpu.{name}")


def part(name, program, minutes=1.0):
    return module("hour").Part(name, f"what {name} tells", ("-u", "-c", program), minutes)


ROWS = "print('{\"a\": 1}'); print('not a row'); print('{\"a\": 2}')"
# Has a child, which holds the output open, as a hanging test of pytest would.
HANGS = ROWS + "; import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)'])"


def rows(entries, name):
    return [entry["row"] for entry in entries if entry["part"] == name and "row" in entry]


def test_each_part_runs_whatever_the_others_do(tmp_path):
    hour = module("hour")
    parts = [
        part("good", ROWS),
        part("bad", f"{ROWS}; raise ValueError('no')"),
        part("hangs", HANGS, minutes=0.05),
        part("last", ROWS),
    ]
    entries = hour.run(parts, tmp_path, minutes=5)
    how = {p.name: hour.end_of(entries, p.name)["how"] for p in parts}
    assert how == {
        "good": "done",
        "bad": "failed",
        "hangs": "time is up: 3 s",
        "last": "done",
    }
    for name in ("good", "bad", "hangs", "last"):
        assert rows(entries, name) == [{"a": 1}, {"a": 2}], name
    assert hour.end_of(entries, "bad")["tail"][-1] == "ValueError: no"


def test_the_first_part_that_finds_no_gpu_is_the_last(tmp_path):
    hour = module("hour")
    without = part("without", "print('no GPU: there is none'); raise SystemExit(77)")
    entries = hour.run([part("good", ROWS), without, part("last", ROWS)], tmp_path, minutes=5)
    assert hour.end_of(entries, "good")["how"] == "done"
    assert hour.end_of(entries, "without")["how"] == "no GPU: there is none"
    assert hour.end_of(entries, "last") is None


def test_the_next_run_goes_on_with_what_is_not_done(tmp_path):
    hour = module("hour")
    log = tmp_path / "log"

    def logging(name, more=""):
        return part(name, f"open({str(log)!r}, 'a').write({name!r} + ' '); {ROWS}; {more}")

    hour.run([logging("one"), logging("two", "raise SystemExit(1)")], tmp_path, minutes=5)
    # As a run leaves it that was cut off in the third part, in the middle of a line.
    with (tmp_path / "results.jsonl").open("a") as file:
        file.write(json.dumps({"part": "three", "row": {"a": 1}}) + '\n{"part": "three", "row"')
    entries = hour.run([logging("one"), logging("two"), logging("three")], tmp_path, minutes=5)
    assert log.read_text().split() == ["one", "two", "two", "three"]
    for name in ("one", "two", "three"):
        assert hour.end_of(entries, name)["how"] == "done"
        assert rows(entries, name) == [{"a": 1}, {"a": 2}]
    hour.run([logging("one")], tmp_path, minutes=5, fresh=True)
    assert log.read_text().split()[-1] == "one"


def test_no_part_begins_when_the_time_is_up(tmp_path, capsys):
    hour = module("hour")
    entries = hour.run([part("late", ROWS)], tmp_path, minutes=0)
    assert entries == []
    assert "late: not started, the 0 minutes are over" in capsys.readouterr().out


def test_the_page(tmp_path):
    pytest.importorskip("matplotlib", reason="the pictures are drawn by Matplotlib")
    hour = module("hour")
    beside = [
        {"network": "mlp", "precision": "float32", "library": library, "milliseconds": ms}
        for library, ms in (("renga", 2.0), ("renga, captured", 0.5), ("torch", 1.0))
    ]
    problem = {"network": "mlp", "precision": "float32", "library": "torch.compile", "problem": "no | compiler"}
    found = {
        "mlp-float32": [*beside, problem],
        "bandwidth": [{"kernel": "relu", "gb_per_second": 1000.5}, {"kernel": "copy", "gb_per_second": 2000}],
    }
    parts = [part(name, "\n".join(f"print({json.dumps(row)!r})" for row in given)) for name, given in found.items()]
    parts.append(part("bad", "raise ValueError('no')"))
    entries = hour.run(parts, tmp_path, minutes=5)
    page = module("report").write(parts, entries, tmp_path).read_text()
    assert "| mlp | float32 | renga | 2.0 | 2.00 |" in page
    assert "| mlp | float32 | renga, captured | 0.5 | 0.50 |" in page
    assert "no \\| compiler" in page
    assert "| relu | 1000.5 |" in page
    assert "## Output of `bad`, which failed" in page
    for name in ("parts.png", "side-by-side.png", "bandwidth.png"):
        assert f"({name})" in page
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_the_command_without_a_gpu(tmp_path):
    if "cupy" in ready_backends():
        pytest.skip("there is a GPU: it would take forty minutes")
    pytest.importorskip("matplotlib", reason="the pictures are drawn by Matplotlib")
    command = [sys.executable, "-m", "benchmarks", "gpu", "--minutes", "4", "--folder", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 77, done.stderr
    assert done.stdout.count(": no GPU: ") == 1
    assert (tmp_path / "page.md").read_text().count("| no GPU: ") == 1
    assert not (tmp_path / "side-by-side.png").exists()


@pytest.mark.torch
@pytest.mark.parametrize("name", ["mlp", "resnet50", "transformer", "lstm", "dcgan"])
def test_both_libraries_train_each_network(name):
    """Losses fall with either."""
    pytest.importorskip("torch")
    networks = module("networks")
    network = networks.TINY_NETWORKS[name]
    for step in (networks.renga_step(network, "numpy", "float32"), networks.torch_step(network, "cpu", "float32")):
        losses = [float(step()) for _ in range(30)]
        assert losses[-1] < losses[0]


def test_networks_are_not_larger_in_one_library():
    """As many parameters, but for the second bias of PyTorch's LSTM."""
    pytest.importorskip("torch")
    networks = module("networks")
    for name, network in networks.TINY_NETWORKS.items():
        ours = sum(p.size for p in networks.renga_step(network, "numpy", "float32").model.params())
        theirs = sum(p.numel() for p in networks.torch_step(network, "cpu", "float32").model.parameters())
        assert theirs - ours == (4 * network.size.units if name == "lstm" else 0)
