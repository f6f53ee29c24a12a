import threading

import numpy as np
import pytest

from renga_core.configuration import config
from renga_core.graph import FunctionHook, FunctionNode, Variable, get_function_hooks
from renga_core.graph.operators.arithmetic import Multiply


class Recorder(FunctionHook):
    """Writes down every call, with what it was given."""

    def __init__(self, name="recorder", log=None):
        self.name = name
        self.log = [] if log is None else log

    def added(self, function):
        self.log.append((self.name, "added", function and function.label))

    def deleted(self, function):
        self.log.append((self.name, "deleted", function and function.label))

    def forward_preprocess(self, function, in_data):
        self.log.append((self.name, "forward_preprocess", function.label, in_data))

    def forward_postprocess(self, function, in_data):
        self.log.append((self.name, "forward_postprocess", function.label, in_data))

    def backward_preprocess(self, function, in_data, out_grad):
        self.log.append((self.name, "backward_preprocess", function.label, in_data, out_grad))

    def backward_postprocess(self, function, in_data, out_grad):
        self.log.append((self.name, "backward_postprocess", function.label, in_data, out_grad))

    def forward_aborted(self, function, in_data):
        self.log.append((self.name, "forward_aborted", function.label, in_data))

    def backward_aborted(self, function, in_data, out_grad):
        self.log.append((self.name, "backward_aborted", function.label, in_data, out_grad))

    def calls(self):
        return [entry[1:3] for entry in self.log]


def test_one_for_all_functions_sees_them_in_order():
    x = Variable(np.array([1.0, 2.0]))
    with Recorder() as hook:
        y = (x * x) + x
        y.grad = np.ones(2)
        y.backward()
    (x * x).sum().backward()
    assert hook.calls() == [
        ("added", None),
        ("forward_preprocess", "Multiply"),
        ("forward_postprocess", "Multiply"),
        ("forward_preprocess", "Add"),
        ("forward_postprocess", "Add"),
        ("backward_preprocess", "Add"),
        ("backward_postprocess", "Add"),
        ("backward_preprocess", "Multiply"),
        ("backward_postprocess", "Multiply"),
        ("deleted", None),
    ]


@pytest.mark.parametrize("double", [False, True])
def test_what_it_is_given(double):
    x = Variable(np.array([1.0, 2.0]))
    with Recorder() as hook:
        y = x * x + 1.0
        y.grad = np.array([5.0, 6.0])
        y.backward(enable_double_backprop=double)
    before = [entry for entry in hook.log if entry[1] == "forward_preprocess"]
    assert before[0][3][0] is x.array
    of_constant, of_product = [entry for entry in hook.log if entry[1] == "backward_preprocess"][:2]
    assert of_constant[3] == (None,)  # not retained
    assert of_product[3][0] is x.array
    assert type(of_product[4][0]) is np.ndarray
    np.testing.assert_array_equal(of_product[4][0], [5, 6])
    np.testing.assert_array_equal(x.grad, 2 * x.array * [5, 6])


@pytest.mark.parametrize("double", [False, True])
def test_one_for_one_function(double):
    x = Variable(np.array([1.0, 2.0]))
    hook = Recorder()
    function = Multiply()
    function.add_hook(hook)
    (y,) = function.apply((x, x))
    ((y * x) + y).sum().backward(enable_double_backprop=double)
    assert hook.calls() == [
        ("added", "Multiply"),
        ("forward_preprocess", "Multiply"),
        ("forward_postprocess", "Multiply"),
        ("backward_preprocess", "Multiply"),
        ("backward_postprocess", "Multiply"),
    ]
    function.delete_hook("recorder")
    assert hook.calls()[-1] == ("deleted", "Multiply")
    y.sum().backward()
    assert len(hook.calls()) == 6


def test_the_threads_hooks_come_before_the_functions_own_in_the_order_of_entering():
    log = []
    x = Variable(np.array([1.0]))
    function = Multiply()
    function.add_hook(Recorder("own", log))
    with Recorder("first", log), Recorder("second", log):
        assert list(get_function_hooks()) == ["first", "second"]
        (y,) = function.apply((x, x))
        y.backward()
    for stage in ("forward_preprocess", "forward_postprocess", "backward_preprocess", "backward_postprocess"):
        assert [entry[0] for entry in log if entry[1] == stage] == ["first", "second", "own"]
    assert not config.function_hooks


def test_one_of_a_name_at_a_time():
    with Recorder("twice"):
        with pytest.raises(KeyError, match="a function hook named 'twice' is active already"), Recorder("twice"):
            pass
        assert list(get_function_hooks()) == ["twice"]
    function = Multiply()
    function.add_hook(Recorder("mine"))
    function.add_hook(Recorder("mine"), name="another")
    with pytest.raises(KeyError, match="Multiply has a hook named 'mine' already; give this one another name"):
        function.add_hook(Recorder("mine"))
    with pytest.raises(KeyError, match=r"Multiply has no hook named 'none'; it has \['another', 'mine'\]"):
        function.delete_hook("none")


def test_other_threads_do_not_see_it():
    seen = []
    with Recorder() as hook:
        thread = threading.Thread(target=lambda: seen.append(Variable(np.ones(1)) * 2.0))
        thread.start()
        thread.join()
    assert hook.calls() == [("added", None), ("deleted", None)]
    assert seen


def test_an_error_inside_takes_it_away():
    with pytest.raises(ZeroDivisionError), Recorder():
        raise ZeroDivisionError
    assert not config.function_hooks


def test_values_are_those_without_a_hook():
    x = Variable(np.array([1.5, 2.5], np.float32))

    def compute():
        x.cleargrad()
        y = ((x * 2.0) @ np.eye(2, dtype=np.float32) + x[::-1]).sum()
        y.backward()
        return y.array, x.grad

    plain = compute()
    with Recorder():
        watched = compute()
    for a, b in zip(plain, watched, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


class Raising(FunctionNode):
    def __init__(self, where):
        self.where = where

    def forward(self, inputs):
        if self.where == "forward":
            raise ValueError("no")
        return (inputs[0] * 2,)

    def backward(self, targets, gys):
        raise ValueError("no")


def test_an_error_in_a_function_is_told_in_place_of_its_end():
    x = Variable(np.ones(2))
    log = []
    with Recorder("outer", log), Recorder("inner", log):
        with pytest.raises(ValueError, match="no"):
            Raising("forward").apply((x,))
        (y,) = Raising("backward").apply((x,))
        y.grad = np.ones(2)
        with pytest.raises(ValueError, match="no"):
            y.backward()
    told = [entry[:2] for entry in log if entry[1] not in ("added", "deleted")]
    assert told == [
        ("outer", "forward_preprocess"),
        ("inner", "forward_preprocess"),
        ("inner", "forward_aborted"),
        ("outer", "forward_aborted"),
        ("outer", "forward_preprocess"),
        ("inner", "forward_preprocess"),
        ("outer", "forward_postprocess"),
        ("inner", "forward_postprocess"),
        ("outer", "backward_preprocess"),
        ("inner", "backward_preprocess"),
        ("inner", "backward_aborted"),
        ("outer", "backward_aborted"),
    ]


def test_a_hook_that_raises_ends_those_before_it():
    class Broken(FunctionHook):
        name = "broken"

        def forward_preprocess(self, function, in_data):
            raise RuntimeError("no room")

    with Recorder() as before, Broken(), pytest.raises(RuntimeError, match="no room"):
        Multiply().apply((Variable(np.ones(2)), Variable(np.ones(2))))
    assert [call for call, _ in before.calls()][1:3] == ["forward_preprocess", "forward_aborted"]
