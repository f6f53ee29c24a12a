"""Figures of a regression against NumPy's."""

from types import SimpleNamespace

import numpy as np
import pytest

import renga.links as L
from renga_core.errors import RengaError
from renga_data.datasets import TupleDataset
from renga_data.iterators import SerialIterator
from renga_training.tasks import Regression, TaskEvaluator

X = np.random.default_rng(0).standard_normal((50, 3)).astype(np.float32)
T = (X @ np.array([[1.0], [2.0], [-1.0]], np.float32) + 0.5).astype(np.float32)


def evaluated(task, target):
    batches = SerialIterator(TupleDataset(X, T), 16, repeat=False, shuffle=False)
    return TaskEvaluator(batches, target, task)()


def test_figures_are_those_of_the_whole_set():
    task = Regression()
    target = task.target(L.Linear(3, 1))
    found = evaluated(task, target)
    y = target.predictor(X).array
    assert found["main/loss"] == pytest.approx(np.mean((y - T) ** 2), rel=1e-5)
    assert found["main/absolute_error"] == pytest.approx(np.mean(abs(y - T)), rel=1e-5)
    assert found["main/r2"] == pytest.approx(1 - np.mean((y - T) ** 2) / np.var(T), rel=1e-4)


def test_units_are_those_of_the_data():
    task = Regression()
    task.preprocessing = SimpleNamespace(target_scale=10.0, target_shift=100.0, targets=("price",))
    target = task.target(L.Linear(3, 1))
    y = target.predictor(X).array
    assert evaluated(task, target)["main/absolute_error"] == pytest.approx(10 * np.mean(abs(y - T)), rel=1e-5)
    assert task.predict(target, X[:1]) == [{"price": pytest.approx(10 * y[0, 0] + 100, rel=1e-5)}]


def test_numbers_without_an_axis_are_one_each():
    target = Regression().target(L.Linear(3, 1))
    assert target(X, T[:, 0]).array == target(X, T).array


def test_a_model_with_another_number_of_outputs_is_refused():
    with pytest.raises(RengaError, match=r"\(50, 2\).*\(50, 1\).*n_out"):
        Regression().target(L.Linear(3, 2))(X, T)
