import inspect
import threading

import numpy as np
import pytest

from renga_core.configuration import config
from renga_core.graph import DebugMode, FunctionNode, NaNError, Variable, grad, is_debug, set_debug


@pytest.fixture(autouse=True)
def debug_mode():
    with DebugMode(True):
        yield


class Poison(FunctionNode):
    """The identity, with NaN for a gradient."""

    def forward(self, inputs):
        return (inputs[0] + 0,)

    def backward(self, target_input_indexes, grad_outputs):
        return (Variable(np.full_like(grad_outputs[0].array, np.nan)),)


def test_switching():
    assert is_debug()
    with DebugMode(False):
        assert not is_debug()
        with pytest.raises(KeyError), DebugMode(True):
            raise KeyError
        assert not is_debug()
    assert is_debug()
    set_debug(False)
    assert not config.debug
    set_debug(True)
    elsewhere = []
    thread = threading.Thread(target=lambda: elsewhere.append(is_debug()))
    thread.start()
    thread.join()
    assert elsewhere == [False]


def line_here():
    return inspect.currentframe().f_back.f_lineno


def test_nan_in_forward_names_the_function_and_the_line():
    x = Variable(np.array([1.0, 0.0], np.float32))
    with np.errstate(invalid="ignore"), pytest.raises(NaNError) as caught:
        x / x
    line = line_here() - 1
    assert str(caught.value) == (
        f"NaN in output of Divide (0: float32 (2,)). It was called in {__file__}:{line}: x / x"
    )


@pytest.mark.parametrize("double", [False, True])
def test_nan_in_backward_names_the_function_and_the_line(double):
    x = Variable(np.array([1.0, 0.0]))
    line = line_here() + 1
    y = Poison().apply((x * 2,))[0]
    with pytest.raises(NaNError) as caught:
        y.sum().backward(enable_double_backprop=double)
    call = f"It was called in {__file__}:{line}: y = Poison().apply((x * 2,))[0]"
    assert str(caught.value) == f"NaN in gradient computed by Poison (0: float64 (2,)). {call}"
    assert caught.value.__notes__ == [f"In the backward of Poison, which was called with float64 (2,). {call}"]
    assert x.grad is None
    with pytest.raises(NaNError):
        grad([y], [x])


def test_infinities_and_integers_are_no_nan():
    x = Variable(np.array([1.0, 0.0]))
    with np.errstate(divide="ignore"):
        (1 / x).array  # noqa: B018
    Variable(np.array([1, 2])) + 1  # isnan is not asked


def test_broadcasting_and_mixed_precision_are_no_errors():
    a, b = Variable(np.ones((3, 4), np.float16)), Variable(np.ones(4, np.float32))
    (a * b + b).sum().backward()
    assert (a.grad.dtype, b.grad.dtype) == (np.float16, np.float32)
    np.testing.assert_array_equal(b.grad, np.full(4, 6))


def test_a_wrong_kind_of_gradient_names_the_line():
    class Mask(Poison):
        def backward(self, target_input_indexes, grad_outputs):
            return (Variable(grad_outputs[0].array > 0),)

    x = Variable(np.ones(2))
    line = line_here() + 1
    (y,) = Mask().apply((x,))
    with pytest.raises(RuntimeError, match=r"^the backward of Mask returned a gradient of bool \(2,\)") as caught:
        y.sum().backward()
    assert f"{__file__}:{line}: (y,) = Mask().apply((x,))" in caught.value.__notes__[0]


def test_outside_debug_mode_nothing_is_recorded_or_checked():
    x = Variable(np.array([1.0, 0.0]))
    with DebugMode(False), np.errstate(invalid="ignore"):
        y = x / x
    assert y.creator.stack is None
    assert (x * x).creator.stack[-1].name == "test_outside_debug_mode_nothing_is_recorded_or_checked"


def test_afterwards_the_thread_has_no_value_of_its_own_that_would_hide_the_default():
    def own():
        with DebugMode(True):
            pass
        found.append(dict(vars(config)))

    found = []
    thread = threading.Thread(target=own)
    thread.start()
    thread.join()
    assert found == [{}]
