from typing import Any

import numpy as np
import pytest

from renga_core.graph import FunctionNode, Parameter, Variable
from renga_testing import (
    NondifferentiableError,
    assert_allclose,
    check_backward,
    check_double_backward,
    numerical_grad,
)

X = np.linspace(-1, 2, 6).reshape(2, 3)
GY = np.linspace(3, 1, 6).reshape(2, 3)


class WrongSquare(FunctionNode):
    def forward(self, inputs: Any) -> Any:
        self.retain_inputs((0,))
        return (inputs[0] ** 2,)

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        (x,) = self.get_retained_inputs()
        return (x * grad_outputs[0] * 2.01,)


def wrong_square(x: Any) -> Any:
    return WrongSquare().apply((x,))[0]


def test_numerical_grad_of_a_cube() -> None:
    x = X.copy()
    (gx,) = numerical_grad(lambda: (x**3,), (x,), (GY,))
    np.testing.assert_allclose(gx, 3 * X**2 * GY, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(x, X)


def test_numerical_grad_sums_over_outputs_and_leaves_out_none() -> None:
    x = X.copy()
    (gx,) = numerical_grad(lambda: (2 * x, None, x**2, 5 * x), (x,), (GY, None, GY, None))
    np.testing.assert_allclose(gx, (2 + 2 * X) * GY, rtol=1e-6)


def test_numerical_grad_wants_a_weight_for_each_output() -> None:
    with pytest.raises(ValueError, match="2 outputs; there are 1"):
        numerical_grad(lambda: (X, X), (X.copy(),), (GY,))


@pytest.mark.parametrize("f", [np.abs, np.sign, np.floor], ids=["kink", "step", "floor"])
def test_numerical_grad_detects_what_is_not_smooth(f: Any) -> None:
    x = np.array([1.5, 0.0002])
    with pytest.raises(NondifferentiableError, match="at element"):
        numerical_grad(lambda: (f(x),), (x,), (np.ones(2),), detect_nondifferentiable=True)
    np.testing.assert_array_equal(x, [1.5, 0.0002])


def test_numerical_grad_accepts_what_is_smooth() -> None:
    x = X.copy()
    (gx,) = numerical_grad(lambda: (np.exp(x),), (x,), (GY,), detect_nondifferentiable=True)
    np.testing.assert_allclose(gx, np.exp(X) * GY, rtol=1e-5)


def test_numerical_grad_from_four_points_is_exact_for_cubes() -> None:
    x = X.copy()
    (gx,) = numerical_grad(lambda: (x**3,), (x,), (GY,), eps=0.1, detect_nondifferentiable=True)
    np.testing.assert_allclose(gx, 3 * X**2 * GY, rtol=1e-9)


def test_numerical_grad_judges_each_element_of_the_outputs() -> None:
    x = np.array([0.0002])
    with pytest.raises(NondifferentiableError):  # a small kink beside large numbers
        numerical_grad(lambda: (abs(x), 1e3 * x), (x,), (np.ones(1), np.ones(1)), detect_nondifferentiable=True)
    x = np.array([1e-6])  # the jump is 2e-3 of the distance, a fortieth of what counts
    numerical_grad(lambda: (1e5 * x + np.floor(x),), (x,), (np.ones(1),), detect_nondifferentiable=True)
    constant = np.array([1.0, 1.0 - 1e-16, 1.0, 1.0, 1.0])
    calls = iter(constant)
    numerical_grad(lambda: (np.array([next(calls)]),), (x,), (np.ones(1),), detect_nondifferentiable=True)


def test_check_backward_accepts_what_is_right() -> None:
    check_backward(lambda x, y: (x * y, x + y**3), (X, X + 1), (GY, GY))


def test_check_backward_of_a_scalar_output() -> None:
    check_backward(lambda x: (x * x).sum(), X, None)


def test_check_backward_refuses_what_is_wrong() -> None:
    with pytest.raises(AssertionError, match="random direction"):
        check_backward(wrong_square, X, GY)


def test_check_backward_in_another_dtype() -> None:
    with pytest.raises(AssertionError):
        check_backward(lambda x: x * x, X.astype("f2"), GY.astype("f2"))
    check_backward(lambda x: x * x, X.astype("f2"), GY.astype("f2"), dtype="float64", atol=1e-9, rtol=1e-7)


def test_check_backward_of_parameters_puts_them_back() -> None:
    w = Parameter(np.float32(2) * np.ones((2, 3), "f"))
    array = w.array
    check_backward(lambda x: x * w * w, X, GY, params=w, dtype="d")
    assert w.array is array
    with pytest.raises(AssertionError):
        check_backward(lambda x: x + wrong_square(w), X, GY, params=(w,), dtype="d")


def test_check_backward_leaves_out() -> None:
    check_backward(lambda x, y: x + wrong_square(y), (X, X), GY, no_grads=(False, True))
    with pytest.raises(AssertionError):
        check_backward(lambda x, y: x + wrong_square(y), (X, X), GY, no_grads=(True, False))


def test_check_backward_leaves_out_integers() -> None:
    check_backward(lambda x, i: x[i.array], (X, np.array([1, 0])), GY)


def test_check_backward_detects_what_is_not_smooth() -> None:
    with pytest.raises(NondifferentiableError):
        check_backward(abs, np.zeros(3), np.ones(3), detect_nondifferentiable=True)


def test_check_double_backward_accepts_what_is_right() -> None:
    check_double_backward(lambda x, y: x**3 * y, (X, X + 2), GY, (GY, X))
    check_double_backward(lambda x: 3 * x, X, GY, GY)


def test_check_double_backward_refuses_what_is_wrong() -> None:
    class Cube(FunctionNode):
        """Its first gradient is right; that gradient's gradient, through `wrong_square`, is not."""

        def forward(self, inputs: Any) -> Any:
            self.retain_inputs((0,))
            return (inputs[0] ** 3,)

        def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
            (x,) = self.get_retained_inputs()
            return (3 * wrong_square(x) * grad_outputs[0],)

    check_backward(lambda x: Cube().apply((x,))[0], X, GY)
    with pytest.raises(AssertionError):
        check_double_backward(lambda x: Cube().apply((x,))[0], X, GY, GY)


def test_check_double_backward_of_parameters() -> None:
    w = Parameter(np.full((2, 3), 2.0))
    check_double_backward(lambda x: x * w**3, X, GY, X, params=w, params_grad_grad=GY)


def test_assert_allclose() -> None:
    assert_allclose(Variable(X), X)
    assert_allclose(np.ones(3), 1.0)
    with pytest.raises(AssertionError):
        assert_allclose(X, X + 1e-3)
    with pytest.raises(AssertionError):
        assert_allclose(X, X[:1, :2])


def test_none_among_gradients_and_inputs():
    def both(x):
        return x * x, x * 3

    one = np.ones(3)
    check_backward(both, one, (None, one))
    check_backward(both, one, (one, None))
    check_double_backward(both, one, (one, None), one)
    check_backward(lambda x, y: x * x, (one, None), one)
    check_double_backward(lambda x, y: x * x, (one, None), one, (one, None))
