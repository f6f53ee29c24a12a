"""Detectors as models of run files."""

import numpy as np
import pytest

from renga_core.graph import Variable, parameter
from renga_core.plugin import registry
from renga_cv.tasks.detection import Detection


@pytest.fixture(autouse=True)
def no_values(monkeypatch):
    """Memory that is never written to costs nothing, however large a network is."""
    monkeypatch.setattr(parameter, "_fill", lambda array, initializer, name: None)


@pytest.mark.parametrize("name", ["ssd300", "ssd512", "yolo_v2", "yolo_v2_tiny", "yolo_v3"])
def test_each_is_there_for_any_number_of_classes(name):
    detector = registry("model").load(name)(n_out=7)
    assert detector.n_fg_class == 7
    assert "detection" in registry("model").get(name).provider.capabilities


def test_the_task_trains_ssd300(monkeypatch):
    ssd = registry("model").load("ssd300")(n_out=2)
    seen = []

    def forward(x):
        seen.append(x)
        return Variable(np.zeros((len(x), 8732, 4), np.float32)), Variable(np.zeros((len(x), 8732, 3), np.float32))

    monkeypatch.setattr(ssd, "forward", forward)
    image = np.full((3, 60, 90), 200, np.float32)
    loss = Detection().target(ssd)([image], [np.array([[10, 20, 40, 70]], np.float32)], [np.array([1], np.int32)])
    assert seen[0].shape == (1, 3, 300, 300)
    np.testing.assert_allclose(seen[0][0, :, 0, 0], [200 - 123, 200 - 117, 200 - 104])
    assert float(loss.array) > 4 * np.log(3)  # of each box with an object, and of three without
