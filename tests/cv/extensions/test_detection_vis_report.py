from types import SimpleNamespace

import numpy as np
import pytest

from renga_core.errors import RengaError
from renga_cv.extensions.detection_vis_report import DetectionVisReport
from renga_data.iterators import SerialIterator


class Detector:
    def predict(self, imgs):
        box, label, score = np.array([[1, 2, 9, 12]], np.float32), np.array([1]), np.array([0.5])
        return [box] * len(imgs), [label] * len(imgs), [score] * len(imgs)


@pytest.fixture
def report():
    image = np.zeros((3, 12, 16), np.float32)
    example = (image, np.array([[0, 0, 5, 5]], np.float32), np.array([0]), np.array([False]))
    return DetectionVisReport(
        SerialIterator([example] * 3, 2, repeat=False, shuffle=False),
        Detector(),
        ("ant", "bee"),
        "{iteration}_{index}.png",
    )


def test_a_picture_for_each_example(report, tmp_path):
    pytest.importorskip("matplotlib")
    image = pytest.importorskip("PIL.Image")
    trainer = SimpleNamespace(out=str(tmp_path), updater=SimpleNamespace(iteration=4))
    report.initialize(trainer)
    report(trainer)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"4_{index}.png" for index in range(3)]
    with image.open(tmp_path / "4_0.png") as picture:
        width, height = picture.size
    assert width == 2 * height
    assert not report.on_every_rank


def test_the_name_that_it_gives_by_itself():
    assert DetectionVisReport([], None).filename == "detection_iter={iteration}_idx={index}.jpg"


def test_without_matplotlib(report, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert not report.available()
    with pytest.raises(RengaError, match=r"renga\[plot\]"):
        report.initialize(None)
