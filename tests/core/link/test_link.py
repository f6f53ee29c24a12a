import copy
import pickle

import numpy as np
import pytest

from renga_core.backend import get_device
from renga_core.configuration import using_config
from renga_core.graph import Parameter, Variable
from renga_core.graph.errors import InvalidType
from renga_core.link import Chain, Link
from renga_serializers.npz import DictionarySerializer, NpzDeserializer


class TestParameters:
    def test_assigned_in_the_scope_they_are_registered_and_named(self):
        link = Link()
        with link.init_scope():
            link.W = Parameter(0.0, (2, 3))
        link.other = Parameter(0.0, 1)

        assert list(link.namedparams()) == [("/W", link.W)]
        assert link.W.name == "W"
        assert link.other.name is None

    def test_scopes_nest_and_end_when_something_is_raised(self):
        link = Link()
        with link.init_scope():
            with link.init_scope():
                pass
            assert link.within_init_scope
        with pytest.raises(KeyError), link.init_scope():
            raise KeyError
        assert not link.within_init_scope

    def test_constructor_takes_shapes_with_or_without_a_dtype(self):
        link = Link(a=3, b=(2, 3), c=((4,), np.float16), d=(5, "f8"), e=())

        assert {n: (p.shape, p.dtype) for n, p in link.namedparams()} == {
            "/a": ((3,), np.float32),
            "/b": ((2, 3), np.float32),
            "/c": ((4,), np.float16),
            "/d": ((5,), np.float64),
            "/e": ((), np.float32),
        }
        assert all(np.isnan(p.array).all() for p in link.params())

    def test_add_param_makes_the_dtype_asked_for(self):
        link = Link()
        link.add_param("a", (2,), np.float64, 3)
        link.add_param("b", dtype=np.float16)
        with using_config("dtype", np.dtype(np.float64)):
            link.add_param("c", (1,))

        assert link.a.array.tolist() == [3, 3]
        assert link.a.dtype == np.float64
        assert not link.b.is_initialized
        link.b.initialize((2,))
        assert link.b.dtype == np.float16
        assert link.c.dtype == np.float64

    def test_deleting_unregisters(self, scale):
        link = scale()
        del link.factor
        del link.seen
        assert list(link.params()) == []
        target = {}
        link.serialize(DictionarySerializer(target))
        assert set(target) == {"calls"}

    def test_a_persistent_parameter_is_trained_no_more(self):
        link = Link(W=3)
        link.W = np.ones(3)
        link.register_persistent("W")
        assert list(link.params()) == []

    def test_a_parameter_takes_the_place_of_a_persistent_value(self, scale):
        link = scale()
        with link.init_scope():
            link.seen = Parameter(0.0, 2)
        assert [n for n, _ in link.namedparams()] == ["/factor", "/seen"]

    def test_names_that_are_taken(self, scale):
        link = scale()
        taken = "it already has an attribute of that name"
        with pytest.raises(AttributeError, match=f"parameter 'factor' in Scale: {taken} .Parameter."):
            link.add_param("factor", 3)
        with pytest.raises(AttributeError, match=f"persistent value 'calls' in Scale: {taken} .int."):
            link.add_persistent("calls", 1)
        chain = Chain(child=scale())
        with pytest.raises(AttributeError, match=f"parameter 'child' in Chain: {taken} .Scale."), chain.init_scope():
            chain.child = Parameter(0.0, 1)
        assert [n for n, _ in chain.namedlinks()] == ["/", "/child"]

    def test_persistent_before_assigned(self):
        with pytest.raises(AttributeError, match="Link has no such attribute; assign it first"):
            Link().register_persistent("mean")

    def test_a_link_in_a_plain_link_is_refused(self, scale):
        link = Link()
        with pytest.raises(TypeError, match="derive the class from Chain"), link.init_scope():
            link.child = scale()

    def test_forgotten_super_init(self):
        class Forgetful(Link):
            def __init__(self):
                with self.init_scope():
                    pass

        with pytest.raises(RuntimeError, match=r"call super\(\).__init__\(\) at the beginning"):
            Forgetful()


class TestCall:
    def test_calls_forward_with_all_arguments(self):
        class Sum(Link):
            def forward(self, a, *rest, factor=1):
                return factor * (a + sum(rest))

        assert Sum()(1, 2, 3, factor=2) == 12

    def test_without_forward(self):
        with pytest.raises(NotImplementedError, match="Link cannot be called: it does not define a `forward`"):
            Link()(1)

    @pytest.mark.parametrize("base", [Link, Chain])
    def test_forward_of_a_mixin_behind_the_link(self, base):
        class Plus:
            def forward(self, x, by=1):
                return x + by

        class Agent(base, Plus):
            pass

        assert (Agent()(1), Agent()(1, by=2)) == (2, 3)

    @pytest.mark.parametrize(
        ("x", "said"),
        [
            (np.ones(2, np.float32), r"x: expected a Variable, got an array\. renga\.as_array\(x\) takes both"),
            ([1.0, 2.0], r"x: expected a Variable or an array, got list\. Convert it with asarray"),
        ],
    )
    def test_an_argument_without_array_is_named(self, x, said):
        class Scaled(Link):
            def forward(self, x):
                return x.array * 2

        with pytest.raises(InvalidType, match=f"Scaled: {said}"):
            Scaled()(x)


class TestDevice:
    def test_moves_parameters_gradients_and_persistent_arrays(self, tree):
        root = tree()
        root.bias.grad = np.ones(3, np.float32)
        assert root.to_device("numpy") is root
        assert all(link.device == get_device("numpy") for link in root.links())
        assert root.xp is np
        assert root.to_cpu().top.seen.tolist() == [0, 0]

    def test_unknown(self, tree):
        root = tree()
        with pytest.raises(Exception, match="nunpy"):
            root.to_device("nunpy")
        assert root.device == get_device("numpy")

    def test_survives_copying_and_pickling(self, scale):
        link = scale().to_device("numpy")
        for made in (copy.deepcopy(link), pickle.loads(pickle.dumps(link))):
            assert made.device == link.device


class TestUpdates:
    def test_enabled_and_disabled(self, tree):
        class Rule:
            enabled = True

        root = tree()
        assert not root.update_enabled
        for param in root.params():
            param.update_rule = Rule()
        assert root.update_enabled
        root.top.disable_update()
        assert not root.top.update_enabled
        assert root.blocks.update_enabled
        root.disable_update()
        assert not root.update_enabled
        root.enable_update()
        assert root.top.update_enabled

    def test_gradients_cleared_and_zeroed(self, tree):
        root = tree()
        for param in root.params():
            param.grad = np.ones_like(param.array)
        root.zerograds()
        assert all((param.grad == 0).all() for param in root.params())
        root.cleargrads()
        assert all(param.grad is None for param in root.params())

    def test_gradients_added(self, tree):
        one, two = tree(), tree()
        for i, (a, b) in enumerate(zip(one.params(), two.params(), strict=True)):
            a.grad = np.full_like(a.array, i)
            b.grad = np.full_like(b.array, 10)
        two.bias.cleargrad()
        one.addgrads(two)
        assert [param.grad[0] for param in one.params()] == [0, 11, 12, 13]
        assert two.bias.grad is None


class TestSerialize:
    def test_round_trip_initializes_what_was_not(self, tree):
        source = tree()
        source.top.factor.array[:] = [1, 2, 3]
        source.blocks[1].calls = 7
        source.blocks[1].seen[:] = 5
        target = {}
        source.serialize(DictionarySerializer(target))
        assert "blocks/1/factor" in target

        made = tree()
        with made.top.init_scope():
            made.top.factor = Parameter(dict)  # an initializer that would fail if it were called
        made.serialize(NpzDeserializer(target))
        assert made.top.factor.array.tolist() == [1, 2, 3]
        assert made.blocks[1].calls == 7
        assert made.blocks[1].seen.tolist() == [5, 5]
        made.top.factor.array[:] = 0
        assert source.top.factor.array.tolist() == [1, 2, 3]

    def test_a_stored_array_takes_the_dtype_of_the_parameter(self):
        link = Link()
        link.add_param("W", dtype=np.float16)
        link.serialize(NpzDeserializer({"W": np.ones(3)}))
        assert link.W.dtype == np.float16

    def test_arrays_are_filled_in_place(self, scale):
        source, made = scale(value=2.0), scale()
        before = made.factor.array
        target = {}
        source.serialize(DictionarySerializer(target))
        made.serialize(NpzDeserializer(target))
        assert made.factor.array is before
        assert before.tolist() == [2, 2, 2]

    def test_what_is_not_initialized_stays_so(self):
        source, made = Link(W=None), Link(W=None)
        target = {}
        source.serialize(DictionarySerializer(target))
        made.serialize(NpzDeserializer(target))
        assert not made.W.is_initialized


def test_forward_is_differentiable(scale):
    link = scale(value=2.0)
    y = link(Variable(np.ones((1, 3), np.float32)))
    y.grad = np.ones_like(y.array)
    y.backward()
    assert link.factor.grad.tolist() == [1, 1, 1]
