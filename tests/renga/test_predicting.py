"""`renga.load`: a trained network that takes files, images, rows and lists of them."""

import threading

import numpy as np
import pytest

import renga
from renga.cli import main
from renga_core.configuration import config
from renga_core.errors import RengaError

TABLE = """
[run]
epochs = 2
out = "table"
standard_extensions = []

[task]
use = "classification"

[model]
use = "mlp"
n_units = 8

[data]
use = "csv"
path = "table.csv"
target = "size"
batch_size = 7

[optimizer]
use = "adam"
"""
DIGITS = """
[run]
epochs = 1
out = "digits"
standard_extensions = []

[model]
use = "lenet"

[data]
use = "digits"

[optimizer]
use = "adam"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a run on a table and one on images."""
    folder = tmp_path_factory.mktemp("runs")
    rng = np.random.default_rng(0)
    rows = [f"{x:.3f},{y:.3f},{'big' if x + y > 0 else 'small'}" for x, y in rng.normal(size=(40, 2))]
    (folder / "table.csv").write_text("\n".join(["x,y,size", *rows, ""]))
    (folder / "new.csv").write_text("\n".join(["y,x", *(f"{i}.5,{-i}" for i in range(17)), ""]))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, text in (("table", TABLE), ("digits", DIGITS)):
            (folder / f"{name}.toml").write_text(text)
            assert main(["train", f"{name}.toml"]) == 0
    return folder


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


def test_rows_of_a_table_as_a_file_as_dictionaries_and_as_a_list(here):
    network = renga.load(here / "table")
    of_file = network("new.csv")
    assert [row["input"] for row in of_file] == [f"new.csv:{line}" for line in range(2, 19)]
    assert network.classes == ("big", "small")
    row = {"x": -3, "y": "3.5", "not an input": "?"}
    assert network(row) == {key: of_file[3][key] for key in ("class", "probability")}
    assert network([row, "new.csv"]) == [network(row), *of_file]


@pytest.mark.parametrize(("disabled", "reason"), [([], ""), (["inference"], "disabled")])
def test_a_network_that_predicts_often_is_frozen(here, disabled, reason, monkeypatch, caplog):
    import logging

    vars(renga).pop("inference", None)
    plain, predictor = renga.load("digits"), renga.load("digits")
    images = list(np.random.default_rng(0).uniform(size=(9, 1, 8, 8)).astype(np.float32))
    expected = list(plain.rows(images))
    calls = []
    model = type(plain.model)
    forward = model.forward
    monkeypatch.setattr(model, "forward", lambda self, x: calls.append(len(x)) or forward(self, x))
    with renga.using({"plugins.disable": disabled}), caplog.at_level(logging.DEBUG, "renga.run"):
        predictor.freeze()
        found = [row for image in images for row in predictor.rows([image])]
    assert [row["class"] for row in found] == [row["class"] for row in expected]
    np.testing.assert_allclose(
        [row["probability"] for row in found], [row["probability"] for row in expected], atol=1e-5
    )
    # Three calls, then what freezing needs; or a call for each image.
    assert calls == [1] * 9 if disabled else set(calls[3:]) == {1, 2, 3}
    assert reason in caplog.text
    assert bool(reason) == ("not frozen" in caplog.text)


def test_images_as_files_as_pixels_and_as_images_of_pillow(here):
    image = pytest.importorskip("PIL.Image", reason="needs Pillow: pip install 'renga[cv]'")
    pixels = np.full((24, 20, 3), 255, np.uint8)
    pixels[4:20, 9:12] = 0
    image.fromarray(pixels).save("one.png")
    network = renga.load("digits", weights="last", backend="numpy")
    (of_file,) = network("one.png")
    expected = {key: of_file[key] for key in ("class", "probability")}
    assert network(pixels) == network(image.open("one.png")) == network(pixels[:, :, 0]) == expected
    assert network([pixels, "one.png"]) == [expected, of_file]


def test_the_callers_configuration_is_not_touched(here):
    network = renga.load("table")
    assert network({"x": 0, "y": 0})
    assert config.train is True
    assert config.enable_backprop is True


def test_several_threads(here):
    network = renga.load("table")
    expected = network("new.csv")
    found = []
    threads = [threading.Thread(target=lambda: found.append(network("new.csv"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_what_is_wrong_is_said(here):
    network = renga.load("table")
    with pytest.raises(RengaError, match="the row has no column 'y', which the network was trained on"):
        network({"x": 1})
    with pytest.raises(RengaError, match="column 'x': 'much' is not a number"):
        network({"x": "much", "y": 1})
    with pytest.raises(TypeError, match="a row must be a dictionary of values by column, not int"):
        network(3)
    with pytest.raises(RengaError, match="nothing is not a folder of a run"):
        renga.load("nothing")
    with pytest.raises(RengaError, match="weights is 'newest', and must be 'best' or 'last'"):
        renga.load("table", weights="newest")


@pytest.mark.parametrize("image", [np.zeros((8, 8)), np.zeros((8, 8, 2), np.uint8), np.zeros((0, 8), np.uint8), 5])
def test_what_is_no_image_is_said(here, image):
    pytest.importorskip("PIL.Image", reason="needs Pillow: pip install 'renga[cv]'")
    with pytest.raises(TypeError, match="an image must be the path of a file, a Pillow image, or a uint8 array"):
        renga.load("digits")(image)
