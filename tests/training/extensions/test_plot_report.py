import subprocess
import sys

import pytest

from renga_core.errors import RengaError
from renga_training.extensions import PlotReport

KEYS = ["main/loss", "validation/main/loss", "main/accuracy"]


@pytest.fixture
def figures():
    return []


def run(report, trainer, iterations, initialize=True):
    if initialize:
        report.initialize(trainer)
    for _ in range(iterations):
        trainer.iterate({"main/loss": 1 / (trainer.updater.iteration + 1), "main/accuracy": 0.5})
        if trainer.updater.iteration % 4 == 0:
            trainer.observation["validation/main/loss"] = 0.5
        report(trainer)


def curves(figure):
    return {
        axes.get_ylabel(): {line.get_label(): line.get_xydata().tolist() for line in axes.lines} for axes in figure.axes
    }


def test_curves_of_one_quantity_share_a_panel(trainer, figures, tmp_path):
    report = PlotReport(KEYS, "epoch", postprocess=figures.append)
    run(report, trainer, 8)
    report.finalize()
    assert curves(figures[-1]) == {
        "loss": {
            "main": [[1, (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4], [2, pytest.approx((1 / 5 + 1 / 6 + 1 / 7 + 1 / 8) / 4)]],
            "validation/main": [[1, 0.5], [2, 0.5]],
        },
        "accuracy": {"main": [[1, 0.5], [2, 0.5]]},
    }
    assert [axes.get_xlabel() for axes in figures[-1].axes] == ["epoch", "epoch"]
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plot.png"]


def test_against_another_key_and_as_a_vector_picture(trainer, figures, tmp_path):
    report = PlotReport("main/loss", "main/accuracy", (1, "iteration"), figures.append, "loss.svg", None, False)
    run(report, trainer, 2)
    report.finalize()
    assert curves(figures[-1]) == {"loss": {"main": [[0.5, 1.0], [0.5, 0.5]]}}
    assert "<svg" in (tmp_path / "loss.svg").read_text()


def test_drawing_takes_a_small_part_of_the_time(trainer, figures):
    report = PlotReport(KEYS, trigger=(1, "iteration"), postprocess=figures.append)
    run(report, trainer, 50)
    assert len(figures) <= 2
    report.finalize()
    assert len(curves(figures[-1])["loss"]["main"]) == 50
    drawn = len(figures)
    report.finalize()
    assert len(figures) == drawn


def test_resumed_it_draws_everything(trainer, figures, reload):
    whole = PlotReport(KEYS, postprocess=figures.append)
    run(whole, trainer, 12)
    whole.finalize()
    expected = curves(figures[-1])
    trainer.go_to(0)
    first, second = PlotReport(KEYS), PlotReport(KEYS, postprocess=figures.append)
    run(first, trainer, 6)
    reload(first, second)
    run(second, trainer, 6)
    second.finalize()
    assert curves(figures[-1]) == expected
    assert len(expected["loss"]["main"]) == 3


def test_nothing_to_draw(trainer, tmp_path):
    report = PlotReport("other")
    run(report, trainer, 4)
    report.finalize()
    assert (tmp_path / "plot.png").exists()
    untouched = PlotReport("other", filename="none.png")
    untouched.finalize()
    assert not (tmp_path / "none.png").exists()


def test_without_matplotlib(trainer, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RengaError, match=r"pip install 'renga\[plot\]'"):
        PlotReport(KEYS).initialize(trainer)


def test_matplotlib_is_imported_when_drawing_and_no_backend_is_chosen(tmp_path):
    program = """
import sys
from types import SimpleNamespace
from renga_training.extensions import PlotReport
report = PlotReport("loss", trigger=lambda trainer: True)
assert "matplotlib" not in sys.modules
updater = SimpleNamespace(epoch_detail=1.0, iteration=1)
trainer = SimpleNamespace(out=sys.argv[1], updater=updater, observation={"loss": 1.0})
report.initialize(trainer)
report(trainer)
assert "matplotlib.figure" in sys.modules
assert "matplotlib.pyplot" not in sys.modules
import matplotlib
assert matplotlib.rcParams._get_backend_or_none() is None
"""
    subprocess.run([sys.executable, "-c", program, tmp_path], check=True, env={"MPLCONFIGDIR": str(tmp_path)})
