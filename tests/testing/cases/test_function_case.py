"""FunctionTestCase passes what is right, and fails what is wrong in one way each."""

import unittest

import numpy as np
import pytest

from renga_core.graph import FunctionNode, as_variable
from renga_testing import cases
from renga_testing.gradient_check import NondifferentiableError


def run(cls):
    """How the tests of a class end, by their names."""
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(cls).run(result)
    ended = {test.id().rpartition(".")[2]: text for test, text in [*result.failures, *result.errors, *result.skipped]}
    return result.testsRun, ended


class Cube(FunctionNode):
    forward_factor = backward_factor = second_factor = 1

    def forward(self, inputs):
        self.retain_inputs((0,))
        return (self.forward_factor * inputs[0] ** 3,)

    def backward_arrays(self, targets, gys):
        return (3 * self.backward_factor * self.saved_inputs[0] ** 2 * gys[0],)

    def backward(self, targets, gys):
        return (Square(self.second_factor).apply((self.get_retained_inputs()[0],))[0] * gys[0] * self.backward_factor,)


class Square(FunctionNode):
    def __init__(self, factor):
        self.factor = factor

    def forward(self, inputs):
        self.retain_inputs((0,))
        return (3 * inputs[0] ** 2,)

    def backward(self, targets, gys):
        return (6 * self.factor * as_variable(self.saved_inputs[0]) * gys[0],)


class WrongForward(Cube):
    forward_factor = 1.01


class WrongBackward(Cube):
    backward_factor = 1.01


class WrongSecond(Cube):
    second_factor = 1.01


class OfCube(cases.FunctionTestCase):
    __test__ = False
    node = Cube
    dtype = "f"

    def generate_inputs(self):
        return (np.random.default_rng(0).uniform(0.5, 1, (3, 2)).astype("f"),)

    def forward(self, inputs, device):
        return self.node().apply(inputs)

    def forward_expected(self, inputs):
        return ((inputs[0] ** 3).astype(self.dtype),)


def of(**attributes):
    cls = type("Case", (OfCube,), {"__test__": True, **attributes})
    return run(cases.inject_backend_tests(None, [{}])(cls))


def test_what_is_right_passes():
    assert of() == (3, {})
    assert of(contiguous="C") == (3, {})
    assert run(type("Case", (OfCube,), {})) == (3, {})


@pytest.mark.parametrize(
    ("node", "failed"),
    [
        (WrongForward, {"test_forward_numpy", "test_backward_numpy"}),
        (WrongBackward, {"test_backward_numpy"}),
        (WrongSecond, {"test_double_backward_numpy"}),
    ],
)
def test_what_is_wrong_fails(node, failed):
    _, ended = of(node=node)
    assert failed <= set(ended)
    assert all("FunctionTestError" in text for text in ended.values())


def test_the_dtype_counts():
    _, ended = of(dtype="f8")
    assert "shapes or dtypes are wrong: expected float64 (3, 2); got float32 (3, 2)" in ended["test_forward_numpy"]


def test_an_input_that_is_changed_is_found():
    def forward(self, inputs, device):
        y = Cube().apply(inputs)
        inputs[0].array[...] = 0
        return y

    assert "has changed inputs [0]" in of(forward=forward)[1]["test_forward_numpy"]


def test_outputs_must_be_a_tuple_of_variables():
    _, ended = of(forward=lambda self, inputs, device: Cube().apply(inputs)[0])
    assert "forward() must return a tuple of Variables" in ended["test_forward_numpy"]
    _, ended = of(generate_inputs=lambda self: [1])
    assert "generate_inputs() must return a tuple of NumPy's arrays" in ended["test_forward_numpy"]
    _, ended = of(contiguous="F")
    assert "contiguous is 'F'" in ended["test_forward_numpy"]


def test_options_are_passed_on():
    def set_up(self):
        self.check_forward_options = {"atol": 0.1, "rtol": 0.1}
        self.check_backward_options = {"atol": 0.1, "rtol": 0.1}

    assert "test_forward_numpy" not in of(node=WrongForward, setUp=set_up)[1]
    assert "test_backward_numpy" not in of(node=WrongBackward, setUp=set_up)[1]


def test_tests_can_be_left_out():
    flags = {"skip_forward_test": True, "skip_backward_test": True, "skip_double_backward_test": True}
    assert set(of(node=WrongForward, **flags)[1].values()) == {f"{flag} is set" for flag in flags}

    def before_test(self, name):
        raise unittest.SkipTest(name)

    assert set(of(before_test=before_test)[1].values()) == {"test_forward", "test_backward", "test_double_backward"}


def test_points_without_derivatives_are_dodged():
    tried = []

    def generate_inputs(self):
        tried.append(None)
        return (np.array([0.0 if len(tried) < 4 else 0.5]),)

    attributes = {
        "generate_inputs": generate_inputs,
        "forward": lambda self, inputs, device: (abs(inputs[0]),),
        "forward_expected": lambda self, inputs: (abs(inputs[0]),),
        "skip_forward_test": True,
        "skip_double_backward_test": True,
    }
    assert "test_backward_numpy" not in of(dodge_nondifferentiable=True, **attributes)[1]
    assert len(tried) == 4
    attributes["generate_inputs"] = lambda self: (np.zeros(1),)
    assert NondifferentiableError.__name__ in of(dodge_nondifferentiable=True, **attributes)[1]["test_backward_numpy"]


def test_the_base_is_no_test_itself():
    assert not cases.FunctionTestCase.__test__
    assert type("Case", (cases.FunctionTestCase,), {}).__test__
