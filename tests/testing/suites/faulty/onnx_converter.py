"""Converters to ONNX that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import itertools

import numpy as np
from onnx import helper

from renga import FunctionNode


class Cubed(FunctionNode):
    """x * x * x."""

    def forward(self, inputs):
        return (inputs[0] * inputs[0] * inputs[0],)


class Powered(FunctionNode):
    """x to a power that belongs to all of them."""

    power = 3.0

    def forward(self, inputs):
        return (inputs[0] ** self.power,)


def cubed(x):
    return Cubed().apply((x,))[0]


def powered(x):
    return Powered().apply((x,))[0]


Alias = Cubed
numbers = itertools.count()


class Right:
    """Calling it writes x * x * x: the rest of this file derives from it."""

    def __new__(cls, call):
        cls.write(call, call.inputs[0])

    @classmethod
    def write(cls, call, x):
        call.op("Mul", [call.op("Mul", [x, x]), x], call.outputs)


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""
    declares = {"batch"}


class Imported(Right):
    """it names the class by another name than it is defined under"""

    breaks = "test_function"
    function = "faulty_onnx_converter:Alias"


class OfAFunction(Right):
    """it is for a function, and not for the class that the function applies"""

    breaks = "test_function"
    function = "faulty_onnx_converter:cubed"


class NotApplied(Right):
    """its example applies another class"""

    breaks = "test_function"
    call = "faulty_onnx_converter:powered"


class Absent(Right):
    """its example is not there"""

    breaks = "test_function"
    call = "faulty_onnx_converter:example"


class Squared(Right):
    """it writes the square"""

    breaks = "test_values"

    @classmethod
    def write(cls, call, x):
        call.op("Mul", [x, x], call.outputs)


class Frozen(Right):
    """it writes the result of the export as a constant"""

    breaks = "test_values"

    @classmethod
    def write(cls, call, x):
        call.op("Identity", [call.constant(call.y)], call.outputs)


class Unwritten(Right):
    """its nodes have another output than that of the function"""

    breaks = "test_values"

    @classmethod
    def write(cls, call, x):
        call.op("Mul", [call.op("Mul", [x, x]), x])


class Newer(Right):
    """it writes an operator of opset 20, and does not say so"""

    breaks = "test_values[13]"

    @classmethod
    def write(cls, call, x):
        zero = call.op("Gelu", [call.op("Sub", [x, x])])
        super().write(call, call.op("Add", [x, zero]))


class SinglePrecision(Right):
    """it casts to single precision"""

    breaks = "test_dtypes[float64]"

    @classmethod
    def write(cls, call, x):
        super().write(call, call.cast(x, np.float32))


class OneDtype(Right):
    """its constant is in single precision, whatever the input is"""

    breaks = "test_dtypes[float64]"

    @classmethod
    def write(cls, call, x):
        super().write(call, call.op("Mul", [x, call.constant(1, np.float32)]))


class OneSize(Right):
    """it declares batch, and reshapes to the sizes of the export"""

    breaks = "test_batch"
    declares = {"batch"}

    @classmethod
    def write(cls, call, x):
        flat = call.op("Reshape", [x, call.integers([-1])])
        super().write(call, call.op("Reshape", [flat, call.integers(call.x.shape)]))


class OneName(Right):
    """its array between two nodes always has the same name"""

    breaks = "test_applied_twice"

    @classmethod
    def write(cls, call, x):
        call.op("Mul", [call.op("Mul", [x, x], ["square"]), x], call.outputs)


class OneNodeName(Right):
    """its node always has the same name"""

    breaks = "test_applied_twice"

    @classmethod
    def write(cls, call, x):
        square = call.op("Mul", [x, x])
        call.context.nodes.append(helper.make_node("Mul", [square, x], call.outputs, name="cube"))


class Backwards(Right):
    """it writes the last node first"""

    breaks = "test_well_formed"

    @classmethod
    def write(cls, call, x):
        super().write(call, x)
        nodes = call.context.nodes
        nodes[-2], nodes[-1] = nodes[-1], nodes[-2]


class Attributed(Right):
    """its axes are an attribute, which newer operators do not have"""

    breaks = "test_well_formed[18]"

    @classmethod
    def write(cls, call, x):
        super().write(call, call.op("ReduceMax", [call.unsqueeze(x, [0])], axes=[0], keepdims=0))


class Numbered(Right):
    """its names count the exports of the process"""

    breaks = "test_same_again"

    @classmethod
    def write(cls, call, x):
        call.op("Mul", [call.op("Mul", [x, x], [f"square_{next(numbers)}"]), x], call.outputs)


class Changing(Right):
    """it changes the function that it writes"""

    breaks = "test_function_is_unchanged"
    function = "faulty_onnx_converter:Powered"
    call = "faulty_onnx_converter:powered"

    @classmethod
    def write(cls, call, x):
        Powered.power = 2.0
        super().write(call, x)
