"""Hyperparameters that are declared: what the constructor, the attributes and the docstring become."""

import copy
import inspect
import pickle

import pytest

from renga_core.optimizer import GradientMethod, HyperparameterProxy, hyperparameter


class Declaring(GradientMethod):
    """It has two of them."""

    lr: float = hyperparameter(default=0.5, doc="Learning rate.")
    nesterov: bool = hyperparameter(default=False, doc="Look ahead.")
    step = HyperparameterProxy("lr")

    def __post_init__(self):
        self.hyperparam.first_lr = self.lr


class More(Declaring):
    """One more, one with another default, and one that is fixed."""

    lr: float = hyperparameter(default=0.25, doc="Another learning rate.")
    nesterov: bool = hyperparameter(default=True, doc="Look ahead.", init=False)
    eps: float = hyperparameter(default=1e-8, doc="A small number.")


class Written(Declaring):
    """Its constructor is its own."""

    def __init__(self, eps=0.125):
        super().__init__(lr=eps)
        self.hyperparam.eps = eps


class AfterWritten(Written):
    momentum: float = hyperparameter(default=0.9, doc="What is kept.")


def test_values_and_attributes():
    optimizer = Declaring(0.1)
    assert optimizer.hyperparam.get_dict() == {"lr": 0.1, "nesterov": False, "first_lr": 0.1}
    assert (optimizer.lr, optimizer.step, optimizer.nesterov) == (0.1, 0.1, False)
    optimizer.lr = 2.0
    assert optimizer.hyperparam.lr == optimizer.step == 2.0
    assert Declaring().lr == 0.5


def test_signature():
    assert str(inspect.signature(Declaring)) == "(lr: float = 0.5, nesterov: bool = False) -> None"
    assert str(inspect.signature(More)) == "(lr: float = 0.25, eps: float = 1e-08) -> None"
    assert Declaring.__init__.__qualname__ == "Declaring.__init__"


def test_errors_are_pythons_own():
    with pytest.raises(TypeError, match=r"Declaring.__init__\(\) got an unexpected keyword argument 'rate'"):
        Declaring(rate=1)
    with pytest.raises(TypeError, match="positional arguments"):
        More(1, 2, 3)


def test_docstring():
    assert inspect.getdoc(Declaring) == (
        "It has two of them.\n\nArgs:\n    lr: Learning rate.\n    nesterov: Look ahead."
    )
    assert "nesterov" not in More.__doc__
    assert Declaring.lr.__doc__ == "Learning rate."


def test_a_class_may_declare_more_and_anew():
    optimizer = More(eps=1.0)
    assert optimizer.hyperparam.get_dict() == {"lr": 0.25, "nesterov": True, "eps": 1.0, "first_lr": 0.25}
    assert More(0.75).hyperparam.first_lr == 0.75


def test_a_written_constructor_stays():
    assert Written(3.0).hyperparam.get_dict() == {"lr": 3.0, "nesterov": False, "first_lr": 3.0, "eps": 3.0}
    found = AfterWritten(momentum=0.5)
    assert (found.momentum, found.hyperparam.eps, found.lr) == (0.5, 0.125, 0.5)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies(again):
    assert again(Declaring(3.0)).hyperparam.get_dict() == {"lr": 3.0, "nesterov": False, "first_lr": 3.0}
