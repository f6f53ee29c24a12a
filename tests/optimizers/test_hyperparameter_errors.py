"""What constructors say about hyperparameters that they do not have, and about values that are no numbers."""

import inspect
import pickle

import numpy as np
import pytest

from renga import optimizers
from renga_core.optimizer import GradientMethod

ALL = sorted(
    name
    for name in dir(optimizers)
    if inspect.isclass(getattr(optimizers, name)) and issubclass(getattr(optimizers, name), GradientMethod)
)


@pytest.mark.parametrize("name", [name for name in ALL if name != "GradientMethod"])
def test_every_optimizer_says_what_it_has(name):
    optimizer = getattr(optimizers, name)
    with pytest.raises(TypeError) as caught:
        optimizer(weight_decay=0.1)
    text = str(caught.value)
    assert text.startswith(f"{name}.__init__() got an unexpected keyword argument 'weight_decay'. ")
    assert text.endswith(f" {name} has: {', '.join(inspect.signature(optimizer).parameters)}")
    assert "add_hook(renga.optimizer_hooks.WeightDecay(rate))" in text


@pytest.mark.parametrize(
    ("name", "given", "hint"),
    [
        ("Adam", "lr", "The learning rate is 'alpha'."),
        ("AdamW", "lr", "The learning rate is 'alpha'."),
        ("SGD", "learning_rate", "The learning rate is 'lr'."),
        ("Adam", "betas", "Pass beta1 and beta2."),
        ("AdamW", "weight_decay", "'weight_decay_rate' here, which is not multiplied by 'alpha'"),
        ("MSVAG", "weight_decay", "'weight_decay_rate' here, which is not multiplied by 'lr'"),
        ("SGD", "momentum", "MomentumSGD"),
        ("MomentumSGD", "nesterov", "NesterovAG"),
        ("RMSprop", "centered", "RMSpropGraves"),
        ("Adam", "beta_1", "Did you mean 'beta1'"),
        ("SGD", "params", "optimizer.setup(model)"),
        ("AdaDelta", "lr", "'lr'. AdaDelta has: rho, eps"),
    ],
)
def test_pytorch_s_names_are_explained(name, given, hint):
    with pytest.raises(TypeError) as caught:
        getattr(optimizers, name)(**{given: 0.5})
    assert hint in str(caught.value)


@pytest.mark.parametrize("value", ["0.1", None, [0.1], iter([])], ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("name", ["SGD", "AdamW", "AdaDelta"])
def test_a_value_that_is_no_number_is_refused_at_once(name, value):
    optimizer = getattr(optimizers, name)
    first = next(iter(inspect.signature(optimizer).parameters))
    message = rf"{name}.__init__\(\): {first} must be a number, not {type(value).__name__}. .*optimizer.setup\(model\)"
    with pytest.raises(TypeError, match=message):
        optimizer(value)
    with pytest.raises(TypeError, match=message):
        optimizer(**{first: value})


@pytest.mark.parametrize("value", [1, np.float32(0.5), np.array(0.5), True])
def test_numbers(value):
    assert optimizers.SGD(value).lr == optimizers.SGD(lr=value).lr == value


def test_what_it_names_exists():
    from renga.optimizer_hooks import WeightDecay
    from renga.optimizers import SGD, MomentumSGD, NesterovAG, RMSpropGraves

    assert MomentumSGD(momentum=0.5).momentum == NesterovAG(momentum=0.5).momentum == 0.5
    assert RMSpropGraves(momentum=0.5).momentum == 0.5
    assert callable(WeightDecay(0.1))
    assert callable(SGD().add_hook)


def test_subclasses_and_copies():
    class Mine(optimizers.Adam):
        pass

    with pytest.raises(TypeError, match=r"The learning rate is 'alpha'\."):
        Mine(lr=1)
    with pytest.raises(TypeError, match="takes from 1 to 2 positional arguments but 3 were given"):
        optimizers.SGD(1, 2)
    assert pickle.loads(pickle.dumps(optimizers.AdaBound(final_lr=0.5))).final_lr == 0.5
