"""forget: the same values and gradients, and what is kept."""

import gc
import weakref

import numpy as np
import pytest

from renga_core import random
from renga_core.backend import get_device, to_host
from renga_core.configuration import config, using_config
from renga_core.graph import FunctionNode, InvalidType, Variable, as_variable, grad
from renga_nn.functions import dropout, exp, forget, sigmoid, sin, tanh
from renga_nn.links import BatchNormalization, BatchRenormalization, Linear
from renga_testing.function_suite import FunctionSuite, ready_backends


def two_of_three(x, y, z):
    return sigmoid(x * y) + sin(z), tanh(x)


class TestForget(FunctionSuite):
    cases = {
        "several outputs": {"function": two_of_three, "inputs": 3},
        "one output": {"function": lambda x: exp(x) * x, "inputs": 1},
        "an input as it is": {"function": lambda x, y: (x, x * y), "inputs": 2},
        "within another": {"function": lambda x: forget(lambda a: sin(a) * x, x * x), "inputs": 1},
        "twice the same": {"function": lambda x: forget(lambda a, b: a * a * b, x, x), "inputs": 1},
    }
    bad_inputs = {"a list": ((np.ones(2), [1.0], np.ones(2)), InvalidType, ("forget", "xs[1]", "list"))}

    def make_inputs(self, rng, dtype):
        return tuple(rng.uniform(-1, 1, (3, 2)).astype(dtype) for _ in range(self.inputs))

    def call(self, *xs):
        return forget(type(self).cases[self.name]["function"], *xs)

    def use_case(self, name):
        super().use_case(name)
        self.name = name or next(iter(self.cases))

    def reference(self, *xs):
        match self.name:
            case "several outputs":
                return 1 / (1 + np.exp(-xs[0] * xs[1])) + np.sin(xs[2]), np.tanh(xs[0])
            case "one output":
                return np.exp(xs[0]) * xs[0]
            case "an input as it is":
                return xs[0], xs[0] * xs[1]
            case "within another":
                return np.sin(xs[0] ** 2) * xs[0]
            case "twice the same":
                return xs[0] ** 3

    def empty_inputs(self, dtype):
        return tuple(np.zeros((0, 2), dtype) for _ in range(self.inputs))


def seen(loss, variables):
    """First gradients, and the gradient of the sum of their squares."""
    first = grad([loss], variables, enable_double_backprop=True)
    second = grad([sum(((g * g).sum() for g in first[1:]), start=(first[0] * first[0]).sum())], variables)
    return [g.array for g in (*first, *second)]


@pytest.mark.parametrize("captured_is_computed", [False, True])
def test_variables_that_the_function_refers_to_have_the_same_gradients(captured_is_computed):
    rng = np.random.default_rng(0)
    x, w, v = (Variable(rng.normal(size=(3, 2))) for _ in range(3))
    u = sin(w) if captured_is_computed else w
    wanted = [x, w, v, u] if captured_is_computed else [x, w, v]

    def function(a):
        return sigmoid(a * u) * v + u * x

    right = seen(function(x * 2).sum(), wanted)
    for result, expected in zip(seen(forget(function, x * 2).sum(), wanted), right, strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-12)
    forget(function, x * 2).sum().backward()
    for variable, expected in zip((x, w, v), right, strict=False):
        np.testing.assert_allclose(variable.grad, expected, rtol=1e-12)


def test_gradients_of_parameters_add_up_over_pieces():
    random.seed(0)
    with using_config("dtype", np.dtype("f8")):
        layer = Linear(2, 2)
    x = np.ones((3, 2))

    def loss(call):
        h = as_variable(x)
        for _ in range(3):
            h = call(lambda a: tanh(layer(a)), h)
        return h.sum()

    gradients = []
    for call in (lambda f, a: f(a), forget):
        layer.cleargrads()
        loss(call).backward()
        gradients.append([layer.W.grad, layer.b.grad])
    for forgotten, right in zip(gradients[1], gradients[0], strict=True):
        np.testing.assert_allclose(forgotten, right, rtol=1e-12)


def test_only_what_is_wanted_gets_a_gradient():
    w, x = Variable(np.ones(2)), Variable(np.ones(2))
    (gx,) = grad([forget(lambda a: a * w, x).sum()], [x])
    assert gx.array.tolist() == [1, 1]
    assert w.grad is None
    assert x.grad is None


class Kept(FunctionNode):
    """A function that tells which of its instances are alive."""

    alive = weakref.WeakSet()

    def forward(self, inputs):
        Kept.alive.add(self)
        self.retain_inputs((0,))
        return (inputs[0] * inputs[0],)

    def backward(self, targets, gys):
        (x,) = self.get_retained_inputs()
        return (2 * x * gys[0],)


def test_nothing_of_the_function_is_kept_after_forward_and_after_backward():
    x = Variable(np.array([1.0]))
    gc.disable()
    try:
        y = forget(lambda a: Kept().apply((Kept().apply((a,))[0],))[0], x)
        assert len(Kept.alive) == 0
        assert y.creator_node.saved_inputs[0] is x.array
        y.backward()
        assert len(Kept.alive) == 0
    finally:
        gc.enable()
    assert x.grad.tolist() == [4]


@pytest.mark.parametrize("backend", ready_backends())
@pytest.mark.parametrize("seeded", [False, True])
def test_what_is_drawn_is_drawn_again(backend, seeded):
    if seeded:
        random.seed(3)
    else:
        random.set_state({"entropy": None, "children": 0, "generators": {}})
    x = Variable(get_device(backend).send(np.ones(1000)))
    ys = [forget(lambda a: dropout(dropout(a)), x) for _ in range(2)]
    after = to_host(dropout(x))
    assert (to_host(ys[0]) != to_host(ys[1])).any()
    for y in ys:
        x.cleargrad()
        y.sum().backward()
        np.testing.assert_array_equal(to_host(x.grad), to_host(y))
    # Drawing goes on as if nothing had been recomputed.
    if seeded:
        random.seed(3)
        for _ in range(2):
            dropout(dropout(x))
        np.testing.assert_array_equal(to_host(dropout(x)), after)


def test_the_mode_is_that_of_forward():
    x = Variable(np.ones(100))
    with using_config("train", False):
        y = forget(dropout, x)
    y.sum().backward()
    assert x.grad.tolist() == [1] * 100


def test_averages_of_batch_normalization_move_once():
    x = Variable(np.random.default_rng(0).normal(size=(5, 3)).astype("f"))
    averages = []
    for call in (lambda f, a: f(a), forget):
        link = BatchNormalization(3)
        call(link, x).sum().backward()
        averages.append((link.avg_mean, link.avg_var))
    np.testing.assert_array_equal(averages[0], averages[1])
    link = BatchNormalization(3)
    forget(lambda a: link(a, finetune=True), x).sum().backward()
    assert link.N == 1


@pytest.mark.parametrize(
    ("plain", "forgetful"),
    [
        (lambda f, x: f(x), lambda f, x: forget(f, x)),
        (lambda f, x: f(x), lambda f, x: forget(lambda a: forget(f, a), x)),
        (lambda f, x: f(f(x) * 2), lambda f, x: forget(lambda a: f(forget(f, a) * 2), x)),
    ],
    ids=["once", "nested", "one of two"],
)
def test_batch_renormalization_sees_the_averages_that_it_saw(plain, forgetful):
    x = Variable(np.random.default_rng(0).normal(1, 3, size=(5, 3)))

    def gradients(call):
        link = BatchRenormalization(3, 4, 2, 0.5, dtype="f8")
        loss = (call(link, x) * np.arange(15.0).reshape(5, 3)).sum()
        return [gradient.array for _ in range(2) for gradient in grad([loss], [x, link.gamma])]

    for found, right in zip(gradients(forgetful), gradients(plain), strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-10)


def test_without_a_graph_the_function_is_called_once():
    calls = []

    def function(a):
        calls.append(config.in_recomputing)
        return a * a

    x = Variable(np.ones(2))
    with using_config("enable_backprop", False):
        assert forget(function, x).creator_node is None
    forget(function, np.ones(2))
    assert calls == [False, False]
    forget(function, x).sum().backward()
    assert calls == [False, False, False, True]


def test_one_output_and_a_tuple_of_one():
    x = Variable(np.ones(2))
    assert isinstance(forget(sin, x), Variable)
    (y,) = forget(lambda a: (sin(a),), x)
    y.sum().backward()
    assert x.grad.tolist() == np.cos(np.ones(2)).tolist()


def test_what_cannot_be_forgotten():
    with pytest.raises(TypeError, match="forget: func is a Variable"):
        forget(Variable(np.ones(1)), np.ones(1))
    with pytest.raises(TypeError, match="output 1 of func is a ndarray"):
        forget(lambda a: (a, a.array), Variable(np.ones(1)))
    with pytest.raises(TypeError, match="output 0 of func is a list"):
        forget(lambda a: [a], Variable(np.ones(1)))


def test_an_error_in_backward_leaves_random_numbers_and_configuration_alone():
    x = Variable(np.ones(2))

    def function(a):
        if config.in_recomputing:
            raise RuntimeError("again")
        return dropout(a)

    y = forget(function, x).sum()
    state = random.get_state()
    with pytest.raises(RuntimeError, match="again"):
        y.backward()
    assert random.get_state() == state
    assert not config.in_recomputing
    assert x.grad is None
