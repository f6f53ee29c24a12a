"""What a classifier says of inputs."""

from types import SimpleNamespace

import numpy as np
import pytest

import renga.functions as F
import renga.links as L
from renga_core.plugin import get_manager, registry
from renga_training.kind import CONVERTER, EVALUATOR, TASK, UPDATER
from renga_training.tasks import Classification, Task


def test_class_and_probability():
    task = Classification()
    target = task.target(L.Linear(4, 3))
    x = np.random.default_rng(1).standard_normal((5, 4)).astype(np.float32)
    p = F.softmax(target.predictor(x)).array
    rows = task.predict(target, x)
    assert [row["class"] for row in rows] == p.argmax(axis=1).tolist()
    assert [row["probability"] for row in rows] == pytest.approx(p.max(axis=1).tolist(), abs=1e-6)
    task.preprocessing = SimpleNamespace(classes=("ant", "bee", "cat"))
    assert {row["class"] for row in task.predict(target, x)} <= {"ant", "bee", "cat"}


def test_every_task_is_one():
    for name in registry(TASK).names():
        task = registry(TASK).load(name)
        assert issubclass(task, Task)
        assert task.headline in task.figures
        assert task.updater in registry(UPDATER).names()
        assert task.converter in registry(CONVERTER).names()
    assert "standard" in registry(EVALUATOR).names()
    assert {"task", "updater", "converter", "evaluator"} <= get_manager().kinds().keys()
