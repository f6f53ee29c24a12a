"""The runs that vision brings, a few iterations of each: train, evaluate, predict."""

import csv
import json

import numpy as np
import pytest

from renga.cli import main
from renga_cv.datasets.digit_scenes.digit_scenes import get_digit_scenes

FILES = {
    "detect_digits": {"a.png", "b.png", "predictions.json"},
    "segment_digits": {"a.png", "a_labels.png", "b.png", "b_labels.png"},
    "instances_digits": {"a.png", "b.png", "predictions.json"},
}
SMALL = ("model.width=8", "data.number=8", "data.test_number=4", "data.batch_size=4", "run.epochs=1")


@pytest.fixture(scope="module", params=FILES)
def trained(request, tmp_path_factory):
    """A folder with a run, ``run``, and two pictures."""
    from PIL import Image

    folder = tmp_path_factory.mktemp(request.param)
    image = get_digit_scenes(number=1, test_number=1, seed=4)[1][0][0].astype(np.uint8).transpose(1, 2, 0)
    Image.fromarray(image).save(folder / "a.png")
    Image.fromarray(image[:40, :50]).save(folder / "b.png")
    words = [word for setting in SMALL for word in ("--set", setting)]
    assert main(["train", request.param, "--out", str(folder / "run"), *words]) == 0
    return request.param, folder


@pytest.fixture
def name(trained, monkeypatch):
    monkeypatch.chdir(trained[1])
    return trained[0]


def test_it_leaves_figures_and_a_picture(name):
    from PIL import Image

    with open("run/log.csv") as file:
        last = list(csv.DictReader(file))[-1]
    headline = "miou" if name == "segment_digits" else "map"
    assert 0 <= float(last[f"validation/main/{headline}"]) <= 1
    assert float(last["main/loss"]) > 0
    with Image.open("run/samples.png") as picture:
        assert min(picture.size) > 200


def test_evaluate_gives_the_figures_of_the_log(name, capsys):
    assert main(["evaluate", "run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    with open("run/log.csv") as file:
        last = list(csv.DictReader(file))[-1]
    headline = "miou" if name == "segment_digits" else "map"
    assert found[headline] == pytest.approx(float(last[f"validation/main/{headline}"]), abs=1e-6)


def test_predict_draws_into_a_folder(name, capsys, tmp_path):
    out = tmp_path / "found"
    assert main(["predict", "run", "a.png", "b.png", "--out", str(out)]) == 0
    assert {path.name for path in out.iterdir()} == FILES[name]
    if "predictions.json" in FILES[name]:
        document = json.loads((out / "predictions.json").read_text())
        assert [image["width"] for image in document["images"]] == [64, 50]
    assert main(["predict", "run", "a.png", "b.png", "--out", str(tmp_path / "rows.jsonl")]) == 0
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [row["input"] for row in rows] == ["a.png", "b.png"]


def test_what_cannot_be_read_leaves_nothing(name, capsys, tmp_path):
    out = tmp_path / "found"
    assert main(["predict", "run", "a.png", "run/run.toml", "--out", str(out)]) == 1
    assert "run.toml" in capsys.readouterr().err
    assert not out.exists()
    assert main(["predict", "run", "a.png", "run/../a.png", "--out", str(out)]) == 1
    assert "several files are called 'a'" in capsys.readouterr().err
