"""`renga compare`: which runs are compared, by what, and what is printed and drawn of them."""

import json

import pytest

from renga.cli import main

RUN = """
[run]
epochs = {epochs}
out = "{name}"

[task]
use = "{task}"

[model]
use = "mlp"

[data]
use = "digits"

[optimizer]
use = "adam"
alpha = {alpha}
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write the folder of a run, as `renga train` would: its settings and its log."""
    monkeypatch.chdir(tmp_path)

    def write(name, figures, alpha=0.01, task="classification", **figure_names):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        (folder / "run.toml").write_text(RUN.format(epochs=len(figures), name=name, alpha=alpha, task=task))
        lines = [
            {"epoch": epoch, "elapsed_time": 2.0 * epoch, "main/loss": 2 * loss, "validation/main/loss": loss}
            | ({} if accuracy is None else {"validation/main/accuracy": accuracy})
            for epoch, (loss, accuracy) in enumerate(figures, 1)
        ]
        (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return name

    return write


def compared(capsys, *words):
    """The rows of the JSON, in order."""
    assert main(["compare", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_best_comes_first_with_the_settings_that_differ(write, capsys):
    write("a", [(0.5, 0.7), (0.1, 0.9)])
    write("b", [(0.4, 0.95), (0.9, 0.2), (0.3, 0.6)], alpha=0.1)
    first, second = compared(capsys, "a", "b")
    assert (first["run"], first["best"], first["best_epoch"], first["last"]) == (
        "b",
        0.95,
        1,
        {"loss": 0.3, "accuracy": 0.6},
    )
    assert first["settings"] == {"run.epochs": 3, "optimizer.alpha": 0.1}
    assert (second["run"], second["best"], second["best_epoch"], second["seconds"]) == ("a", 0.9, 2, 4.0)


def test_by_another_figure_smaller_or_larger_is_better(write, capsys):
    write("a", [(0.5, 0.7), (0.1, 0.9)])
    write("b", [(0.4, 0.95)])
    assert [row["best"] for row in compared(capsys, "a", "b", "--by", "loss")] == [0.1, 0.4]
    assert [row["best"] for row in compared(capsys, "a", "b", "--by", "loss", "--best", "max")] == [0.5, 0.4]


def test_only_what_all_runs_report_is_compared_and_nan_is_never_the_best(write, capsys):
    write("a", [(float("nan"), 0.7), (0.2, 0.8)])
    write("b", [(0.5, None)], task="regression")
    rows = compared(capsys, "a", "b")
    assert [(row["by"], row["run"], row["best"]) for row in rows] == [("loss", "a", 0.2), ("loss", "b", 0.5)]


def test_a_run_without_a_number_comes_last(write, capsys):
    write("a", [(float("nan"), float("nan"))])
    write("b", [(0.5, 0.1)])
    assert [row["run"] for row in compared(capsys, "a", "b")] == ["b", "a"]


def test_a_sweep_stands_for_its_runs(write, capsys, tmp_path):
    write("sweep/optimizer.alpha=0.1", [(0.5, 0.7)], alpha=0.1)
    write("sweep/optimizer.alpha=0.2", [(0.5, 0.8)], alpha=0.2)
    rows = (
        "optimizer.alpha,accuracy,status,folder\n0.1,0.7,done,optimizer.alpha=0.1\n0.2,0.8,done,optimizer.alpha=0.2\n"
    )
    (tmp_path / "sweep" / "sweep.csv").write_text(rows + "0.3,,failed: why,optimizer.alpha=0.3\n")
    assert [row["settings"] for row in compared(capsys, "sweep")] == [
        {"optimizer.alpha": 0.2},
        {"optimizer.alpha": 0.1},
    ]


def test_a_run_whose_plugin_is_not_installed_is_compared_by_the_loss(write, capsys):
    write("a", [(0.5, 0.7)], task="of_somebody_else")
    assert compared(capsys, "a")[0]["by"] == "loss"


def test_the_table_and_the_picture(write, capsys, tmp_path):
    pytest.importorskip("matplotlib", reason="needs Matplotlib: pip install 'renga[plot]'")
    write("a", [(0.5, 0.7), (0.1, 0.9)])
    write("b", [(0.4, 0.95)], alpha=0.1)
    assert main(["compare", "a", "b", "--plot", "curves.png"]) == 0
    table = capsys.readouterr().out.splitlines()
    assert table[0].split("  ")[0] == "run"
    assert table[1].split() == ["b", "1", "0.1", "0.95", "1", "0.4", "0.95", "1", "2.0", "s"]
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing"], "nothing is not a folder of a run: it does not exist"),
        (["a", "--by", "accurac"], "Did you mean 'accuracy'? All have: loss, accuracy."),
        (["a", "--plot", "b/c.png"], "there is no folder b"),
        (["a", "--plot", "c.gif"], "the suffix must be .png, .svg or .pdf"),
        (["silent"], "silent has nothing in log.jsonl"),
    ],
)
def test_what_is_wrong_is_said(write, capsys, tmp_path, words, said):
    pytest.importorskip("matplotlib", reason="needs Matplotlib: pip install 'renga[plot]'")
    write("a", [(0.5, 0.7)])
    write("silent", [])
    assert main(["compare", *words]) != 0
    assert said in capsys.readouterr().err
    assert not list(tmp_path.glob("*.gif"))
