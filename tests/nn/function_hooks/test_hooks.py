"""TimerHook, PrintHook."""

import io
import time

import numpy as np
import pytest

from renga_core.graph import FunctionNode, Variable, grad
from renga_nn.function_hooks import PrintHook, TimerHook
from renga_nn.functions import sin, sqrt


class Sleep(FunctionNode):
    def forward(self, inputs):
        time.sleep(0.01)
        return (inputs[0] * 2,)

    def backward(self, targets, gys):
        time.sleep(0.02)
        return (Sleep().apply((gys[0],))[0],)


def test_forward_and_backward_are_timed():
    x = Variable(np.ones(2))
    with TimerHook() as hook:
        y = Sleep().apply((sin(x),))[0]
        assert hook.total_time() == pytest.approx(sum(seconds for _, seconds in hook.call_history))
        grad([y], [x], enable_double_backprop=True)
    names = [name for name, _ in hook.call_history]
    assert names[:2] == ["Sin", "Sleep"]
    # Those that a backward applies lie within it.
    assert names.count("Sleep") == 3
    summary = hook.summary()
    assert summary["Sleep"]["elapsed_time"] >= 0.01 + 0.03 + 0.01
    assert hook.total_time() < sum(seconds for _, seconds in hook.call_history)


def test_timer_of_one_function():
    function = Sleep()
    hook = TimerHook()
    function.add_hook(hook)
    function.apply((np.ones(1),))
    sin(np.ones(1))
    assert [name for name, _ in hook.call_history] == ["Sleep"]


def test_report_has_functions(capsys):
    with TimerHook() as hook:
        sin(np.ones(1))
    hook.print_report()
    assert capsys.readouterr().out.startswith("FunctionName  ElapsedTime  Occurrence\nSin ")


def test_printing():
    file = io.StringIO()
    x = Variable(np.array([1.0, 9.0], "f"))
    with PrintHook(file=file):
        y = sqrt(x)
        y.grad = np.array([1.0, 1.0], "f")
        y.backward()
    assert file.getvalue().splitlines() == [
        "forward of Sqrt",
        "  input 0  float32 (2,)  numpy  mean 5  std 4",
        "backward of Sqrt",
        "  input 0  None",
        "  output gradient 0  float32 (2,)  numpy  mean 1  std 0",
    ]


def test_printing_arrays_without_elements_with_other_separators(capsys):
    with PrintHook(sep=" | ", end=";"):
        sin(np.ones((0, 2)))
    assert capsys.readouterr().out == "forward of Sin;  input 0 | float64 (0, 2) | numpy;"


@pytest.mark.parametrize("where", ["forward", "backward"])
def test_the_timer_goes_on_after_an_error(where):
    class Failing(FunctionNode):
        def forward(self, inputs):
            if where == "forward":
                raise MemoryError
            return (inputs[0] * 1,)

        def backward(self, targets, gys):
            raise MemoryError

    x = Variable(np.ones(1))
    with TimerHook() as hook:
        with pytest.raises(MemoryError):
            grad(Failing().apply((x,)), [x])
        before = hook.total_time()
        sin(np.ones(1))
        assert hook.total_time() > before
