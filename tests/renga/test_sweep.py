"""Sweeps: which words are several values, what is trained, what is told and what is gone on with."""

import pytest

from renga.cli import main
from renga.run.sweep import Outcome, combinations, label_of, read_table, split_values, write_table
from renga_core.errors import RengaError

RUN = """
[run]
epochs = 1
standard_extensions = []

[model]
use = "mlp"
n_units = 5

[data]
use = "digits"
batch_size = 300

[optimizer]
use = "sgd"
"""


@pytest.mark.parametrize(
    ("key", "text", "values"),
    [
        ("optimizer.alpha", "0.1,0.01", ["0.1", "0.01"]),
        ("optimizer.alpha", "0.1", ["0.1"]),
        ("run.seed", "0, 1, 2", ["0", "1", "2"]),
        ("data.size", "[16, 16]", ["[16, 16]"]),
        ("data.size", "[16, 16], [32, 32]", ["[16, 16]", "[32, 32]"]),
        ("data.delimiter", '","', ['","']),
        ("data.columns", "['a,b', 'c']", ["['a,b', 'c']"]),
        # These settings are lists themselves: commas have always stood between their elements.
        ("run.backend", "cupy,numpy", ["cupy,numpy"]),
        ("run.snapshot", "1,epoch", ["1,epoch"]),
        ("run.standard_extensions", "log_report,print_report", ["log_report,print_report"]),
        ("run.standard_extensions", "[], ['log_report']", ["[]", "['log_report']"]),
        ("extensions", "[{use='a', b=1}, {use='c'}]", ["[{use='a', b=1}, {use='c'}]"]),
        ("optimizer.alpha", "0.1,", ["0.1,"]),
    ],
)
def test_which_words_are_several_values(key, text, values):
    assert split_values(key, text) == values


def test_all_combinations():
    found = combinations([("a.x", "1,2"), ("run.epochs", "3"), ("b.y", "u,v")])
    assert found == [{"a.x": x, "b.y": y} for x in "12" for y in "uv"]
    assert combinations([("a.x", "1")]) == []
    assert label_of({"model.use": "acme:net", "data.size": "[16, 16]"}) == "model.use=acme_net,data.size=16_16"
    with pytest.raises(RengaError, match="cannot be varied"):
        combinations([("run.out", "a,b")])


def test_the_table_is_read_as_it_was_written(tmp_path):
    outcomes = [
        Outcome({"a.x": "1,5"}, "a.x=1_5", "done", {"loss": 0.125}),
        Outcome({"a.x": "2"}, "a.x=2", "failed: of itself"),
        Outcome({"a.x": "3"}, "a.x=3"),
    ]
    write_table(tmp_path, outcomes)
    assert read_table(tmp_path) == {each.folder: each for each in outcomes}
    assert read_table(tmp_path / "missing") == {}


@pytest.fixture
def train(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.toml").write_text(RUN)

    def train(*words):
        status = main(["train", "run.toml", *words])
        return status, capsys.readouterr()

    return train


def test_a_sweep(train, tmp_path):
    words = ("--set", "optimizer.lr=1e-5,0.3", "--set", "model.n_units=0,6", "--out", "sweep")
    status, said = train(*words)
    assert status == 1  # the networks without units
    assert "fan-in" in said.err
    last = said.out[said.out.rindex("optimizer.lr  model.n_units  accuracy") :].splitlines()
    assert [line.split()[:2] for line in last[1:3]] == [["0.3", "6"], ["1e-5", "6"]]  # the best first
    assert all("failed: " in line for line in last[3:5])
    assert (tmp_path / "sweep" / "optimizer.lr=0.3,model.n_units=6" / "run.toml").is_file()
    status, said = train(*words)
    assert (status, "holds a sweep already" in said.err) == (1, True)
    status, said = train(*words, "--resume")
    assert said.out.count("[1/4]") == said.out.count("[3/4]") == 1
    assert "[2/4]" not in said.out  # done before


def test_what_is_wrong_in_all_is_said_once(train, tmp_path):
    status, said = train("--set", "optimizer.lrr=1,2")
    assert (status, said.err.count("unknown key 'optimizer.lrr'")) == (2, 1)
    status, said = train("--set", "optimizer.lr=1,2", "--resume", "--out", "missing")
    assert (status, "nothing to resume" in said.err) == (1, True)
    assert not (tmp_path / "missing").exists()


def test_dry_run_prints_all(train, tmp_path):
    status, said = train("--set", "run.seed=3,4", "--dry-run")
    assert (status, said.out.count("seed = 3"), said.out.count("seed = 4")) == (0, 1, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["run.toml"]
