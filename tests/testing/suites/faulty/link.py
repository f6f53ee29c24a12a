"""Links that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import itertools

import numpy as np

import renga.functions as F
from renga import FunctionNode, Link, Parameter, Variable, config, initializers


class Right(Link):
    """A linear layer that in testing subtracts the mean of what it saw in training: the rest derives from it."""

    def __init__(self, out_size: int = 2) -> None:
        super().__init__()
        self.out_size = out_size
        with self.init_scope():
            self.W = Parameter(self.initial())
            self.b = Parameter(initializers.Constant(0.5), (out_size,))
        self.mean = 0.0
        self.register_persistent("mean")

    def initial(self):
        return initializers.Normal(0.5)

    def forward(self, x):
        if not self.W.is_initialized:
            self.W.initialize((self.out_size, x.shape[1]))
        if config.train:
            self.remember(x.array)
            return self.compute(x)
        return self.compute(x - self.mean)

    def remember(self, x):
        if x.size:
            self.mean = 0.9 * self.mean + 0.1 * float(x.mean())

    def compute(self, x):
        return F.linear(x, self.W, self.b)


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""
    declares = {"empty"}


class OutsideOfInitScope(Right):
    """a parameter is made outside of init_scope"""

    breaks = "test_all_parameters_are_registered"

    def __init__(self) -> None:
        super().__init__()
        self.scale = Parameter(np.full((), 2, np.float32))

    def compute(self, x):
        return super().compute(x) * F.broadcast_to(F.cast(self.scale, x.dtype), (x.shape[0], self.out_size))


class NeverUsed(Right):
    """one of its parameters is never used, and gets no shape"""

    breaks = "test_every_parameter_is_used"

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.spare = Parameter(initializers.Normal(1))


class NeverLearns(Right):
    """the bias is added as an array, so it gets no gradient"""

    breaks = "test_every_parameter_is_used"

    def compute(self, x):
        return F.linear(x, self.W) + F.broadcast_to(Variable(self.b.array), (x.shape[0], self.out_size))


class StopsTraining(Right):
    """it leaves the configuration in testing"""

    breaks = "test_every_parameter_is_used"

    def compute(self, x):
        config.train = False
        return super().compute(x)


class Numbered(Right):
    """a parameter has another name in each link that is made"""

    breaks = "test_names"
    numbers = itertools.count()

    def __init__(self) -> None:
        super().__init__()
        self.add_param(f"b{next(self.numbers)}", (2,), initializer=0)


class GrowsWhenCalled(Right):
    """what is saved has another name after a call"""

    breaks = "test_names"

    def compute(self, x):
        if not hasattr(self, "size"):
            self.add_persistent("size", x.shape[1])
        return super().compute(x)


class Unseeded(Right):
    """its parameters are others each time, though the seed is the same"""

    breaks = "test_deterministic"
    numbers = itertools.count()

    def initial(self):
        rng = np.random.default_rng(next(self.numbers))

        def fill(array):
            array[...] = rng.standard_normal(array.shape)

        return fill


class GlobalNumbers(Right):
    """it fills its parameters from NumPy's global random numbers"""

    breaks = "test_names"

    def initial(self):
        def fill(array):
            array[...] = np.random.standard_normal(array.shape)

        return fill


class KeepsGradients(Right):
    """cleargrads leaves the gradient of the bias"""

    breaks = "test_cleargrads"

    def cleargrads(self):
        self.W.cleargrad()


class OverflowsInHalf(Right):
    """on the way to the result is a number that half precision does not have"""

    breaks = "test_forward[float16]"

    def compute(self, x):
        with np.errstate(over="ignore"):
            return super().compute(x) * 60000.0 * 60000.0 / 60000.0 / 60000.0


class SinglePrecision(Right):
    """its results are in single precision, whatever the configuration says"""

    breaks = "test_forward_dtype"

    def compute(self, x):
        return F.cast(super().compute(x), np.float32)


class CutsOff(Right):
    """no gradient gets to the input"""

    breaks = "test_gradient"

    def compute(self, x):
        return super().compute(Variable(x.array))


class Square(FunctionNode):
    """x * x, with a gradient that has none."""

    def forward(self, inputs):
        self.retain_inputs((0,))
        return (inputs[0] * inputs[0],)

    def backward(self, target_input_indexes, grad_outputs):
        return (Variable(2 * self.saved_inputs[0] * grad_outputs[0].array),)


class OnceOnly(Right):
    """its gradient has none itself"""

    breaks = "test_double_gradient"

    def compute(self, x):
        return Square().apply((super().compute(x),))[0]


class ReadsTheBuffer(Right):
    """it takes for granted that an array is contiguous"""

    breaks = "test_noncontiguous"

    def compute(self, x):
        buffer = x.array if x.array.base is None else x.array.base
        return super().compute(x + buffer.ravel()[: x.size].reshape(x.shape))


class NeedsRows(Right):
    """it declares empty, and looks for the largest element"""

    breaks = "test_empty"
    declares = {"empty"}

    def compute(self, x):
        return super().compute(x) + 0 * float(x.array.max())


class InPlace(Right):
    """it makes its input positive in place"""

    breaks = "test_inputs_unmodified"

    def compute(self, x):
        array = x.array
        array[...] = abs(array)
        return super().compute(x)


class AlwaysTraining(Right):
    """it remembers what it sees in testing, too"""

    breaks = "test_testing_changes_nothing"

    def forward(self, x):
        y = super().forward(x)
        if not config.train:
            self.remember(x.array)
        return y


class DropsInTesting(Right):
    """it drops units in testing, too"""

    breaks = "test_testing_changes_nothing"

    def compute(self, x):
        kept = F.dropout(Variable(np.ones(x.shape, x.dtype))).array if config.train else _mask(x)
        return super().compute(x * kept)


def _mask(x, numbers=itertools.count()):  # noqa: B008
    return np.full(x.shape, next(numbers) % 2, x.dtype)


class RoundsOnTheWay(Right):
    """on its way to a device, parameters are rounded"""

    breaks = "test_to_device"

    def to_device(self, device):
        if self.W.is_initialized:
            self.W.array = self.W.array.astype(np.float16).astype(self.W.dtype)
        return super().to_device(device)


class SavedWithoutBias(Right):
    """the bias is not saved"""

    breaks = "test_serialization"

    def serialize(self, serializer):
        self.W.array = serializer("W", self.W.array)
        self.mean = serializer("mean", self.mean)


class NotPersistent(Right):
    """what it remembers of training is not saved"""

    breaks = "test_saving_after_training"

    def __init__(self) -> None:
        super().__init__()
        self.largest = 0.0

    def remember(self, x):
        super().remember(x)
        self.largest = max(self.largest, float(x.max()))

    def compute(self, x):
        return super().compute(x) if config.train else super().compute(x) * self.largest


class CopiesWhatIsShared(Right):
    """a shared copy has arrays of its own"""

    breaks = "test_shared_copy"

    def copy(self, mode="share"):
        return super().copy("copy" if mode == "share" else mode)


class SharesWhatIsCopied(Right):
    """a copy shares the parameters"""

    breaks = "test_copy"

    def copy(self, mode="share"):
        return super().copy("share" if mode == "copy" else mode)


class FilledByHand(Right):
    """an initializer fills the bias once, and is gone"""

    breaks = "test_fresh_copy"

    def __init__(self) -> None:
        super().__init__()
        self.b.initializer = None


class KnowsItself(Right):
    """it holds itself, which nothing but the garbage collector frees"""

    breaks = "test_no_reference_cycles"

    def __init__(self) -> None:
        super().__init__()
        self.root = self
