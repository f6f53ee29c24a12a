import copy
import pickle

import numpy as np
import pytest

from renga_core.optimizer import Hyperparameter


def test_what_is_not_set_is_the_parents():
    parent = Hyperparameter()
    parent.lr, parent.momentum = 0.1, 0.9
    child = Hyperparameter(parent)
    child.lr = 0.5
    parent.momentum = 0.8
    assert (child.lr, child.momentum, parent.lr) == (0.5, 0.8, 0.1)
    assert child.parent is parent
    assert child.get_dict() == {"lr": 0.5, "momentum": 0.8}
    assert repr(child) == "Hyperparameter(lr=0.5, momentum=0.8)"


def test_unknown():
    parent = Hyperparameter()
    parent.lr = 0.1
    with pytest.raises(AttributeError, match="no hyperparameter 'rl'; there are: lr"):
        _ = Hyperparameter(parent).rl
    assert not hasattr(Hyperparameter(), "lr")


@pytest.mark.parametrize("value", [np.float64(0.1), np.float32(0.1), np.asarray(0.1)])
def test_numpy_scalars_become_python_numbers(value):
    hyper = Hyperparameter()
    hyper.lr = value
    assert type(hyper.lr) is float


def test_copies_and_pickles():
    parent = Hyperparameter()
    parent.lr = 0.1
    child = Hyperparameter(parent)
    child.eps = 1.0
    for made in (copy.copy(child), copy.deepcopy(child), pickle.loads(pickle.dumps(child))):
        assert made.get_dict() == {"lr": 0.1, "eps": 1.0}


def test_proxy(momentum):
    optimizer = momentum(lr=0.1)
    assert optimizer.lr == 0.1
    optimizer.lr = 0.2
    assert optimizer.hyperparam.lr == 0.2
    assert "hyperparam.lr" in type(optimizer).lr.__doc__
