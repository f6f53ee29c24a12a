"""Two outputs line by line, and processes in which programs are run."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def compat(monkeypatch):
    """Modules of `benchmarks.compat` by name."""
    monkeypatch.syspath_prepend(ROOT)
    return lambda name: importlib.import_module(f"benchmarks.compat.{name}")


@pytest.mark.parametrize(
    ("expected", "found", "same"),
    [
        ("loss 0.5 epoch 1", "loss 0.500001 epoch 1", True),
        ("loss 0.5 epoch 1", "loss 0.5001 epoch 1", False),
        ("loss 0.5", "Loss 0.5", False),
        ("loss 0.5", "loss", False),
        ("loss 1e-9", "loss 3e-9", True),
        ("loss nan", "loss nan", True),
        ("loss nan", "loss 1", False),
        ("loss inf", "loss inf", True),
        ("loss inf", "loss 1e30", False),
        ("[1.0, 2]", "[1.00000001,  2]", True),
        ("conv1 3", "conv2 3", False),
        ("float32 (2, 3)", "float64 (2, 3)", False),
        ("-1.0", "1.0", False),
        ("one\ntwo", "one", False),
        ("one", "one\ntwo", False),
    ],
)
def test_words_are_equal_and_numbers_are_near(compat, expected, found, same):
    assert compat("comparison").compare(expected, found).same is same


def test_what_is_counted(compat):
    comparison = compat("comparison").compare("a 1.0\nb 2\nc 3", "a 1.00001\nb 4\nc 3")
    assert (comparison.lines, comparison.equal, comparison.first) == (3, 2, ("b 2", "b 4"))
    assert comparison.largest == pytest.approx(1e-5)


def test_what_is_not_a_program_is_not_run(compat):
    there = compat("command").programs()
    assert "attention_and_gru" in there
    assert "conftest" not in there


def test_a_program_gets_its_arguments_and_leaves_nothing_behind(compat, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, chainer\n"
        "print(sys.argv[1:], hasattr(chainer.config, 'mine'))\n"
        "chainer.global_config.mine = 1\n"
        "print('why', file=sys.stderr)\n"
        "sys.exit(3)\n"
    )
    with compat("stage").Stage("renga", sys.executable) as stage:
        for _ in range(2):
            done = stage.run(program, ["--gpu", "-1"])
            assert (done.status, done.output, done.errors) == (3, "['--gpu', '-1'] False\n", "why\n")
        program.write_text("1 / 0")
        done = stage.run(program)
        assert done.status == 1
        assert "ZeroDivisionError" in done.errors


def test_a_library_that_is_not_there(compat, capfd):
    with compat("stage").Stage("nothing", sys.executable) as stage, pytest.raises(RuntimeError, match="nothing"):
        stage.run(ROOT / "README.md")
    assert "KeyError" in capfd.readouterr().err


def test_the_page(compat):
    command, compare = compat("command"), compat("comparison").compare
    rows = [
        command.Row("one", "shows one", compare("1", "1"), ""),
        command.Row("two", "shows two", compare("1", "2"), "ValueError"),
    ]
    page = command.markdown(rows, {"Chainer, Renga": compare("1", "1")})
    assert "1 of 2 give the same results" in page
    assert "| `two` | shows two | 0 of 1 | 0e+00 | **differs** |" in page
    assert "| Chainer, Renga | 1 of 1 | 0e+00 | same |" in page
