"""Updates in groups: which parameters are updated together, and that it makes no difference to any of them."""

import copy

import numpy as np
import pytest

from renga_core.graph import Parameter
from renga_core.link import ChainList, Link
from renga_core.optimizer import GradientMethod, HyperparameterProxy, UpdateRule

calls = []


class GroupedRule(UpdateRule):
    """Momentum, for lists of arrays."""

    def init_state(self, param):
        self.state["v"] = param.xp.zeros_like(param.array)

    def update_group(self, params, grads, state):
        calls.append([p.size for p in params])
        for param, grad, v in zip(params, grads, state["v"], strict=True):
            v *= self.hyperparam.momentum
            v -= self.hyperparam.lr * grad
            param += v


class Grouped(GradientMethod):
    lr = HyperparameterProxy("lr")
    rule = GroupedRule

    def __init__(self, lr=0.25, momentum=0.5):
        super().__init__()
        self.hyperparam.lr = lr
        self.hyperparam.momentum = momentum

    def create_update_rule(self):
        return self.rule(self.hyperparam)


@pytest.fixture(autouse=True)
def no_calls():
    calls.clear()


def made(optimizer, sizes=(1, 2, 3, 4), dtypes=(np.float32,) * 4, fp32=False):
    link = Link(**{f"p{n}": (n, dtype) for n, dtype in zip(sizes, dtypes, strict=True)})
    for param in link.params():
        param.array[...] = np.arange(param.size) + 1
    if fp32:
        optimizer.use_fp32_update()
    return optimizer.setup(link), link


def feed(link, step=0):
    for param in link.params():
        if param.array is not None:
            param.grad = (np.arange(param.size) - step).astype(param.dtype)


def groups(optimizer, link):
    feed(link)
    calls.clear()
    optimizer.update()
    return [sorted(call) for call in calls]


def test_all_in_one_call():
    assert groups(*made(Grouped())) == [[1, 2, 3, 4]]


def test_one_for_each_dtype():
    optimizer, link = made(Grouped(), dtypes=(np.float32, np.float64) * 2)
    assert sorted(groups(optimizer, link)) == [[1, 3], [2, 4]]


def test_half_precision_in_float32_without_an_update_of_halves_is_updated_one_by_one():
    optimizer, link = made(Grouped(), dtypes=(np.float16, np.float32) * 2, fp32=True)
    assert groups(optimizer, link) == [[1], [3], [2, 4]]
    assert [p.dtype for p in link.params()] == [np.float16, np.float32] * 2


def test_an_update_of_halves_gets_all_with_the_same_loss_scale_and_leaves_their_gradients():
    class HalvesRule(GroupedRule):
        def update_half_group(self, params, grads, copies, state, scale):
            assert [p.dtype for p in (*params, *grads)] == [np.float16] * 2 * len(params)
            assert [p.dtype for p in (*copies, *state["v"])] == [np.float32] * 2 * len(params)
            calls.append((scale, [p.size for p in params]))

        def updates_halves(self):
            return True

    optimizer = Grouped()
    optimizer.rule = HalvesRule
    optimizer, link = made(optimizer, dtypes=(np.float16,) * 3 + (np.float32,), fp32=True)
    optimizer.set_loss_scale(4.0)
    feed(link)
    link.p2._loss_scale = 2.0  # as a backward notes it
    optimizer.update()
    assert calls == [(4.0, [1, 3]), (2.0, [2]), [4]]
    np.testing.assert_array_equal(link.p3.grad, [0, 1, 2])
    link.p3.unscale_grad()
    np.testing.assert_array_equal(link.p3.grad, [0, 0.25, 0.5])


def test_one_for_each_set_of_hyperparameters():
    optimizer, link = made(Grouped())
    link.p2.update_rule.hyperparam.lr = 0.5
    link.p4.update_rule.hyperparam.lr = 0.5
    link.p3.update_rule.hyperparam.names = ["cannot be hashed"]
    assert sorted(groups(optimizer, link)) == [[1], [2, 4], [3]]


def test_one_for_each_count_of_updates():
    optimizer, link = made(Grouped())
    feed(link)
    link.p3.cleargrad()
    optimizer.update()
    assert sorted(groups(optimizer, link)) == [[1, 2, 4], [3]]


def test_one_for_each_class():
    class Another(GroupedRule):
        """The same, in another class: it may compute something else."""

    optimizer, link = made(Grouped())
    link.p2.update_rule = Another(optimizer.hyperparam)
    assert sorted(groups(optimizer, link)) == [[1, 3, 4], [2]]


def test_what_is_left_alone():
    optimizer, link = made(Grouped())
    link.p1.update_rule.enabled = False
    link.p2.update_rule = None
    with link.init_scope():
        link.never = Parameter()
    link.never.update_rule = GroupedRule(optimizer.hyperparam)
    assert groups(optimizer, link) == [[3, 4]]
    assert link.never.update_rule.t == 0


def test_a_rule_with_something_of_its_own_is_asked_alone():
    """What a subclass or a program has put in the place of `update_core` or `update` is called, as ever."""
    seen = []

    class OwnCore(GroupedRule):
        def update_core(self, param):
            seen.append(param.size)
            super().update_core(param)

    class OwnUpdate(GroupedRule):
        def update(self, param):
            seen.append(param.size)
            super().update(param)

    optimizer, link = made(Grouped())
    link.p1.update_rule = OwnCore(optimizer.hyperparam)
    link.p2.update_rule = OwnUpdate(optimizer.hyperparam)
    link.p3.update_rule.update_core = lambda param: seen.append(param.size)
    assert groups(optimizer, link) == [[1], [2], [4]]
    assert seen == [1, 2, 3]


def test_a_rule_with_an_attribute_of_its_own_is_asked_alone():
    class Scaled(GroupedRule):
        scale = 1.0

        def update_group(self, params, grads, state):
            super().update_group(params, [grad * self.scale for grad in grads], state)

    class Optimizer(Grouped):
        rule = Scaled

    optimizer, link = made(Optimizer())
    link.p2.update_rule.scale = 0.0
    before = link.p2.array.copy()
    assert groups(optimizer, link) == [[2], [1, 3, 4]]
    np.testing.assert_array_equal(link.p2.array, before)


def test_copies_that_share_an_array_follow_each_other():
    """Each sees what the one before has done, also by way of float32."""
    link = Link(w=(3, np.float16))
    link.w.array[...] = 1
    shared = copy.copy(link.w)
    both = Link()
    with both.init_scope():
        both.one, both.two = link.w, shared
    optimizer = Grouped(lr=0.5)
    optimizer.use_fp32_update()
    optimizer.setup(both)
    for param in both.params():
        param.grad = np.ones(3, np.float16)
    optimizer.update()
    np.testing.assert_array_equal(link.w.array, [0, 0, 0])


def test_a_parameter_of_several_links_is_updated_once():
    link = Link(w=(3,))
    link.w.array[...] = 1
    optimizer = Grouped(lr=0.5).setup(ChainList(link, link, link))
    link.w.grad = np.ones(3, np.float32)
    optimizer.update()
    np.testing.assert_array_equal(link.w.array, [0.5, 0.5, 0.5])
    assert link.w.update_rule.t == 1


@pytest.mark.parametrize("fp32", [False, True])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_together_as_alone(dtype, fp32):
    """Hooks, counts, states and results are those of updates one by one."""
    results = []
    for together in (True, False):
        order = []
        optimizer, link = made(Grouped(), dtypes=(dtype,) * 4, fp32=fp32)
        if not together:
            optimizer.update_parameters = lambda params: [param.update() for param in params]
        link.p4.update_rule.hyperparam.lr = 0.125
        for param in (link.p2, link.p3):
            param.update_rule.add_hook(lambda rule, p: p.grad.__imul__(2), "double")
            param.update_rule.add_hook(lambda rule, p, seen=order: seen.append(("pre", p.size)), "before")
            param.update_rule.add_hook(
                lambda rule, p, seen=order: seen.append(("post", p.size, p.array[0])), "after", timing="post"
            )
        for step in range(4):
            feed(link, step)
            if step == 1:
                link.p3.cleargrad()
            if step == 2:
                optimizer.lr = 0.5
            optimizer.update()
        arrays = [(p.array, p.update_rule.state["v"], p.update_rule.t) for p in link.params()]
        results.append((arrays, [[entry for entry in order if entry[1] == size] for size in (2, 3)]))
    (one, one_order), (two, two_order) = results
    assert one_order == two_order
    for mine, theirs in zip(one, two, strict=True):
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(a, b)


def test_update_core_of_one_parameter():
    """Who calls `update_core`, as a subclass does, gets the update of that parameter."""
    param = Parameter(np.ones(2, np.float32))
    param.grad = np.ones(2, np.float32)
    optimizer = Grouped()
    rule = optimizer.create_update_rule()
    rule.update(param)
    np.testing.assert_array_equal(param.array, [0.75, 0.75])
    assert rule.t == 1
