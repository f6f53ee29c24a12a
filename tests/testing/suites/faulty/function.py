"""Functions that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import numpy as np

import renga_core.random
from renga import FunctionNode, Variable, as_variable, config, force_backprop_mode


class Product(FunctionNode):
    """x * x * w, without a fault."""

    def forward(self, inputs):
        self.retain_inputs((0, 1))
        x, w = inputs
        return (x * x * w,)

    def backward(self, target_input_indexes, grad_outputs):
        x, w = self.get_retained_inputs()
        (gy,) = grad_outputs
        gradients = 2 * x * w * gy, x * x * gy
        return [gradients[i] for i in target_input_indexes]


class Right:
    """Calling it computes x * x * w: the rest of this file derives from it."""

    Node = Product

    def __new__(cls, x, w):
        return cls.Node().apply((x, w))[0]


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""
    declares = {"empty"}


class OverflowsInHalf(Right):
    """on the way to the result is a number that half precision does not have"""

    breaks = "test_forward[float16]"

    class Node(Product):
        def forward(self, inputs):
            (y,) = super().forward(inputs)
            with np.errstate(over="ignore"):
                return (y * 60000 * 60000 / 60000 / 60000,)


class ReturnsAnArray(Right):
    """it returns an array, through which no gradient flows"""

    breaks = "test_forward"

    def __new__(cls, x, w):
        return super().__new__(cls, x, w).array


class Widens(Right):
    """its result is in double precision"""

    breaks = "test_forward_dtype"

    class Node(Product):
        def forward(self, inputs):
            (y,) = super().forward(inputs)
            return (y.astype(np.float64),)


class NeedsVariables(Right):
    """it asks an input for its array, which an array does not have"""

    breaks = "test_arrays"

    def __new__(cls, x, w):
        assert x.array.shape == w.array.shape
        return super().__new__(cls, x, w)


class Remembers(Right):
    """something of the last call is in the next result"""

    breaks = "test_called_again"

    class Node(Product):
        last = 0.0

        def forward(self, inputs):
            (y,) = super().forward(inputs)
            y = y + self.last
            Remembers.Node.last = float(y.mean())
            return (y,)


class SetsNumPysSeed(Right):
    """it sets the seed of NumPy's random numbers"""

    breaks = "test_called_again"

    def __new__(cls, x, w):
        np.random.seed(0)
        return super().__new__(cls, x, w)


class SetsTheSeed(Right):
    """it sets the seed of the library's random numbers"""

    breaks = "test_called_again"

    def __new__(cls, x, w):
        renga_core.random.seed(0)
        return super().__new__(cls, x, w)


class StopsTraining(Right):
    """it leaves the configuration in testing"""

    breaks = "test_called_again"

    def __new__(cls, x, w):
        config.train = False
        return super().__new__(cls, x, w)


class ReadsTheBuffer(Right):
    """it takes for granted that an array is contiguous"""

    breaks = "test_noncontiguous"

    class Node(Product):
        def forward(self, inputs):
            x, w = inputs
            buffer = x if x.base is None else x.base
            (y,) = super().forward((buffer.ravel()[: x.size].reshape(x.shape), w))
            return (y,)


class NeedsRows(Right):
    """it declares empty, and looks for the largest element"""

    breaks = "test_empty"
    declares = {"empty"}

    class Node(Product):
        def forward(self, inputs):
            return (super().forward(inputs)[0] + 0 * inputs[0].max(),)


class WrongGradient(Right):
    """the gradient of x is a hundredth too large"""

    breaks = "test_gradient"

    class Node(Product):
        def backward(self, target_input_indexes, grad_outputs):
            gradients = super().backward((0, 1), grad_outputs)
            return [(gradients[0] * 1.01, gradients[1])[i] for i in target_input_indexes]


class GradientMissing(Right):
    """w gets no gradient"""

    breaks = "test_gradient"

    class Node(Product):
        def backward(self, target_input_indexes, grad_outputs):
            return [(super(type(self), self).backward((0,), grad_outputs)[0], None)[i] for i in target_input_indexes]


class TwoFormulas(Right):
    """the gradient on bare arrays is another than the one that builds a graph"""

    breaks = "test_gradient_paths"

    class Node(Product):
        def backward_arrays(self, target_input_indexes, grad_outputs):
            x, w = self.saved_inputs
            (gy,) = grad_outputs
            gradients = 2 * x * w * gy, x * gy
            return [gradients[i] for i in target_input_indexes]


class AllOrNothing(Right):
    """when w alone wants a gradient, it gets that of x"""

    breaks = "test_gradient_of_each_input"

    class Node(Product):
        def backward(self, target_input_indexes, grad_outputs):
            return super().backward((0, 1), grad_outputs)[: len(target_input_indexes)]


class BothOutputs(Right):
    """of two outputs, it gives a gradient only if both have one"""

    breaks = "test_gradient_of_each_output"

    class Node(Product):
        def forward(self, inputs):
            return super().forward(inputs)[0], 3 * inputs[0]

        def backward(self, target_input_indexes, grad_outputs):
            first, second = grad_outputs
            if first is None or second is None:
                return [None for _ in target_input_indexes]
            gx, gw = super().backward((0, 1), (first,))
            return [(gx + 3 * second, gw)[i] for i in target_input_indexes]

    def __new__(cls, x, w):
        return cls.Node().apply((x, w))


class WideGradient(Right):
    """its gradients are in double precision"""

    breaks = "test_gradient_dtype"

    class Node(Product):
        def backward_arrays(self, target_input_indexes, grad_outputs):
            x, w = (a.astype(np.float64) for a in self.saved_inputs)
            (gy,) = grad_outputs
            gradients = 2 * x * w * gy, x * x * gy
            return [gradients[i] for i in target_input_indexes]


class GradientOverflowsInHalf(Right):
    """on the way to a gradient is a number that half precision does not have"""

    breaks = "test_gradient_precision[float16]"

    class Node(Product):
        def backward(self, target_input_indexes, grad_outputs):
            with np.errstate(over="ignore"):
                gradients = super().backward(target_input_indexes, [gy * 60000.0 * 60000.0 for gy in grad_outputs])
            return [g / 60000.0 / 60000.0 for g in gradients]


class OnceOnly(Right):
    """its gradient is computed on arrays, and has none itself"""

    breaks = "test_double_gradient"

    class Node(Product):
        def backward(self, target_input_indexes, grad_outputs):
            x, w = self.saved_inputs
            gradients = 2 * x * w * grad_outputs[0].array, x * x * grad_outputs[0].array
            return [Variable(gradients[i]) for i in target_input_indexes]


class WrongSecondGradient(Right):
    """the gradient of its gradient takes x for a constant"""

    breaks = "test_double_gradient"

    class Node(Product):
        def backward(self, target_input_indexes, grad_outputs):
            x, w = self.get_retained_inputs()
            (gy,) = grad_outputs
            gradients = 2 * x.array * w * gy, x * x * gy
            return [gradients[i] for i in target_input_indexes]


class OneGradientForTwo(Right):
    """it declares fresh_gradients, and returns the same array for both inputs"""

    breaks = "test_fresh_gradients"

    class Node(FunctionNode):
        fresh_gradients = True

        def forward(self, inputs):
            return (inputs[0] + inputs[1],)

        def backward(self, target_input_indexes, grad_outputs):
            return [grad_outputs[0] for _ in target_input_indexes]

        def backward_arrays(self, target_input_indexes, grad_outputs):
            return [grad_outputs[0] for _ in target_input_indexes]


class InPlace(Right):
    """it makes x positive in place"""

    breaks = "test_inputs_unmodified"

    class Node(Product):
        def forward(self, inputs):
            x, _ = inputs
            x[...] = abs(x)
            return super().forward(inputs)


class GradientInPlace(Right):
    """it multiplies the incoming gradient in place"""

    breaks = "test_inputs_unmodified"

    class Node(Product):
        def backward_arrays(self, target_input_indexes, grad_outputs):
            x, w = self.saved_inputs
            (gy,) = grad_outputs
            gy *= x
            gradients = 2 * w * gy, x * gy
            return [gradients[i] for i in target_input_indexes]


class AlwaysRecords(Right):
    """it records a graph though nobody wants one"""

    breaks = "test_no_backprop_mode"

    def __new__(cls, x, w):
        with force_backprop_mode():
            return super().__new__(cls, x, w)


class Hoards(Right):
    """it keeps each input that it was ever given"""

    breaks = "test_frees_its_inputs"
    given = []

    def __new__(cls, x, w):
        cls.given.append(as_variable(x).array)
        return super().__new__(cls, x, w)


class HoldsItsOutput(Right):
    """the node holds the output, which holds the node"""

    breaks = "test_no_reference_cycles"

    def __new__(cls, x, w):
        y = super().__new__(cls, x, w)
        if y.creator_node is not None:
            y.creator_node.output = y
        return y
