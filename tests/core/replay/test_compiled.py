"""Replays compute what ordinary calls do, bit by bit, and calls that cannot be replayed are ordinary ones."""

from __future__ import annotations

import gc
import sys
import threading

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga import Chain, Parameter, Variable, grad
from renga.optimizers import SGD, Adam, MomentumSGD
from renga_core import random
from renga_core.graph import FunctionNode, arriving_gradients, backprop
from renga_core.graph.operators import arithmetic
from renga_core.reporter import Reporter

GENERATOR = np.random.default_rng(0)


def floats(*shape):
    return GENERATOR.standard_normal(shape).astype(np.float32)


def labels(classes, *shape):
    return GENERATOR.integers(0, classes, shape).astype(np.int32)


class MLP(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1, self.l2 = L.Linear(6, 9), L.Linear(9, 4)

    def forward(self, x, t):
        return F.softmax_cross_entropy(self.l2(F.relu(self.l1(x))), t)


class LeNet(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv1, self.conv2 = L.Convolution2D(1, 3, 5), L.Convolution2D(3, 5, 5)
            self.l1, self.l2 = L.Linear(80, 20), L.Linear(20, 10)

    def forward(self, x, t):
        h = F.max_pooling_2d(F.relu(self.conv1(x)), 2, 2)
        h = F.max_pooling_2d(F.relu(self.conv2(h)), 2, 2)
        return F.softmax_cross_entropy(self.l2(F.relu(self.l1(h))), t)


class Normalized(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv, self.bn, self.fc = L.Convolution2D(1, 4, 3), L.BatchNormalization(4), L.Linear(256, 10)

    def forward(self, x, t):
        return F.softmax_cross_entropy(self.fc(F.relu(self.bn(self.conv(x)))), t)


class Dropped(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1, self.l2 = L.Linear(6, 40), L.Linear(40, 4)

    def forward(self, x, t):
        return F.softmax_cross_entropy(self.l2(F.dropout(F.relu(self.l1(x)), 0.4)), t)


class Looped(Chain):
    """A recurrent network as a Python loop over rows of its arguments, with states of zeros made in each call."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.embed, self.lstm, self.fc = L.EmbedID(11, 8), L.StatelessLSTM(8, 8), L.Linear(8, 11)

    def forward(self, xs, ts):
        c = h = None
        loss = 0
        for x, t in zip(xs, ts, strict=True):
            c, h = self.lstm(c, h, self.embed(x))
            loss = loss + F.softmax_cross_entropy(self.fc(h), t)
        return loss


class Transformer(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.tokens, self.norm = L.EmbedID(13, 16), L.LayerNormalization(16)
            self.places = Parameter(np.zeros((5, 16), np.float32))
            self.qkv, self.fc = L.Linear(16, 48), L.Linear(16, 13)

    def forward(self, x, t):
        h = self.tokens(x)
        h = h + F.broadcast_to(self.places, h.shape)
        qkv = self.qkv(self.norm(h), n_batch_axes=2).reshape(3, 5, 3, 4, 4).transpose(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], causal=True)
        h = h + mixed.transpose(0, 2, 1, 3).reshape(3, 5, 16)
        return F.softmax_cross_entropy(self.fc(h, n_batch_axes=2).reshape(-1, 13), t.reshape(-1))


class GradientPenalty(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1, self.l2 = L.Linear(6, 8), L.Linear(8, 1)

    def forward(self, x):
        x = Variable(x)
        y = self.l2(F.tanh(self.l1(x)))
        (gx,) = grad([y], [x], enable_double_backprop=True)
        return F.mean((F.sqrt(F.sum(gx * gx, axis=1)) - 1) ** 2) + F.mean(y)


def training(model, optimizer):
    optimizer.setup(model)

    def step(*batch):
        loss = model(*batch)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step


def state(model):
    """Parameters, their gradients, and persistent values."""
    found = {path: p.array.copy() for path, p in model.namedparams()}
    found |= {path + "'": p.grad.copy() for path, p in model.namedparams() if p.grad is not None}
    for path, link in model.namedlinks():
        found |= {f"{path}.{name}": np.array(vars(link)[name]) for name in link._persistent}
    return found


NETWORKS = {
    "mlp": (MLP, Adam, lambda: (floats(5, 6), labels(4, 5))),
    "lenet": (LeNet, SGD, lambda: (floats(3, 1, 28, 28), labels(10, 3))),
    "batch normalization": (Normalized, MomentumSGD, lambda: (floats(4, 1, 10, 10), labels(10, 4))),
    "dropout": (Dropped, Adam, lambda: (floats(5, 6), labels(4, 5))),
    "lstm loop": (Looped, Adam, lambda: (labels(11, 6, 3), labels(11, 6, 3))),
    "transformer": (Transformer, Adam, lambda: (labels(13, 3, 5), labels(13, 3, 5))),
    "gradient penalty": (GradientPenalty, SGD, lambda: (floats(7, 6),)),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_replays_are_ordinary_calls_bit_by_bit(name):
    network, optimizer, batch = NETWORKS[name]
    batches = [batch() for _ in range(24)]
    outcomes = []
    for wrap in (renga.compile, lambda step: step):
        random.seed(1)
        model = network()
        step = wrap(training(model, optimizer()))
        losses = [step(*each).array.copy() for each in batches]
        outcomes.append((losses, state(model)))
        if wrap is renga.compile:
            assert step.explain().startswith("replayed")
    (losses, reached), (expected_losses, expected) = outcomes
    np.testing.assert_array_equal(losses, expected_losses)
    assert len(set(map(float, losses))) > 20
    assert reached.keys() == expected.keys()
    for key, value in expected.items():
        np.testing.assert_array_equal(reached[key], value, err_msg=key)


def called(step, *args, times=6):
    results = [step(*args) for _ in range(times)]
    return results[-1]


def test_a_replay_runs_no_python():
    count = []
    w = Parameter(floats(3))

    @renga.compile
    def step(x):
        count.append(None)
        return (x * w).array

    with renga.no_backprop_mode():
        x = floats(3)
        np.testing.assert_array_equal(called(step, x), x * w.array)
    assert step.explain().startswith("replayed")
    assert len(count) == 3
    assert "c0 * p0._array" in step.source


def test_the_formula_of_a_function_is_what_it_computes():
    functions = [f for f in vars(arithmetic).values() if getattr(f, "formula", None) is not None]
    assert len(functions) == 3
    for cls in functions:
        arrays = floats(2, 3), floats(2, 3)
        gy = floats(2, 3)
        function = cls()
        (y,) = function.apply([Variable(x) for x in arrays])
        forward, backward = cls.formula
        scope = {"x0": arrays[0], "x1": arrays[1], "gy": gy}
        np.testing.assert_array_equal(eval(forward.format("x0", "x1"), scope), y.array)
        for i, gx in enumerate(function.backward_arrays((0, 1), [gy])):
            np.testing.assert_array_equal(eval(backward[i].format("x0", "x1", gy="gy"), scope), gx)


def test_a_subclass_has_no_formula():
    class Twice(arithmetic.Add):
        def forward(self, inputs):
            return (2 * (inputs[0] + inputs[1]),)

    w = Parameter(floats(3))
    step = renga.compile(lambda x: Twice().apply((x, w))[0].array)
    with renga.no_backprop_mode():
        x = floats(3)
        np.testing.assert_array_equal(called(step, x), 2 * (x + w.array))
    assert step.explain() == "replayed"


@pytest.mark.parametrize("shape", [(3,), (1,), (2, 3), ()])
def test_formulas_with_broadcasting_and_arrays_without_axes(shape):
    outcomes = []
    for wrap in (renga.compile, lambda step: step):
        w, b = Parameter(np.full(shape, 0.9, np.float32)), Parameter(np.ones((), np.float32))

        @wrap
        def step(x, w=w, b=b):
            w.cleargrad()
            y = (x * w - b) * b + w
            F.sum(y * y).backward()
            return y

        for _ in range(6):
            y = step(np.arange(6, dtype=np.float32).reshape(2, 3))
        outcomes.append((y.array, w.grad, b.grad))
    for replayed, plain in zip(*outcomes, strict=True):
        assert type(replayed) is np.ndarray
        assert replayed.shape == plain.shape
        np.testing.assert_array_equal(replayed, plain)


def test_the_optimizer_reads_its_numbers_in_each_call():
    model = MLP()
    optimizer = SGD(lr=0.1)
    step = renga.compile(training(model, optimizer))
    batch = floats(5, 6), labels(4, 5)
    called(step, *batch)
    optimizer.lr = 0.0
    before = state(model)
    step(*batch)
    assert step.explain().startswith("replayed")
    for path, p in model.namedparams():
        np.testing.assert_array_equal(p.array, before[path])
    assert optimizer.t == 7


def test_gradients_that_are_not_cleared_add_up():
    w = Parameter(floats(3))
    step = renga.compile(lambda x: F.sum(x * w).backward())
    x = floats(3)
    for number in range(1, 12):
        step(x)
        np.testing.assert_allclose(w.grad, number * x, rtol=1e-6)
    assert step.explain().startswith("replayed")


def test_gradients_share_no_memory():
    a, b = Parameter(floats(3)), Parameter(floats(3))
    step = renga.compile(lambda x: a.cleargrad() or b.cleargrad() or F.sum((a + b) * x).backward())
    called(step, floats(3))
    assert step.explain() == "replayed"
    assert not np.may_share_memory(a.grad, b.grad)


def test_update_with_a_loss_function():
    model = MLP()
    optimizer = SGD().setup(model)
    step = renga.compile(lambda x, t: optimizer.update(model, x, t))
    random.seed(0)
    other = model.copy("copy")
    plain = SGD().setup(other)
    for _ in range(8):
        batch = floats(5, 6), labels(4, 5)
        step(*batch)
        plain.update(other, *batch)
    assert step.explain().startswith("replayed")
    for a, b in zip(model.params(), other.params(), strict=True):
        np.testing.assert_array_equal(a.array, b.array)


def test_each_shape_has_a_program_of_its_own():
    w = Parameter(floats(3))
    step = renga.compile(lambda x: F.sum(x * w).backward() or (x * w).array)
    for rows in (2, 4, 2, 4, 2, 4, 2, 4):
        x = floats(rows, 3)
        np.testing.assert_array_equal(step(x), x * w.array)
    assert step.explain().startswith("replayed")
    x = floats(5, 3)
    np.testing.assert_array_equal(step(x), x * w.array)
    assert "first with arguments of this kind" in step.explain()


def test_many_shapes_do_not_fill_the_memory():
    w = Parameter(floats(1))
    step = renga.compile(lambda x: (x * w).array)
    with renga.no_backprop_mode():
        for size in range(1, 40):
            called(step, floats(size), times=4)
    assert len(step._ways) <= 16
    assert step.explain() == "replayed"


def test_memory_order_is_a_kind_of_its_own():
    w = Parameter(floats(3, 3))
    step = renga.compile(lambda x: F.matmul(x, w).array)
    with renga.no_backprop_mode():
        called(step, floats(4, 3))
        step(np.asfortranarray(floats(4, 3)))
    assert "first" in step.explain()


def test_results_of_earlier_replays_stay_what_they_are():
    step = renga.compile(lambda x: (x, F.reshape(x, (4,)).array, F.relu(x).array))
    xs = [floats(2, 2) for _ in range(8)]
    with renga.no_backprop_mode():
        results = [step(x) for x in xs]
    assert step.explain().startswith("replayed")
    for x, (same, flat, positive) in zip(xs, results, strict=True):
        np.testing.assert_array_equal(same, x)
        np.testing.assert_array_equal(flat, x.reshape(4))
        np.testing.assert_array_equal(positive, np.maximum(x, 0))


def test_attributes_of_links_that_hold_results_are_set():
    class Keeping(Chain):
        y = None

        def __init__(self):
            super().__init__()
            self.y = None
            with self.init_scope():
                self.l = L.Linear(3, 2)

        def forward(self, x):
            self.y = None
            self.y = self.l(x)
            return F.sum(self.y)

    model = Keeping()
    step = renga.compile(training(model, SGD(lr=0.0)))
    for _ in range(6):
        x = floats(2, 3)
        step(x)
    assert step.explain().startswith("replayed")
    np.testing.assert_array_equal(model.y.array, model.l(x).array)


def test_a_classifier():
    model = L.Classifier(L.Linear(6, 4))
    model.compute_accuracy = False
    step = renga.compile(training(model, SGD(lr=0.0)))
    reporter = Reporter()
    reporter.add_observer("main", model)
    for _ in range(7):
        x, t = floats(5, 6), labels(4, 5)
        with reporter.scope({}):
            loss = step(x, t)
            assert float(reporter.observation["main/loss"].array) == float(loss.array) == float(model.loss.array)
    assert step.explain() == "replayed"
    np.testing.assert_array_equal(model.y.array, model.predictor(x).array)


def test_what_is_reported_is_reported_again():
    class Reporting(Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.l = L.Linear(3, 2)

        def forward(self, x):
            loss = F.sum(self.l(x))
            renga.report({"loss": loss, "size": 7}, self)
            return loss

    model = Reporting()
    reporter = Reporter()
    reporter.add_observer("main", model)
    step = renga.compile(training(model, SGD()))
    for _ in range(6):
        with reporter.scope({}):
            loss = step(floats(2, 3))
            seen = dict(reporter.observation)
        assert float(seen["main/loss"].array) == float(loss.array)
        assert seen["main/size"] == 7
    assert step.explain().startswith("replayed")


def test_memory_of_a_step_is_freed():
    model = LeNet()
    step = renga.compile(training(model, SGD()))
    called(step, floats(3, 1, 28, 28), labels(10, 3))
    kept = [node for node in step._ways.popitem()[1].program.namespace.values() if isinstance(node, renga.FunctionNode)]
    assert kept
    for node in kept:
        assert node._saved_inputs == node._saved_outputs == ()
    gc.collect()


# --- what cannot be replayed ------------------------------------------------------------------------------------------


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


def test_a_state_of_the_network_itself_cannot_be_replayed():
    class Stateful(Chain):
        def __init__(self):
            super().__init__()
            self.h = None
            with self.init_scope():
                self.l = L.Linear(3, 3)

        def forward(self, x):
            self.h = F.tanh(self.l(x) if self.h is None else self.l(x) + self.h)
            return F.sum(self.h)

    random.seed(2)
    model = Stateful()
    with renga.no_backprop_mode():
        plain = model.copy("copy")
        step = renga.compile(lambda x: model(x).array)
        for _ in range(8):
            x = floats(2, 3)
            np.testing.assert_array_equal(step(x), plain(x).array)
    assert step.explain().startswith("ordinary calls")


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


def test_test_mode_has_a_program_of_its_own():
    model = Dropped()
    step = renga.compile(lambda x: model.l2(F.dropout(model.l1(x))).array)
    x = floats(5, 6)
    with renga.no_backprop_mode():
        called(step, x)
        with renga.using_config("train", False):
            np.testing.assert_array_equal(called(step, x), model.l2(model.l1(x)).array)
            assert step.explain().startswith("replayed")


def test_hooks_and_debug_mode_see_every_function():
    from renga_nn.function_hooks import TimerHook

    w = Parameter(floats(3))
    step = renga.compile(lambda x: F.sum(x * w).backward())
    called(step, floats(3))
    with TimerHook() as hook:
        step(floats(3))
    assert len(hook.call_history) == 4
    assert "hook" in step.explain()
    with renga.DebugMode(True), pytest.raises(renga.graph.NaNError if hasattr(renga, "graph") else RuntimeError):
        step(np.full(3, np.nan, np.float32))
    assert "debug" in step.explain()
    step(floats(3))
    assert step.explain().startswith("replayed")


def test_another_parameter_is_noticed():
    model = MLP()
    step = renga.compile(training(model, SGD(lr=0.0)))
    batch = floats(5, 6), labels(4, 5)
    called(step, *batch)
    with model.l2.init_scope():
        model.l2.W = Parameter(floats(4, 9))
    for _ in range(6):
        assert float(step(*batch).array) == float(model(*batch).array)
    assert step.explain().startswith("replayed")


def test_a_changed_attribute_is_noticed():
    class Scaled(Chain):
        ratio = 2.0

        def __init__(self):
            super().__init__()
            self.ratio = 2.0
            with self.init_scope():
                self.l = L.Linear(3, 2)

        def forward(self, x):
            return self.l(x) * self.ratio

    model = Scaled()
    step = renga.compile(lambda x: model(x).array)
    with renga.no_backprop_mode():
        x = floats(2, 3)
        called(step, x)
        model.ratio = 3.0
        np.testing.assert_array_equal(step(x), model(x).array)
        np.testing.assert_array_equal(called(step, x), model(x).array)
    assert step.explain().startswith("replayed")


def test_a_changed_variable_around_the_step_is_noticed():
    factor = 2.0
    w = Parameter(floats(3))
    step = renga.compile(lambda x: (x * w * factor).array)
    with renga.no_backprop_mode():
        x = floats(3)
        called(step, x)
        factor = 3.0
        np.testing.assert_array_equal(step(x), x * w.array * np.float32(3))


def test_a_hook_of_one_link_is_noticed():
    from renga_nn.link_hooks import TimerHook

    model = MLP()
    step = renga.compile(training(model, SGD()))
    batch = floats(5, 6), labels(4, 5)
    called(step, *batch)
    hook = TimerHook()
    model.l1.add_hook(hook)
    called(step, *batch)
    assert len(hook.call_history) == 6


def test_other_kernels_are_noticed():
    w = Parameter(floats(3))
    step = renga.compile(lambda x: F.relu(x * w).array)
    with renga.no_backprop_mode():
        called(step, floats(3))
        with renga.using({"kernels.relu": "reference"}):
            step(floats(3))
            assert "recorded" in step.explain()


def test_arguments_of_other_kinds_are_ordinary_calls():
    step = renga.compile(lambda x: x.array * 2)
    x = Variable(floats(3))
    np.testing.assert_array_equal(called(step, x), x.array * 2)
    assert step.explain() == "ordinary calls: an argument is a Variable"


def test_an_error_leaves_the_step_usable():
    model = MLP()
    step = renga.compile(training(model, SGD(lr=0.0)))
    x, t = floats(5, 6), labels(4, 5)
    expected = float(called(step, x, t).array)
    with pytest.raises(ValueError, match="label"):
        step(x, t + 100)
    assert float(step(x, t).array) == expected
    assert step.explain().startswith("replayed")


def test_an_error_while_recording_restores_everything():
    w = Parameter(floats(3))
    apply, update = renga.FunctionNode.apply, renga.GradientMethod.update

    def step(x):
        F.sum(x * w).backward()
        raise OSError("no")

    compiled = renga.compile(step)
    for _ in range(3):
        with pytest.raises(OSError, match="no"):
            compiled(floats(3))
    assert renga.FunctionNode.apply is apply
    assert renga.GradientMethod.update is update
    assert type(w._array) is type(w._grad) is np.ndarray


def test_two_threads():
    w = Parameter(floats(50))
    step = renga.compile(lambda x: F.sum(F.exp(x * w)).array)
    wrong = []

    def work(seed):
        generator = np.random.default_rng(seed)
        with renga.no_backprop_mode():
            for _ in range(200):
                x = generator.standard_normal(50).astype(np.float32)
                if step(x) != F.sum(F.exp(x * w)).array:
                    wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_gradients_are_told_of_though_the_step_could_be_replayed() -> None:
    weight = Parameter(np.ones(3, np.float32))
    told: list[Variable] = []

    def listen(variable, gradient) -> None:
        told.append(variable)

    def plain(x):
        weight.cleargrad()
        F.sum(weight * x).backward()

    def listening(x):
        with arriving_gradients(listen):
            plain(x)

    step = renga.compile(listening)
    for _ in range(5):
        step(floats(3))
    assert told == [weight] * 5
    step = renga.compile(plain)
    for _ in range(5):
        step(floats(3))
    assert step.explain() == "replayed"
    with arriving_gradients(listen):
        step(floats(3))
    assert told == [weight] * 6


def test_threads_that_train_at_once():
    """One may record while others do, too, or train as ever: none raises, and no method stays replaced."""
    places = [(FunctionNode, "apply"), (Variable, "__init__"), (Variable, "cleargrad"), (backprop, "run_backward")]
    before = [getattr(owner, name) for owner, name in places]
    failures = []

    def train(number):
        try:
            for _ in range(15):
                W = Parameter(np.full(3, 1 + number, np.float32))

                def step(x, W=W):
                    loss = (W * x).sum()
                    W.cleargrad()
                    loss.backward()
                    return loss

                run = renga.compile(step) if number % 4 else step
                for i in range(6):
                    x = np.full(3, i, np.float32)
                    assert run(x if number % 4 else Variable(x)).array == 3 * i * (1 + number)
                    assert W.grad.tolist() == [i] * 3
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=train, args=(number,)) for number in range(6)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # so that they come in each other's way
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
    finally:
        sys.setswitchinterval(interval)
    assert not failures
    assert [getattr(owner, name) for owner, name in places] == before


def test_recordings_that_overlap_leave_no_method_replaced(monkeypatch):
    """The first begins first and ends first: what the second would put back is what the first has put there."""
    # As if the second had looked for what is in its way just before the first began.
    monkeypatch.setattr("renga_core.replay.compiled._obstacle", lambda: None)
    before = FunctionNode.apply
    inside, ended = threading.Event(), threading.Event()
    x = np.ones(3, np.float32)

    def other(x):
        y = F.tanh(x)
        if FunctionNode.apply is not before:  # somebody is recording
            inside.set()
            assert ended.wait(60)
        return y

    second = renga.compile(other)
    second(x)
    thread = threading.Thread(target=second, args=(x,))

    def step(x):
        y = F.relu(x)
        if FunctionNode.apply is not before and not thread.ident:
            thread.start()
            assert inside.wait(60)
        return y

    first = renga.compile(step)
    first(x)
    first(x)
    ended.set()
    thread.join(60)
    assert FunctionNode.apply is before
    assert second.explain() == "an ordinary call: another thread is recording"
