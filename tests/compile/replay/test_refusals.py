"""Steps that cannot be replayed are ordinary calls, and say why."""

from __future__ import annotations

import numpy as np
import pytest
from small_networks import GENERATOR, called, floats

import renga
import renga.functions as F
import renga.links as L
from renga import Chain, Parameter, Variable, grad
from renga.optimizers import SGD


def reads_a_number(x, w):
    return float(F.sum(x * w).array)


def reads_an_item(x, w):
    return F.sum(x * w).item()


def branches_on_a_value(x, w):
    y = F.sum(x * w)
    return (y * 2 if y.array > 0 else y).array


def computes_beside(x, w):
    return (Variable(x / 2) * w).array


def hands_a_computed_array_on(x, w):
    return (F.relu(x).array.astype(np.float64) * w).array


def converts(x, w):
    return F.sum(np.asarray(x, np.float32) * w).array


def looks_at_a_parameter(x, w):
    return (x * w if w.array.sum() > 1000 else x * w * 2).array


def takes_a_value_as_constant(x, w):
    return F.where((x * w).array, x, x).array


LIST: list[object] = []


def keeps_a_variable(x, w):
    LIST.append(F.sum(x * w))
    return


def keeps_an_array(x, w):
    LIST.append(F.sum(x * w).array)
    return


def draws_beside(x, w):
    return (x * w * GENERATOR.standard_normal(3).astype(np.float32)).array


def makes_a_parameter(x, w):
    return (x * Parameter(np.ones(3, np.float32))).array


def prints(x, w):
    return str(x)


def cuts_the_graph(x, w):
    y = F.sum(x * w)
    y.backward()
    y.unchain_backward()


def copies_into_a_parameter(x, w):
    w.copydata(Variable(x))


def gives_a_parameter_another_array(x, w):
    w.array = w.array + 0


def assigns_a_gradient(x, w):
    F.sum(x * w).backward()
    w.grad = np.ones(3, np.float32)


OTHER = Variable(floats(3), grad=floats(3))


def adds_a_gradient(x, w):
    F.sum(x * w).backward()
    w.addgrad(OTHER)


def reads_a_gradient(x, w):
    F.sum(x * w).backward()
    return float(np.sum(w.grad))


def asks_for_gradients_without_a_graph(x, w):
    (gw,) = grad([F.sum(x * w)], [w])
    return gw.array


def survives_an_error_in_backward(x, w):
    try:
        Broken().apply((x * w,))[0].backward()
    except ZeroDivisionError:
        return F.sum(x * w).array


class Broken(renga.FunctionNode):
    def forward(self, inputs):
        return (inputs[0].sum(keepdims=True)[0],)

    def backward_arrays(self, targets, gys):
        raise ZeroDivisionError


def returns_a_graph(x, w):
    return F.sum(x * w)


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (reads_a_number, "reads values"),
        (reads_an_item, "reads values"),
        (branches_on_a_value, "reads values"),
        (computes_beside, "reads values"),
        (hands_a_computed_array_on, "reads values"),
        (converts, "reads values"),
        (looks_at_a_parameter, "reads values"),
        (keeps_a_variable, "kept for later"),
        (keeps_an_array, "kept for later"),
        (draws_beside, "differs from call to call"),
        (makes_a_parameter, "makes a Parameter"),
        (prints, "reads values"),
        (cuts_the_graph, "unchain"),
        (copies_into_a_parameter, "changes a Parameter (copydata)"),
        (gives_a_parameter_another_array, "reads values"),
        (assigns_a_gradient, "changes a Parameter (grad)"),
        (adds_a_gradient, "reads values"),
        (reads_a_gradient, "reads values"),
        (asks_for_gradients_without_a_graph, "enable_double_backprop"),
        (survives_an_error_in_backward, "an error is raised"),
        (returns_a_graph, "call backward in the step"),
    ],
)
def test_steps_that_cannot_be_replayed_are_ordinary_calls_with_a_reason(step, why):
    LIST.clear()
    w = Parameter(np.array([1.0, 2.0, 3.0], np.float32))
    compiled = renga.compile(lambda x: step(x, w))
    for _ in range(6):
        x = floats(3)
        expected = None if step is draws_beside else step(x, w)
        got = compiled(x)
        if isinstance(got, np.ndarray) and expected is not None:
            np.testing.assert_array_equal(got, expected)
        elif isinstance(got, Variable):
            np.testing.assert_array_equal(got.array, expected.array)
    assert compiled.explain().startswith("ordinary calls: ")
    assert why in compiled.explain()
    assert type(w._array) is np.ndarray


def test_the_reason_tells_the_line():
    w = Parameter(floats(3))
    compiled = renga.compile(lambda x: reads_a_number(x, w))
    called(compiled, floats(3))
    assert f"{__file__}:{reads_a_number.__code__.co_firstlineno + 1}" in compiled.explain()


def test_a_counter_is_noticed():
    class Counting(Chain):
        def __init__(self):
            super().__init__()
            self.count = 0
            with self.init_scope():
                self.l = L.Linear(3, 2)

        def forward(self, x):
            self.count += 1
            return self.l(x)

    model = Counting()
    step = renga.compile(lambda x: model(x).array)
    with renga.no_backprop_mode():
        called(step, floats(2, 3))
    assert model.count == 6
    assert "attribute count of Counting" in step.explain()


def test_a_learning_rate_that_the_step_sets_is_set_in_each_call():
    """A replay would go on with the rate of the recorded calls."""

    def losses(compiler):
        renga.random.seed(0)
        layer, optimizer = L.Linear(3, 2), SGD()
        optimizer.setup(layer)

        def step(x, rate):
            optimizer.lr = rate
            loss = F.sum(layer(x) ** 2)
            layer.cleargrads()
            loss.backward()
            optimizer.update()
            return loss

        called = step if compiler is None else renga.compile(step, compiler)
        found = []
        for rate in (0.1, 0.1, 0.1, 0.1, 0.01, 0.01, 0.01, 0.01, 0.1, 0.1):
            found.append(called(np.ones((4, 3), np.float32), rate).item())
        return found, "" if compiler is None else called.explain()

    expected, _ = losses(None)
    for compiler in "replay", "fused":
        found, why = losses(compiler)
        assert found == expected
        assert "it sets the hyperparameter lr: set it outside of the step" in why


COUNT = 0


def test_a_counter_around_the_step_is_noticed():
    count = 0
    w = Parameter(floats(3))

    def counting(x):
        nonlocal count
        count += 1
        return (x * w).array

    def counting_in_the_module(x):
        global COUNT
        COUNT += 1
        return (x * w).array

    for step, name in (counting, "count"), (counting_in_the_module, "COUNT"):
        compiled = renga.compile(step)
        with renga.no_backprop_mode():
            called(compiled, floats(3))
        assert f"it assigns the variable {name}, which is not its own" in compiled.explain()
    assert count == COUNT == 6


def test_a_branch_that_turns_later_is_noticed_in_the_next_check():
    turned = []
    w = Parameter(floats(3))
    step = renga.compile(lambda x: (x * w + 1 if turned else x * w).array)
    with renga.no_backprop_mode():
        x = floats(3)
        called(step, x)
        turned.append(True)
        for _ in range(3):
            result = step(x)
    np.testing.assert_array_equal(result, x * w.array + 1)
    assert "did not do the same" in step.explain()


def test_a_second_dynamic_loss_scale_is_refused():
    layers, optimizers = [L.Linear(3, 2), L.Linear(3, 2)], [SGD(), SGD()]
    for layer, optimizer in zip(layers, optimizers, strict=True):
        optimizer.setup(layer)
        optimizer.loss_scaling()

    def step(x):
        for layer, optimizer in zip(layers, optimizers, strict=True):
            optimizer.update(lambda layer=layer: F.sum(layer(x)))

    compiled = renga.compile(step)
    called(compiled, floats(4, 3))
    assert "two of its optimizers have dynamic loss scales" in compiled.explain()


def test_a_state_with_a_graph_is_refused():
    layer = L.LSTM(3, 2)

    def step(x):
        loss = F.sum(layer(x))
        layer.cleargrads()
        loss.backward()
        loss.unchain_backward()

    compiled = renga.compile(step)
    called(compiled, floats(4, 3))
    assert "backward goes back to functions of an earlier call" in compiled.explain()
