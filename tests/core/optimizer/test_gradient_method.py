import copy
import gc
import weakref

import numpy as np
import pytest

from renga_core.graph import FunctionNode, Variable
from renga_core.optimizer import GradientMethod


def test_setup_gives_each_parameter_a_rule_of_its_own(momentum, line):
    link = line()
    optimizer = momentum().setup(link)
    rules = [param.update_rule for param in link.params()]
    assert len({id(rule) for rule in rules}) == 2
    assert all(rule.hyperparam.parent is optimizer.hyperparam for rule in rules)


def test_update_with_a_loss_function_and_without(momentum, line):
    one, two = line(), line()
    momentum().setup(one).update(one, x=[1, 2])
    optimizer = momentum().setup(two)
    two([1, 2]).backward()
    optimizer.update()
    np.testing.assert_array_equal(one.W.array, [0.75, 0.5])
    np.testing.assert_array_equal(two.W.array, one.W.array)


def test_old_gradients_do_not_count(momentum, line):
    link = line()
    link.W.grad = np.full(2, 100, np.float32)
    momentum().setup(link).update(link, [1, 2])
    np.testing.assert_array_equal(link.W.grad, [1, 2])


def test_a_parameter_without_gradient_is_left_alone(momentum, line):
    link = line()
    optimizer = momentum().setup(link)
    optimizer.update(link, [1, 2])
    assert link.unused.grad is None
    assert link.unused.update_rule.t == 0
    assert link.unused.update_rule.state == {}
    np.testing.assert_array_equal(link.unused.array, [1, 1])


def test_with_zerograds_it_is_updated_by_zeros(momentum, line):
    link = line()
    optimizer = momentum().setup(link)
    optimizer.use_cleargrads(False)
    optimizer.update(link, [1, 2])
    assert link.unused.update_rule.t == 1
    np.testing.assert_array_equal(link.unused.grad, [0, 0])


def test_a_disabled_parameter_is_left_alone(momentum, line):
    link = line()
    optimizer = momentum().setup(link)
    link.disable_update()
    optimizer.update(link, [1, 2])
    np.testing.assert_array_equal(link.W.array, [1, 1])
    assert link.W.update_rule.t == 0
    link.enable_update()
    optimizer.update(link, [1, 2])
    np.testing.assert_array_equal(link.W.array, [0.75, 0.5])


def test_what_is_frozen_before_setup_stays_so(momentum, line):
    link = line()
    link.disable_update()
    optimizer = momentum().setup(link)
    assert not link.update_enabled
    optimizer.update(link, [1, 2])
    np.testing.assert_array_equal(link.W.array, [1, 1])
    momentum().setup(copy.deepcopy(link))
    assert not link.copy("copy").update_enabled
    optimizer = momentum().setup(link)
    assert not link.update_enabled
    link.enable_update()
    optimizer.update(link, [1, 2])
    np.testing.assert_array_equal(link.W.array, [0.75, 0.5])
    assert momentum().setup(link).target.update_enabled


def test_a_parameter_of_its_own_learning_rate(momentum, line):
    link = line()
    optimizer = momentum().setup(link)
    link.W.update_rule.hyperparam.lr = 1.0
    optimizer.update(link, [1, 2])
    np.testing.assert_array_equal(link.W.array, [0, -1])


def test_a_parameter_that_gets_its_shape_in_the_first_call(momentum, line):
    class Late(line):
        def __init__(self):
            super().__init__()
            self.add_param("late", initializer=1.0)

        def forward(self, x):
            if not self.late.is_initialized:
                self.late.initialize((len(x),))
            return super().forward(x) + self.late.sum()

    link = Late()
    momentum().setup(link).update(link, [1, 2])
    np.testing.assert_array_equal(link.late.array, [0.75, 0.75])


def test_float32_updates_can_be_chosen_before_and_after_setup(momentum, line):
    before, after = line(dtype=np.float16), line(dtype=np.float16)
    early, late = momentum(lr=2.0**-14), momentum(lr=2.0**-14)
    early.use_fp32_update()
    early.setup(before)
    late.setup(after).use_fp32_update()
    for _ in range(8):
        early.update(before, [1, 1])
        late.update(after, [1, 1])
    np.testing.assert_array_equal(before.W.array, after.W.array)
    assert before.W.array[0] < 1
    late.use_fp32_update(False)
    late.update(after, [1, 1])
    assert after.W.grad.dtype == np.float16


def test_hooks_see_float32_gradients_of_float32_updates(momentum, line):
    link, seen = line(dtype=np.float16), []
    optimizer = momentum()
    optimizer.use_fp32_update()
    optimizer.setup(link).add_hook(lambda o: seen.append(link.W.grad.dtype), "hook")
    optimizer.update(link, [1, 1])
    assert seen == [np.float32]


def test_neither_loss_nor_arguments_are_held_while_walking_backwards(momentum, line):
    link = line()
    alive = []

    class Probe(FunctionNode):
        def forward(self, inputs):
            return (inputs[0].copy(),)

        def backward(self, target_input_indexes, grad_outputs):
            alive.append([ref() is not None for ref in watched])
            return grad_outputs

    class Argument:
        value = (1.0, 2.0)

    def loss(argument):
        (w,) = Probe().apply((link.W,))
        total = (w * Variable(np.asarray(argument.value, np.float32))).sum()
        watched.append(weakref.ref(total))
        return total

    gc.disable()
    try:
        argument = Argument()
        watched = [weakref.ref(argument)]
        arguments = [argument]
        del argument
        momentum().setup(link).update(loss, arguments.pop())
    finally:
        gc.enable()
    assert alive == [[False, False]]


def test_create_update_rule_is_the_subclasses(line):
    with pytest.raises(NotImplementedError, match="GradientMethod does not define a `create_update_rule`"):
        GradientMethod().setup(line())
