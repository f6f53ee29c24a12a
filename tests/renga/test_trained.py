"""`renga evaluate`, `renga predict`, `renga export`: on a run on a table, and one on images."""

import csv
import json
import shutil
import warnings

import numpy as np
import pytest

from renga.cli import main
from renga.links import Classifier
from renga_core.serializers import load
from renga_nn.models import MLP

RUN = """
[run]
epochs = 6
out = "result"
standard_extensions = []

[task]
use = "{task}"

[model]
use = "mlp"
n_units = 8

[data]
use = "csv"
path = "table.csv"
target = "{target}"
batch_size = 10

[optimizer]
use = "adam"
alpha = 0.03

[[extensions]]
use = "moving_average"
decay = 0.5

[[extensions]]
use = "snapshot_best"
key = "validation/main/loss"
"""


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    rows = [
        (f"{x:.3f}", f"{y:.3f}", "big" if x + y > 0 else "small", f"{100 + 10 * x - y:.3f}")
        for x, y in rng.normal(size=(60, 2))
    ]
    return "x,y,size,price\n" + "".join(",".join(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def runs(table, tmp_path_factory):
    """Folders with a run each: classification, regression."""
    made = {}
    for task, target in (("classification", "size"), ("regression", "price")):
        folder = tmp_path_factory.mktemp(task)
        (folder / "table.csv").write_text(table)
        (folder / "run.toml").write_text(RUN.format(task=task, target=target))
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            assert main(["train", "run.toml"]) == 0
        made[task] = folder
    return made


@pytest.fixture
def here(runs, monkeypatch):
    def here(task):
        monkeypatch.chdir(runs[task])
        return runs[task]

    return here


def test_evaluate_gives_the_figures_of_the_log(here, capsys):
    folder = here("regression")
    assert main(["evaluate", "result", "--weights", "last", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["weights"].endswith("moving average")
    assert found["examples"] == 12
    best = float(json.loads((folder / "result" / "preprocessing.json").read_text())["target"]["scale"])
    assert 0 < found["absolute_error"] < best
    assert main(["evaluate", "result"]) == 0
    assert "best_iter_" in capsys.readouterr().out


def test_evaluate_refuses_other_data(here, capsys, table):
    folder = here("classification")
    (folder / "other.csv").write_text(table.replace("big", "huge"))
    assert main(["evaluate", "result", "--set", "data.path=other.csv"]) == 1
    assert "the data are not those that the network was trained on" in capsys.readouterr().err


def test_predict_rows(here, capsys, table):
    here("classification")
    assert main(["predict", "result", "table.csv"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    right = list(csv.DictReader(table.splitlines()))
    assert rows[0]["input"] == "table.csv:2"
    assert sum(a["class"] == b["size"] for a, b in zip(rows, right, strict=True)) > 50


def test_predict_numbers_into_a_file(here, capsys):
    folder = here("regression")
    (folder / "new.csv").write_text("y,x,size\n0,0,big\n")
    assert main(["predict", "result", "new.csv", "--out", "new.jsonl"]) == 0
    row = json.loads((folder / "new.jsonl").read_text())
    assert abs(row["price"] - 100) < 10
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["predict", "nowhere", "table.csv"], 1, "nowhere is not a folder of a run: it does not exist"),
        (["predict", "result", "missing.csv"], 1, "missing.csv"),
        (["predict", "result"], 1, "generates nothing by itself: give files to read"),
        (["predict", "result", "table.csv", "--out", "a.xls"], 1, "a.xls: the suffix must be one of"),
        (["predict", "result", "table.csv", "--out", "a.png"], 1, "the results are rows"),
        (["predict", "result", "table.csv", "--text", "a"], 2, "give either --text or files, not both"),
        (["predict", "result", "run.toml"], 1, "run.toml"),
        (["export", "result", "a.npz", "--set", "model.n_units=9"], 1, "shape"),
    ],
)
def test_what_is_wrong(here, capsys, words, status, told):
    here("classification")
    assert main(words) == status
    said = capsys.readouterr()
    assert told in said.err
    assert said.out == ""


def test_the_snapshot_that_the_run_keeps_as_the_best(here, capsys):
    folder = here("classification")
    keep = ("--set", "run.keep_best=validation/main/loss", "--set", "run.keep_newest=1", "--set", "extensions=[]")
    assert main(["train", "run.toml", "--out", "kept", "--set", "optimizer.alpha=0.5", *keep]) == 0
    capsys.readouterr()
    found = {}
    for weights in ("best", "last"):
        assert main(["evaluate", "kept", "--weights", weights, "--json"]) == 0
        found[weights] = json.loads(capsys.readouterr().out)
    assert found["best"]["loss"] <= found["last"]["loss"]
    snapshots = sorted((folder / "kept").glob("snapshot_iter_*.npz"), key=lambda path: int(path.stem.split("_")[-1]))
    assert found["last"]["weights"].endswith(snapshots[-1].name)
    assert found["best"]["weights"].endswith(snapshots[0].name)


@pytest.mark.parametrize("name", ["net.npz", "net.safetensors"])
def test_export_is_the_network_alone(here, capsys, name):
    folder = here("classification")
    assert main(["export", "result", name]) == 0
    assert "mlp, " in capsys.readouterr().out
    model = MLP(8, 2)
    load(name, model)
    whole = Classifier(MLP(8, 2))
    (best,) = (folder / "result").glob("best_iter_*.npz")
    load(best, whole)
    for (_, a), (_, b) in zip(model.namedparams(), whole.predictor.namedparams(), strict=True):
        np.testing.assert_array_equal(a.array, b.array)


def test_a_damaged_snapshot_leads_to_the_one_before(here, capsys, tmp_path):
    copy = shutil.copytree(here("classification") / "result", tmp_path / "copy")
    *_, older, newest = sorted(copy.glob("snapshot_iter_*.npz"), key=lambda path: int(path.stem.rpartition("_")[2]))
    newest.write_bytes(newest.read_bytes()[:-100])
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert main(["evaluate", str(copy), "--weights", "last", "--json"]) == 0
    out, err = capsys.readouterr()
    assert f"{newest.name}: damaged" in err
    assert older.name in json.loads(out)["weights"]
