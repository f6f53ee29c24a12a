"""`renga predict MODEL --weights FILE`: models by name, with weights that no run has trained."""

import json

import numpy as np
import pytest

from renga.cli import main
from renga_core import random
from renga_cv.links.model.feature_predictor import FeaturePredictor
from renga_cv.links.model.mobilenet.mobilenet_v2 import MobileNetV2
from renga_cv.links.model.small.detector import SmallDetector
from renga_cv.links.model.small.segmenter import SmallSegmenter
from renga_serializers.npz import save_npz

image = pytest.importorskip("PIL.Image")
SIZES = {"a.png": (60, 90), "b.png": (70, 50)}


@pytest.fixture
def pictures(tmp_path, monkeypatch):
    """Two pictures in the working directory, of different sizes, (3, H, W)."""
    monkeypatch.chdir(tmp_path)
    random.seed(0)
    rng = np.random.default_rng(0)
    found = {name: rng.integers(0, 256, (*size, 3), np.uint8) for name, size in SIZES.items()}
    for name, pixels in found.items():
        image.fromarray(pixels).save(name)
    return [pixels.transpose(2, 0, 1).astype(np.float32) for pixels in found.values()]


def test_classifier_says_what_the_network_says_of_the_center(pictures, tmp_path):
    network = MobileNetV2(3, arch="torch", depth_multiplier=0.1, initialW=0.1)
    for link in network.links():
        if hasattr(link, "avg_var"):
            link.avg_mean[:] = np.random.default_rng(1).normal(size=link.avg_mean.shape)
    save_npz("weights.npz", network)
    tmp_path.joinpath("classes.txt").write_text("cat\ndog\nhörse\n", encoding="utf-8")
    chosen = ["--weights", "weights.npz", "--set", "model.depth_multiplier=0.1", "--set", "model.arch=torch"]
    assert main(["predict", "mobilenet_v2", *chosen, "--classes", "classes.txt", *SIZES, "--out", "x.jsonl"]) == 0
    rows = [json.loads(line) for line in tmp_path.joinpath("x.jsonl").read_text(encoding="utf-8").splitlines()]
    expected = FeaturePredictor(network, crop_size=224, scale_size=256).predict(pictures)
    assert [row["class"] for row in rows] == [("cat", "dog", "hörse")[each.argmax()] for each in expected]
    np.testing.assert_allclose([row["probability"] for row in rows], expected.max(1), atol=1e-4)


def test_detector_writes_pictures_and_coco(pictures, tmp_path):
    save_npz("weights.npz", SmallDetector(2, width=4))
    options = ["--set", "model.n_out=2", "--set", "model.width=4", "--out", "found"]
    assert main(["predict", "small_detector", "--weights", "weights.npz", *options, *SIZES]) == 0
    document = json.loads(tmp_path.joinpath("found", "predictions.json").read_text(encoding="utf-8"))
    assert [(each["file_name"], each["height"], each["width"]) for each in document["images"]] == [
        (name, *size) for name, size in SIZES.items()
    ]
    assert [each["name"] for each in document["categories"]] == ["0", "1"]
    assert sorted(path.name for path in tmp_path.joinpath("found").iterdir()) == ["a.png", "b.png", "predictions.json"]


def test_segmenter_has_a_column_for_each_class(pictures, capsys):
    network = SmallSegmenter(3, width=4)
    save_npz("weights.npz", network)
    chosen = ["--weights", "weights.npz", "--set", "model.n_out=3", "--set", "model.width=4"]
    assert main(["predict", "small_segmenter", *SIZES, *chosen]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head == "input,0,1,2"
    for row, labels in zip(rows, network.predict(pictures), strict=True):
        shares = np.bincount(labels.ravel(), minlength=3) / labels.size
        np.testing.assert_allclose([float(cell) for cell in row.split(",")[1:]], shares, atol=1e-6)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["small_detectr", "--weights", "weights.npz"], 2, "Did you mean 'small_detector'"),
        (["small_detector", "--weights", "none.npz", "--set", "model.n_out=2"], 1, "--weights none.npz: there is no"),
        (["small_detector", "--weights", "weights.npz"], 2, "--set model.n_out=NUMBER"),
        (["small_detector", "--weights", "weights.npz", "--set", "model.n_out=2"], 1, "is missing"),
        (["small_detector", "--weights", "a.png", "--set", "model.n_out=2"], 1, "a.png: damaged or not"),
        (["small_detector", "--weights", "a.png", "--set", "model.n_out=2"], 1, "renga weights convert a.png"),
        (["small_detector", "--weights", ".", "--set", "model.n_out=2"], 1, "--weights .: that is a folder"),
        (["small_detector"], 2, "add --weights FILE"),
        (["lenet", "--weights", "lenet.npz"], 1, "does not say how to make inputs from files"),
        (
            ["mobilenet_v2", "--weights", "mobile.npz", "--set", "model.depth_multiplier=0.1"],
            1,
            "another number of classes",
        ),
    ],
)
def test_what_does_not_fit_is_said_and_nothing_written(pictures, words, status, said, capsys, tmp_path):
    save_npz("weights.npz", SmallSegmenter(3, width=4))
    if "mobilenet_v2" in words:
        save_npz("mobile.npz", MobileNetV2(3, depth_multiplier=0.1))
    if "lenet" in words:
        from renga_nn.models import LeNet

        lenet = LeNet()
        with np.errstate(all="ignore"):
            lenet(np.zeros((1, 1, 28, 28), np.float32))
        save_npz("lenet.npz", lenet)
    assert main(["predict", *words, "a.png", "--out", "rows.csv"]) == status
    assert said in capsys.readouterr().err
    assert not tmp_path.joinpath("rows.csv").exists()


def test_nothing_is_written_where_one_picture_cannot_be_read(pictures, tmp_path, capsys):
    save_npz("weights.npz", SmallDetector(2, width=4))
    tmp_path.joinpath("b.png").write_text("no picture")
    options = ["--set", "model.n_out=2", "--set", "model.width=4", "--out", "found"]
    assert main(["predict", "small_detector", "--weights", "weights.npz", *options, *SIZES]) == 1
    assert "b.png: damaged or not an image" in capsys.readouterr().err
    assert not tmp_path.joinpath("found").exists()
    tmp_path.joinpath("found").mkdir()
    assert main(["predict", "small_detector", "--weights", "weights.npz", *options, *SIZES]) == 1
    assert [*tmp_path.joinpath("found").iterdir()] == []  # it was there before
    assert not list(tmp_path.glob(".renga-*"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a.png", "c.png"], "error: c.png: there is no such file."),
        (["a.png", "."], "error: . is a folder. Next: name the files in it: *"),
        (["a.png", "--classes", "c.txt"], "error: c.txt: there is no such file."),
        (["a.png", "--out", "none/rows.csv"], "error: --out none/rows.csv: there is no folder none."),
        (["a.png", "--out", "weights/found"], "error: --out weights/found: weights is a file"),
    ],
)
def test_wrong_paths_are_told_before_the_weights_are_read(pictures, words, said, tmp_path, capsys):
    tmp_path.joinpath("weights").write_bytes(b"not read")
    before = sorted(tmp_path.iterdir())
    assert main(["predict", "small_detector", "--weights", "weights", "--set", "model.n_out=2", *words]) == 1
    assert said in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before
