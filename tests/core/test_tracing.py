"""The door for tracers: what they see, in which order, and that nobody else notices."""

import threading

import numpy as np
import pytest
from listing_tracer import Listing

from renga_core.configuration import config, unusual
from renga_core.graph import FunctionNode, Parameter, Variable, backward, grad, no_backprop_mode
from renga_core.kernel import Operation, operations
from renga_core.link import Chain
from renga_core.optimizer import GradientMethod, UpdateRule
from renga_core.reporter import Reporter
from renga_core.tracepoints import side_effect
from renga_core.tracer import Tracer


def x_of(*values):
    return Variable(np.array(values, np.float32))


def test_functions_and_gradients_in_order():
    x = x_of(1, 2)
    with Listing() as tracer:
        y = (x * x).sum()
        y.backward()
    assert tracer.seen == [
        *("apply Multiply", "end of apply", "apply Sum", "end of apply"),
        *("backward", "gradients Sum", "gradients Multiply", "accumulate", "end of backward"),
    ]
    assert x.grad.tolist() == [2, 4]


def test_nothing_is_left():
    with Listing(), Listing("second "):
        assert (threading.get_ident(), "tracers") in unusual
    assert config.tracers == config.choice_tracers == ()
    assert not [entry for _, entry in unusual if "tracers" in entry]


def test_an_error_passes_and_the_tracer_goes_on():
    class Failing(FunctionNode):
        def forward(self, inputs):
            raise ZeroDivisionError

    with Listing() as tracer:
        with pytest.raises(ZeroDivisionError):
            Failing().apply((x_of(1),))
        x_of(1) * 2
    assert tracer.seen[-2:] == ["apply MultiplyConstant", "end of apply"]


def test_other_threads_are_not_traced():
    x = x_of(1, 2)
    seen = []

    def work():
        (x * x).sum().backward()
        seen.append((config.tracers, type(x.array), x.grad.tolist()))

    with Listing() as tracer:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert tracer.seen == []
    assert seen == [((), np.ndarray, [2, 4])]


def test_the_last_entered_is_called_first():
    with Listing("a ") as a, Listing("b ") as b:
        a.seen = b.seen
        x_of(1) * 2
    assert b.seen == [
        *("a created", "b created"),
        *("b apply MultiplyConstant", "a apply MultiplyConstant", "a end of apply", "b end of apply"),
    ]


def test_a_tracer_is_not_traced_itself():
    class Doubling(Tracer):
        def apply(self, proceed, function, inputs):
            self.count += 1
            (y,) = proceed(function, inputs)
            return (y * 2,)

        count = 0

    with Doubling() as tracer:
        y = x_of(3) + 1
    assert y.array.tolist() == [8]
    assert tracer.count == 1


def test_what_a_function_applies_itself_is_part_of_it():
    class Outer(FunctionNode):
        def forward(self, inputs):
            with no_backprop_mode():
                return ((Variable(inputs[0]) * 2).array,)

        def backward(self, targets, gys):
            return (gys[0] * 2,)

    x = x_of(1)
    with Listing() as tracer:
        (y,) = Outer().apply((x,))
        y.backward()
    assert [line for line in tracer.seen if line.startswith(("apply", "gradients"))] == [
        "apply Outer",
        "gradients Outer",
    ]
    assert x.grad.tolist() == [2]


def test_a_differentiable_pass_is_functions():
    x = x_of(1, 2)
    with Listing() as tracer:
        (gx,) = grad([x * x], [x], enable_double_backprop=True)
    assert gx.array.tolist() == [2, 4]
    assert not [line for line in tracer.seen if line.startswith("gradients")]
    assert len([line for line in tracer.seen if line.startswith("apply")]) > 2


def test_grad_is_seen_without_a_backward():
    x = x_of(1, 2)
    with Listing() as tracer:
        grad([x * x], [x])
    assert [line for line in tracer.seen if "created" not in line][2:] == ["gradients Multiply"]


def test_objects_of_its_own_in_place_of_gradients():
    """The walk asks for no more of them than it says."""

    class Symbol:
        __array_ufunc__ = None

        def __init__(self, array, text):
            self.array, self.text = array, text

        shape = property(lambda self: self.array.shape)
        dtype = property(lambda self: self.array.dtype)
        size = property(lambda self: self.array.size)

        def __add__(self, other):
            return Symbol(self.array + other.array, f"({self.text} + {other.text})")

        def __iadd__(self, other):
            return Symbol(self.array + other.array, f"({self.text} += {other.text})")

        def copy(self):
            return Symbol(self.array.copy(), f"copy of {self.text}")

    class Symbolic(Tracer):
        def __init__(self):
            self.count, self.arrived = 0, {}

        def gradients(self, proceed, function, targets, gys):
            gxs = proceed(function, targets, [getattr(gy, "array", gy) for gy in gys])
            self.count += 1
            return [Symbol(gx, f"{function.label}{self.count}") for gx in gxs]

        def accumulate(self, proceed, variable, gradient, *options):
            self.arrived[variable.name] = gradient.text
            return proceed(variable, gradient.array, *options)

    x, w = x_of(1, 2), x_of(3, 4)
    x.name, w.name = "x", "w"
    with Symbolic() as tracer:
        y = x * w
        ((y + x) * y).sum().backward()
    assert x.grad.tolist() == [2 * 3 * 4, 4 * 4 * 5]
    assert "+=" in tracer.arrived["x"]


def test_what_a_program_reads_and_changes():
    x = x_of(1, 2)
    p = Parameter(np.ones(2, np.float32))
    with Listing() as tracer:
        _ = x.array, p.array
        x.array = np.ones(2, np.float32)
        x.grad = np.ones(2, np.float32)
        _ = x.grad
        x.copydata(p)
        x.addgrad(x)
        x.zerograd()
        x.cleargrad()
        p.cleargrad()
        y = x * 2
        y.unchain()
        x_of(1)
    of = " of Variable"
    wanted = ["read", "read", "array" + of, "grad" + of, "read", "copydata" + of]
    assert tracer.seen[: len(wanted)] == wanted
    assert [each for each in tracer.seen if each.endswith(("Variable", "Parameter"))][3:] == [
        *("addgrad" + of, "zerograd" + of, "cleargrad" + of, "cleargrad of Parameter", "unchain" + of)
    ]
    assert tracer.seen[-1] == "created"


def test_a_tracer_says_what_a_program_gets():
    class Halves(Tracer):
        def read(self, variable, array):
            return array / 2

    x = x_of(1, 2)
    with Halves():
        assert x.array.tolist() == [0.5, 1]
        assert (x * 2).array.tolist() == [1, 2]
    assert x.array.tolist() == [1, 2]


class Rule(UpdateRule):
    def update_core(self, param):
        param.array -= param.grad
        _ = Variable(param.array) * 2


class Descent(GradientMethod):
    def create_update_rule(self):
        return Rule()


class Line(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.w = Parameter(np.ones(2, np.float32))


def test_an_update_is_one_thing():
    link = Line()
    optimizer = Descent().setup(link)
    link.w.grad = np.ones(2, np.float32)
    with Listing() as tracer:
        optimizer.update()
        link.cleargrads()
    assert tracer.seen == ["update", "cleargrad of Parameter", "cleargrads of Line"]
    assert link.w.array.tolist() == [0, 0]
    with Listing() as tracer:
        optimizer.update(lambda: (link.w * 2).sum())
    kinds = [line.split()[0] for line in tracer.seen]
    assert kinds == [
        "apply",
        "end",
        "apply",
        "end",
        "cleargrad",
        "cleargrads",
        "backward",
        "gradients",
        "gradients",
    ] + [*("accumulate", "end", "update")]


def test_side_effects_and_reports():
    done = []
    reporter = Reporter()
    side_effect(lambda: done.append(1))
    with Listing() as tracer, reporter:
        side_effect(lambda: done.append(2))
        reporter.report({"loss": x_of(1)})
    assert done == [1, 2]
    assert [line for line in tracer.seen if line != "created"] == ["side_effect", "report"]
    assert list(reporter.observation) == ["loss"]


def test_choices_are_told_of_wherever_they_are_made():
    operation = Operation("twice_for_this_test", lambda x: 2 * x)
    backend = Variable(np.ones(1)).device.backend

    class Twice(FunctionNode):
        def forward(self, inputs):
            return (operation.select(backend, *inputs).forward(*inputs),)

    try:
        with Listing() as tracer:
            Twice().apply((x_of(1),))
            operation.sole(backend)
    finally:
        del operations[operation.name]
    choice = "twice_for_this_test: reference"
    assert tracer.seen == ["created", "apply Twice", choice, "end of apply", choice]


def test_who_listens_to_choices_only_does_not_slow_functions_down():
    class Choices(Tracer):
        def chosen(self, operation, implementation):
            """Nothing."""

    with Choices() as tracer:
        assert config.tracers == ()
        assert config.choice_tracers == (tracer,)
    assert config.choice_tracers == ()


def test_several_outputs_at_once():
    x = x_of(1, 2)
    y, z = (x * 2).sum(), (x * 3).sum()
    with Listing() as tracer:
        backward([y, z])
    assert [line for line in tracer.seen if line in ("backward", "accumulate")] == ["backward", "accumulate"]
    assert x.grad.tolist() == [5, 5]
