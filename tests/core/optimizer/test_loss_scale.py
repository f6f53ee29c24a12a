import copy
import pickle

import numpy as np
import pytest

from renga_core.optimizer.loss_scale import HIGHEST, DynamicLossScale


def test_doubles_in_the_interval():
    scale = DynamicLossScale(interval=4)
    for _ in range(4):
        scale.adjust(finite=True)
    assert scale.value == pytest.approx(2)


def test_halves_when_gradients_are_not_finite_but_not_below_one():
    scale = DynamicLossScale(interval=1)
    scale.adjust(finite=True)
    scale.adjust(finite=True)
    scale.adjust(finite=False)
    assert scale.value == 2
    for _ in range(3):
        scale.adjust(finite=False)
    assert scale.value == 1


def test_stays_within_float16():
    scale = DynamicLossScale(interval=1)
    for _ in range(100):
        scale.adjust(finite=True)
    assert scale.value == HIGHEST


def test_interval():
    with pytest.raises(ValueError, match="at least 1 update, not 0"):
        DynamicLossScale(0)


def test_starts_where_it_is_told_to():
    scale = DynamicLossScale(1000, 2.0**15)
    scale.adjust(finite=False)
    assert scale.value == 2**14
    for value in (0.5, 65536, float("nan")):
        with pytest.raises(ValueError, match="a loss scale must be from 1 to 65504, not"):
            DynamicLossScale(1000, value)


def trained(momentum, line, step):
    """W of a line after `step(optimizer, loss)` was called once with plain descent; its gradient is [1, 2]."""
    model = line()
    optimizer = momentum(lr=1.0, momentum=0.0).setup(model)
    step(optimizer, model([1.0, 2.0]))
    return model.W.array.tolist()


def scaled_backward(optimizer, loss):
    loss.backward(loss_scale=4.0)
    optimizer.update()


def unscaled_backward_of_an_optimizer_with_a_scale(optimizer, loss):
    optimizer.set_loss_scale(128.0)
    loss.backward()
    optimizer.update()


def assigned_gradients(optimizer, loss):
    """Of these it is said that they are multiplied by the optimizer's scale."""
    optimizer.set_loss_scale(2.0)
    optimizer.target.W.grad = np.array([2.0, 4.0], np.float32)
    optimizer.update()


def two_scales_add_up(optimizer, loss):
    (loss * 0.25).backward()
    (loss * 0.75).backward(loss_scale=8.0)
    optimizer.update()


def an_earlier_scale_is_forgotten_with_its_gradient(optimizer, loss):
    loss.backward(loss_scale=8.0)
    optimizer.target.cleargrads()
    optimizer.target.W.grad = np.array([1.0, 2.0], np.float32)
    optimizer.update()


def of_another_model(optimizer, loss):
    other = copy.deepcopy(optimizer.target)
    (other([1.0, 2.0]) * 0.5).backward(loss_scale=16.0)
    (loss * 0.5).backward(loss_scale=2.0)
    optimizer.target.addgrads(other)
    optimizer.update()


def one_parameter_alone(optimizer, loss):
    loss.backward(loss_scale=4.0)
    optimizer.target.W.update()


def a_copy_with_its_gradient(optimizer, loss):
    loss.backward(loss_scale=4.0)
    optimizer.target.W.grad = copy.deepcopy(optimizer.target.W).grad
    copied = pickle.loads(pickle.dumps(optimizer.target.W))
    copied.update_rule = optimizer.target.W.update_rule
    copied.update()
    optimizer.target.W.array[...] = copied.array


@pytest.mark.parametrize(
    "step",
    [
        scaled_backward,
        unscaled_backward_of_an_optimizer_with_a_scale,
        assigned_gradients,
        two_scales_add_up,
        an_earlier_scale_is_forgotten_with_its_gradient,
        of_another_model,
        one_parameter_alone,
        a_copy_with_its_gradient,
    ],
)
def test_parameters_know_by_what_the_loss_was_multiplied(momentum, line, step):
    assert trained(momentum, line, step) == [0, -1]


def test_a_second_update_by_one_gradient_divides_once(momentum, line):
    def twice(optimizer, loss):
        loss.backward(loss_scale=4.0)
        optimizer.update()
        optimizer.update()

    assert trained(momentum, line, twice) == [-1, -3]


def test_hooks_see_the_gradient_of_the_loss(momentum, line):
    seen = []

    def step(optimizer, loss):
        optimizer.add_hook(lambda o: seen.append(o.target.W.grad.tolist()), "look")
        loss.backward(loss_scale=4.0)
        optimizer.update()

    trained(momentum, line, step)
    assert seen == [[1, 2]]
