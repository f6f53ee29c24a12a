"""LinkTestCase and LinkInitializersTestCase pass what is right, and fail what is wrong in one way each."""

import unittest

import numpy as np
import pytest

from renga_core.graph import Parameter, as_variable
from renga_core.link import Link
from renga_testing import cases


def run(cls):
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(cases.inject_backend_tests(None, [{}])(cls)).run(result)
    return result.testsRun, {
        test.id().rpartition(".")[2]: text for test, text in [*result.failures, *result.errors, *result.skipped]
    }


class Affine(Link):
    def __init__(self, W, b):
        super().__init__()
        with self.init_scope():
            self.W = Parameter(W)
            self.b = Parameter(0.0 if b is None else b)

    def forward(self, x):
        if not self.W.is_initialized:
            self.W.initialize((2, 3))
        if not self.b.is_initialized:
            self.b.initialize((3,))
        return x @ self.W + self.b


class Deaf(Affine):
    """No gradient reaches its parameter."""

    def forward(self, x):
        return super().forward(x) - x @ self.W + x @ as_variable(self.W.array)


class Off(Affine):
    def forward(self, x):
        return super().forward(x) * 1.01


class Ignoring(Affine):
    def __init__(self, W, b):
        super().__init__(W, 7.0)


class OfAffine:
    link = Affine
    param_names = ("W", "b")

    def generate_params(self):
        rng = np.random.default_rng(0)
        return rng.uniform(-1, 1, (2, 3)).astype("f"), rng.uniform(-1, 1, 3).astype("f")

    def create_link(self, initializers):
        return self.link(*initializers)

    def generate_inputs(self):
        return (np.random.default_rng(1).uniform(-1, 1, (4, 2)).astype("f"),)

    def forward_expected(self, link, inputs):
        return (inputs[0] @ link.W.array + link.b.array,)

    def get_initializers(self):
        return [1, lambda array: array.fill(2)], (cases.InitializerArgument(None, 0), 3, np.ones(3, "f"))


def of(base, **attributes):
    return run(type("Case", (OfAffine, base), attributes))


def test_what_is_right_passes():
    assert of(cases.LinkTestCase) == (2, {})
    assert of(cases.LinkTestCase, contiguous="C") == (2, {})
    assert of(cases.LinkInitializersTestCase) == (1, {})


@pytest.mark.parametrize(("link", "failed"), [(Deaf, "test_backward_numpy"), (Off, "test_forward_numpy")])
def test_what_is_wrong_fails(link, failed):
    _, ended = of(cases.LinkTestCase, link=link)
    assert set(ended) == {failed}
    assert "LinkTestError" in ended[failed]


def test_a_wrong_initial_value_fails():
    _, ended = of(cases.LinkInitializersTestCase, link=Ignoring)
    assert "LinkTestError: output 0 is wrong" in ended["test_initializers_numpy"]


def test_a_parameter_that_is_not_there():
    _, ended = of(cases.LinkTestCase, param_names=("W", "c"))
    assert "the link has no parameter 'c'" in ended["test_backward_numpy"]


def test_what_a_case_may_return():
    for attributes, message in (
        ({"create_link": lambda self, initializers: 3}, "create_link() must return a Link, not int"),
        ({"generate_params": lambda self: 3}, "generate_params() must return a tuple or a list"),
        ({"generate_params": lambda self: [None, 1]}, "InitializerArgument(None, …)"),
        ({"skip_forward_test": True}, "skip_forward_test is set"),
    ):
        assert message in of(cases.LinkTestCase, **attributes)[1]["test_forward_numpy"]
    _, ended = of(cases.LinkInitializersTestCase, get_initializers=lambda self: [1, 2])
    assert "get_initializers() must return" in ended["test_initializers_numpy"]


def test_initializer_arguments():
    with pytest.raises(ValueError, match="expected_initializer is None"):
        cases.InitializerArgument(None, None)
    with pytest.raises(TypeError, match="an initializer must be a number, an array or a callable"):
        cases.InitializerArgument(None, "nothing")
