"""The test base must refuse functions that are wrong on purpose, each in one way."""

from typing import Any

import numpy as np
import pytest

from renga_core.backend import get_device
from renga_core.graph import FunctionNode, InvalidType, Variable
from renga_core.graph.operators import cast
from renga_testing.function_suite import FunctionSuite, ready_backends


class Cube(FunctionNode):
    """x * x * x, without a fault."""

    fresh_gradients = True

    def forward(self, inputs: Any) -> Any:
        self.retain_inputs((0,))
        return (inputs[0] * inputs[0] * inputs[0],)

    def backward_arrays(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        (x,) = self.saved_inputs
        return (3 * x * x * grad_outputs[0],)

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        (x,) = self.get_retained_inputs()
        return (3 * x * x * grad_outputs[0],)


class CubeSuite(FunctionSuite):
    node: type[FunctionNode] = Cube
    bad_inputs = {"a list": (([1.0],), TypeError, ("Cube",))}

    def make_inputs(self, rng: Any, dtype: Any) -> Any:
        return (rng.uniform(0.5, 1, (3, 4)).astype(dtype),)

    def call(self, *variables: Any) -> Any:
        return self.node().apply(variables)[0]

    def reference(self, *arrays: Any) -> Any:
        return arrays[0] ** 3

    def empty_inputs(self, dtype: Any) -> Any:
        return (np.zeros((0, 3), dtype),)


class TestCube(CubeSuite):
    """The function without a fault passes each test."""


class Product(FunctionNode):
    """Two inputs and two outputs: x0 * x1 and 2 * x0; without a fault."""

    def forward(self, inputs: Any) -> Any:
        self.retain_inputs((0, 1))
        return inputs[0] * inputs[1], 2 * inputs[0]

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        x0, x1 = self.get_retained_inputs()
        gy0, gy1 = grad_outputs
        gx0 = None if gy0 is None else gy0 * x1
        if gy1 is not None:
            gx0 = 2 * gy1 if gx0 is None else gx0 + 2 * gy1
        gxs = gx0, None if gy0 is None else gy0 * x0
        return [gxs[i] for i in target_input_indexes]


class ProductSuite(CubeSuite):
    node = Product

    def make_inputs(self, rng: Any, dtype: Any) -> Any:
        return rng.standard_normal((3, 4)).astype(dtype), rng.standard_normal((3, 4)).astype(dtype)

    def call(self, *variables: Any) -> Any:
        return self.node().apply(variables)

    def reference(self, *arrays: Any) -> Any:
        return arrays[0] * arrays[1], 2 * arrays[0]

    def empty_inputs(self, dtype: Any) -> Any:
        return np.zeros((0, 3), dtype), np.zeros((0, 3), dtype)


class TestProduct(ProductSuite):
    """Several inputs and outputs, without a fault."""

    bad_inputs = {"sizes": ((np.zeros(2), np.zeros(3)), ValueError, ("Product",))}


# --- faults, each named for what is wrong ---


class WrongValue(Cube):
    def forward(self, inputs: Any) -> Any:
        return (super().forward(inputs)[0] * 1.02,)


class WrongShape(Cube):
    def forward(self, inputs: Any) -> Any:
        return (super().forward(inputs)[0][:1],)


class Widening(Cube):
    def forward(self, inputs: Any) -> Any:
        return (super().forward(inputs)[0].astype("float64"),)


class WrongGradient(Cube):
    def backward_arrays(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        return (super().backward_arrays(target_input_indexes, grad_outputs)[0] * 1.001,)


class WrongSlowGradient(Cube):
    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        return (super().backward(target_input_indexes, grad_outputs)[0] * 1.001,)


class OneElementWrong(Cube):
    def backward_arrays(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        gx = super().backward_arrays(target_input_indexes, grad_outputs)[0]
        gx[1, 2] *= 1.01
        return (gx,)


class NotDifferentiableTwice(Cube):
    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        (x,) = self.saved_inputs
        return (3 * x * x * grad_outputs[0],)


class WideGradient(Cube):
    def backward_arrays(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        return (super().backward_arrays(target_input_indexes, grad_outputs)[0].astype("float64"),)


class WideSlowGradient(Cube):
    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        return (cast(super().backward(target_input_indexes, grad_outputs)[0], "float64"),)


class Overflowing(Cube):
    """Half precision cannot hold 60000 * 3."""

    def backward_arrays(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        with np.errstate(over="ignore"):
            return ((self.saved_inputs[0] * 60000 * 3) * self.saved_inputs[0] * grad_outputs[0] / 60000,)


class ReadingTheBuffer(Cube):
    """Takes for granted that an array is contiguous."""

    def forward(self, inputs: Any) -> Any:
        (x,) = inputs
        self.retain_inputs((0,))
        buffer = x if x.base is None else x.base
        return ((buffer.ravel()[: x.size] ** 3).reshape(x.shape),)


class NeedsElements(Cube):
    def forward(self, inputs: Any) -> Any:
        return (super().forward(inputs)[0] + 0 * inputs[0].max(),)


class WrongWhenEmpty(Cube):
    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        if not grad_outputs[0].size:
            return (Variable(np.zeros((2, 3), grad_outputs[0].dtype)),)
        return super().backward(target_input_indexes, grad_outputs)


class ChangingItsInput(Cube):
    def forward(self, inputs: Any) -> Any:
        inputs[0][...] += 1
        return super().forward(inputs)


class ChangingTheGradient(Cube):
    def backward_arrays(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        grad_outputs[0][...] *= 3
        return (self.saved_inputs[0] ** 2 * grad_outputs[0],)


class GradientOfTheOutside(Cube):
    """Says that its gradients are fresh, and hands on the incoming one."""

    def backward_arrays(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        return (grad_outputs[0][::1],)


class GradientIsRetained(Cube):
    def backward_arrays(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        return (self.saved_inputs[0].T.T,)


class GradientIsKept(Cube):
    def forward(self, inputs: Any) -> Any:
        self.kept = np.ones_like(inputs[0])
        return super().forward(inputs)

    def backward_arrays(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        return (self.kept,)


class GradientIsReadOnly(Cube):
    def backward_arrays(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        return (np.broadcast_to(np.ones(()), grad_outputs[0].shape),)


class Cycle(Cube):
    def apply(self, inputs: Any) -> Any:
        ys = super().apply(inputs)
        self.mine = ys
        return ys


class SwappedTargets(Product):
    """Right only when all inputs want a gradient."""

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        return super().backward((0, 1), grad_outputs)[: len(target_input_indexes)]


class ForgettingAnOutput(Product):
    """Drops the first output's gradient when there is none for the second."""

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        if grad_outputs[1] is None:
            return [None] * len(target_input_indexes)
        return super().backward(target_input_indexes, grad_outputs)


class SharingOneGradient(Product):
    fresh_gradients = True

    def backward_arrays(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        gx = grad_outputs[0] * 2
        return [gx for _ in target_input_indexes]


@pytest.mark.parametrize(
    ("node", "finds", "arguments"),
    [
        (WrongValue, "forward", ("float16",)),
        (WrongShape, "forward", ("float64",)),
        (Widening, "forward_dtype", ("float32",)),
        (WrongGradient, "gradient", ()),
        (OneElementWrong, "gradient", ()),
        (WrongGradient, "gradient_paths", ()),
        (WrongSlowGradient, "gradient_paths", ()),
        (NotDifferentiableTwice, "double_gradient", ()),
        (WideGradient, "gradient_dtype", ("float16",)),
        (WideSlowGradient, "gradient_dtype", ("float32",)),
        (Overflowing, "gradient_precision", ("float16",)),
        (ReadingTheBuffer, "noncontiguous", ()),
        (NeedsElements, "empty", ("float32",)),
        (WrongWhenEmpty, "empty", ("float32",)),
        (ChangingItsInput, "inputs_unmodified", ()),
        (ChangingTheGradient, "inputs_unmodified", ()),
        (GradientOfTheOutside, "fresh_gradients", ()),
        (GradientIsRetained, "fresh_gradients", ()),
        (GradientIsKept, "fresh_gradients", ()),
        (GradientIsReadOnly, "fresh_gradients", ()),
        (Cycle, "no_reference_cycles", ()),
        (SwappedTargets, "gradient_of_each_input", ()),
        (ForgettingAnOutput, "gradient_of_each_output", ()),
        (SharingOneGradient, "fresh_gradients", ()),
    ],
)
def test_refuses(node: type[FunctionNode], finds: str, arguments: tuple[str, ...]) -> None:
    suite = ProductSuite() if issubclass(node, Product) else CubeSuite()
    suite.node = node  # type: ignore[misc]
    with pytest.raises(Exception) as raised:  # noqa: PT011 - which error depends on the fault
        getattr(suite, f"test_{finds}")(get_device("numpy"), *arguments)
    assert not isinstance(raised.value, (AttributeError, NameError)), raised.value


class TakesAnything(CubeSuite):
    bad_inputs = {
        "nothing wrong": ((np.ones(3),), InvalidType, ("cube",)),
        "silent": (([1.0],), TypeError, ("wanted",)),
    }


def test_refuses_a_function_that_takes_bad_input() -> None:
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        TakesAnything().test_bad_input(get_device("numpy"), "nothing wrong")


def test_refuses_a_message_that_says_too_little() -> None:
    with pytest.raises(AssertionError, match="lacks"):
        TakesAnything().test_bad_input(get_device("numpy"), "silent")


def test_an_exclusion_needs_a_property_and_a_reason() -> None:
    with pytest.raises(TypeError, match="no property 'nonsense'"):
        type("Suite", (FunctionSuite,), {"excluded": {"nonsense": "because"}})
    with pytest.raises(TypeError, match="give the reason why"):
        type("Suite", (FunctionSuite,), {"excluded": {"double_gradient": " "}})


def test_what_a_base_has_nothing_to_test_for_its_subclasses_may() -> None:
    class Between(FunctionSuite):
        pass

    class Last(Between):
        bad_inputs = {"a list": (([1.0],), TypeError, ())}

        def empty_inputs(self, dtype: Any) -> Any:
            return (np.zeros(0, dtype),)

    assert Between.test_empty is None
    assert Between.test_bad_input is None
    assert Last.test_empty is not None
    assert Last.test_bad_input is not None


class TestExcluded(CubeSuite):
    node = WrongGradient
    bad_inputs = {}
    excluded = dict.fromkeys(
        ("gradient", "gradient_paths", "gradient_of_each_input", "gradient_of_each_output", "gradient_precision"),
        "wrong on purpose, to see it skipped",
    )


class TestCases(FunctionSuite):
    """Each case reaches the methods as attributes."""

    cases = {"double": {"factor": 2}, "treble": {"factor": 3}}
    factor: int

    def make_inputs(self, rng: Any, dtype: Any) -> Any:
        return (rng.standard_normal(3).astype(dtype),)

    def call(self, *variables: Any) -> Any:
        return variables[0] * self.factor

    def reference(self, *arrays: Any) -> Any:
        return sum([arrays[0]] * self.factor)


def test_backends_come_from_the_registry() -> None:
    assert "numpy" in ready_backends()
