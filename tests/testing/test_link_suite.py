"""The test base of links must refuse links that are wrong on purpose, each in one way."""

import inspect
from typing import Any

import numpy as np
import pytest

from renga_core import random
from renga_core.backend import get_backend, get_device
from renga_core.graph import FunctionNode, InvalidType, Parameter, Variable
from renga_core.link import Chain, Link
from renga_core.plugin import PluginManager, Provider, hookimpl, using_manager
from renga_testing.link_suite import LinkSuite


def drawn(array: Any) -> None:
    array[...] = random.generator(get_backend(array)).normal(0, 1, array.shape)


class Affine(Link):
    """``offset + x * W + b``, element by element; the sizes are the first input's; without a fault."""

    def __init__(self, size: int | None = None) -> None:
        super().__init__()
        self.add_persistent("offset", self.xp.zeros(1))
        with self.init_scope():
            self.W = Parameter(drawn)
            self.b = Parameter(0)
        if size is not None:
            self.initialize(size)

    def initialize(self, size: int) -> None:
        self.W.initialize((size,))
        self.b.initialize((size,))

    def forward(self, x: Any) -> Any:
        if not self.W.is_initialized:
            self.initialize(x.shape[-1])
        if x.shape[-1] != self.W.size:
            raise InvalidType("affine", "x", f"(…, {self.W.size})", x.shape)
        return x * self.W + self.b + float(self.offset[0])


class AffineSuite(LinkSuite):
    cases = {"sizes given": {"size": 4}, "size of the first input": {"size": None}}
    bad_inputs = {"size": ((np.ones((2, 3)),), (InvalidType, ValueError), ("affine",))}
    made: Any = Affine
    size: int | None = 4

    def make_link(self) -> Any:
        return self.made(self.size)

    def make_inputs(self, rng: Any, dtype: Any) -> Any:
        return (rng.standard_normal((3, 4)).astype(dtype),)

    def reference(self, params: Any, *arrays: Any) -> Any:
        return arrays[0] * params["W"] + params["b"] + params["offset"]

    def empty_inputs(self, dtype: Any) -> Any:
        return (np.zeros((0, 4), dtype),)


class TestAffine(AffineSuite):
    """The link without a fault passes each test."""

    bad_inputs = {}


class Recurrent(Chain):
    """Two layers that add up what they see, with two outputs; draws, and moves an average; without a fault."""

    def __init__(self) -> None:
        super().__init__()
        self.add_persistent("mean", self.xp.zeros(4, dtype="float32"))
        self.seen: Any = None
        with self.init_scope():
            self.inner = Affine()

    def reset(self) -> None:
        self.seen = None

    def forward(self, x: Any) -> Any:
        self.mean += 0.5
        noise = random.generator(get_backend(x.array)).normal(0, 1, x.shape)
        y = self.inner(x) * self.device.send(noise.astype(x.dtype))
        self.seen = y if self.seen is None else self.seen + y
        return self.seen, x * self.mean.astype(x.dtype)


class TestRecurrent(LinkSuite):
    """A state, an average, random numbers and several outputs."""

    excluded = {"forward": "there is no other way to draw the same numbers"}

    def make_link(self) -> Any:
        return Recurrent()

    def make_inputs(self, rng: Any, dtype: Any) -> Any:
        return (rng.standard_normal((3, 4)).astype(dtype),)

    def call(self, link: Any, *variables: Any) -> Any:
        link.reset()
        link(*variables)
        return link(*variables)


# --- faults, each named for what is wrong ---


class ForgettingTheBias(Affine):
    def forward(self, x: Any) -> Any:
        return super().forward(x) - self.b


class WrongShape(Affine):
    def forward(self, x: Any) -> Any:
        return super().forward(x)[:1]


class Widening(Affine):
    def forward(self, x: Any) -> Any:
        return super().forward(x).astype("float64")


class Cubing(FunctionNode):
    def forward(self, inputs: Any) -> Any:
        self.retain_inputs((0,))
        return (inputs[0] ** 3,)

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        return (3.01 * self.get_retained_inputs()[0] ** 2 * grad_outputs[0],)


class WrongGradient(Affine):
    def forward(self, x: Any) -> Any:
        return super().forward(x) + Cubing().apply((self.b,))[0]


class CutOff(Affine):
    """No gradient flows to the weights."""

    def forward(self, x: Any) -> Any:
        return super().forward(x) + x * self.W.array * 0.5


class CubingOnce(Cubing):
    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        return (3 * self.inputs[0].get_variable_or_none().array ** 2 * grad_outputs[0],)


class NotDifferentiableTwice(Affine):
    def forward(self, x: Any) -> Any:
        return super().forward(x) + CubingOnce().apply((self.b,))[0]


class OutsideOfInitScope(Affine):
    def __init__(self, size: int | None = None) -> None:
        super().__init__(size)
        self.hidden = Parameter(2.0, 1)

    def forward(self, x: Any) -> Any:
        return super().forward(x) * self.hidden.astype(x.dtype)


class KeepingGradients(Affine):
    def cleargrads(self) -> None:
        self.W.cleargrad()


class ClearingInForward(Affine):
    def forward(self, x: Any) -> Any:
        self.cleargrads()
        return super().forward(x)


class OtherEachTime(Affine):
    count = 0

    def forward(self, x: Any) -> Any:
        OtherEachTime.count += 1
        return super().forward(x) + 1e-16 * OtherEachTime.count * x


class Toy(np.ndarray):
    """The array type of a made-up library."""


class ToyBackend(type(get_backend("numpy"))):  # type: ignore[misc]  # a class that is looked up
    name = "toy_of_links"
    array_types = (Toy,)
    scalar_types = ()

    def asarray(self, value: Any, index: int = 0) -> Any:
        return np.array(value).view(Toy)

    def to_host(self, array: Any) -> Any:
        return np.array(array)


class ToyPlugin:
    @hookimpl
    def renga_array_backends(self) -> list[Provider]:
        return [Provider(name="toy_of_links", target=f"{__name__}:ToyBackend", revision=1, summary="for a test")]


@pytest.fixture
def toy() -> Any:
    """The device of another backend than NumPy's."""
    manager = PluginManager()
    manager.register("toy_plugin", ToyPlugin())
    with using_manager(manager):
        yield get_device("toy_of_links")


class StayingBehind(Affine):
    """Forgets to bring an array along."""

    def to_device(self, device: Any) -> Any:
        offset = self.offset
        super().to_device(device)
        self.offset = offset
        return self


@pytest.mark.parametrize("made", [Affine, StayingBehind])
def test_arrays_that_do_not_follow_to_a_device(made: type[Link], toy: Any) -> None:
    suite = AffineSuite()
    suite.made = made
    if made is Affine:
        suite.test_to_device(toy)
    else:
        with pytest.raises(AssertionError, match="offset has stayed behind"):
            suite.test_to_device(toy)


class RoundingOnTheWay(Affine):
    def to_device(self, device: Any) -> Any:
        self.W.array = self.W.array.astype("float32").astype("float64") if self.W.is_initialized else None
        return super().to_device(device)


class SavedWithoutBias(Affine):
    def serialize(self, serializer: Any) -> None:
        self.W.array = serializer("W", self.W.array)
        self.offset = serializer("offset", self.offset)


class NotPersistent(Affine):
    """Draws something that takes part, and is not saved."""

    def __init__(self, size: int | None = None) -> None:
        super().__init__(size)
        self.shift = random.generator(get_backend("numpy")).normal()

    def forward(self, x: Any) -> Any:
        return super().forward(x) + self.shift


class SharingParameters(Affine):
    def _shared_copy(self) -> Any:
        made = super()._shared_copy()
        made.__dict__["W"] = self.W
        return made


class CopyingWhatIsToBeShared(Affine):
    def _shared_copy(self) -> Any:
        made = super()._shared_copy()
        made.W = Parameter(made.W.array.copy())
        return made


class CopyingTooLittle(Affine):
    def copy(self, mode: str = "share") -> Any:
        return super().copy("share")


class SharingThePersistent(Affine):
    def copy(self, mode: str = "share") -> Any:
        made = super().copy(mode)
        made.__dict__["offset"] = self.offset
        return made

    def forward(self, x: Any) -> Any:
        y = super().forward(x)
        self.offset += 1
        return y


class FilledByHand(Affine):
    def __init__(self, size: int | None = None) -> None:
        super().__init__(size)
        self.b.initializer = None


class ReadingTheBuffer(Affine):
    """Takes for granted that an array is contiguous."""

    def forward(self, x: Any) -> Any:
        array = x.array
        buffer = array if array.base is None else array.base
        return super().forward(x) + buffer.ravel()[: array.size].reshape(array.shape)


class NeedsElements(Affine):
    def forward(self, x: Any) -> Any:
        return super().forward(x) + 0 * float(x.array.max())


class KnowingItself(Affine):
    def __init__(self, size: int | None = None) -> None:
        super().__init__(size)
        self.root = self


class KeepingTheGraphInACycle(Affine):
    def forward(self, x: Any) -> Any:
        y = super().forward(x)
        y.creator_node.output = y
        return y


class TakingAnything(Affine):
    def forward(self, x: Any) -> Any:
        return super().forward(x) if x.shape[-1] == 4 else x


FAULTS = [
    (ForgettingTheBias, "forward"),
    (WrongShape, "forward"),
    (Widening, "forward_dtype"),
    (WrongGradient, "gradient"),
    (CutOff, "gradient"),
    (NotDifferentiableTwice, "double_gradient"),
    (OutsideOfInitScope, "all_parameters_are_registered"),
    (KeepingGradients, "cleargrads"),
    (ClearingInForward, "cleargrads"),
    (OtherEachTime, "deterministic"),
    (RoundingOnTheWay, "to_device"),
    (SavedWithoutBias, "serialization"),
    (NotPersistent, "serialization"),
    (SharingParameters, "shared_copy"),
    (CopyingWhatIsToBeShared, "shared_copy"),
    (CopyingTooLittle, "copy"),
    (SharingThePersistent, "copy"),
    (FilledByHand, "fresh_copy"),
    (ReadingTheBuffer, "noncontiguous"),
    (NeedsElements, "empty"),
    (KnowingItself, "no_reference_cycles"),
    (KeepingTheGraphInACycle, "no_reference_cycles"),
]


@pytest.mark.parametrize(("made", "finds"), FAULTS)
def test_refuses(made: type[Link], finds: str, tmp_path: Any) -> None:
    suite = AffineSuite()
    suite.made = made
    test = getattr(suite, f"test_{finds}")
    given = {"device": get_device("numpy"), "dtype": "float32", "tmp_path": tmp_path}
    arguments = {name: given[name] for name in inspect.signature(test).parameters}
    with pytest.raises(Exception) as raised:  # noqa: PT011 - which error depends on the fault
        test(**arguments)
    assert not isinstance(raised.value, (AttributeError, NameError)), raised.value


def test_each_property_refuses_something() -> None:
    properties = {name.removeprefix("test_") for name in vars(LinkSuite) if name.startswith("test_")}
    assert {finds for _, finds in FAULTS} == properties - {"bad_input"}


def test_refuses_a_link_that_takes_bad_input() -> None:
    suite = AffineSuite()
    suite.made = TakingAnything
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        suite.test_bad_input(get_device("numpy"), "size")


def test_an_exclusion_needs_a_property_and_a_reason() -> None:
    with pytest.raises(TypeError, match="no property 'nonsense'"):
        type("Suite", (LinkSuite,), {"excluded": {"nonsense": "because"}})
    with pytest.raises(TypeError, match="give the reason why"):
        type("Suite", (LinkSuite,), {"excluded": {"double_gradient": " "}})


def test_a_suite_that_is_not_finished_says_what_it_lacks() -> None:
    suite = LinkSuite()
    for method, arguments in (("make_link", ()), ("make_inputs", (None, None)), ("reference", ({},))):
        with pytest.raises(NotImplementedError, match=f"LinkSuite does not define {method}"):
            getattr(suite, method)(*arguments)


def test_parameters_are_moved_from_where_they_start() -> None:
    with AffineSuite()._problem(get_device("numpy")) as (link, _, _):
        assert link.it.b.array.all()


def test_a_variable_is_what_a_link_gets() -> None:
    class Listening(AffineSuite):
        def call(self, link: Any, *variables: Any) -> Any:
            assert all(isinstance(x, Variable) for x in variables)
            return super().call(link, *variables)

    Listening().test_forward(get_device("numpy"), "float64")
