import numpy as np
import pytest

from renga_cv.links.model.pickable_sequential_chain import PickableSequentialChain
from renga_nn.functions import relu, tanh
from renga_nn.links import Linear
from renga_serializers.npz import DictionarySerializer


class Net(PickableSequentialChain):
    def __init__(self):
        super().__init__()
        self.not_a_layer = relu
        with self.init_scope():
            self.l1 = Linear(3, 4)
            self.l1_relu = relu
            self.l2 = Linear(4, 2)
            self.l2_negative = self.negative
            self.number = 3
        self.called = []

    def negative(self, x):
        self.called.append("l2_negative")
        return -x


@pytest.fixture
def net():
    return Net()


@pytest.fixture
def x():
    return np.random.default_rng(0).standard_normal((5, 3), np.float32)


def test_layers_are_callables_of_the_init_scope_in_order(net):
    assert net.layer_names == ["l1", "l1_relu", "l2", "l2_negative"]
    assert net.pick is None


def test_last_layer(net, x):
    assert np.array_equal(net(x).array, -net.l2(relu(net.l1(x))).array)


def test_pick_one(net, x):
    net.pick = "l1_relu"
    assert np.array_equal(net(x).array, relu(net.l1(x)).array)
    assert net.called == []


@pytest.mark.parametrize("pick", [("l2", "l1_relu"), ["l2", "l1_relu"]])
def test_pick_several_in_their_order(net, x, pick):
    net.pick = pick
    assert net.pick == ("l2", "l1_relu")
    l2, h = net(x)
    assert np.array_equal(h.array, relu(net.l1(x)).array)
    assert np.array_equal(l2.array, net.l2(h).array)
    assert net.called == []


def test_pick_one_as_a_tuple(net, x):
    net.pick = ("l1",)
    (y,) = net(x)
    assert np.array_equal(y.array, net.l1(x).array)


@pytest.mark.parametrize("pick", ["l3", ("l1", "l3")])
def test_no_such_layer(net, pick):
    net.pick = "l2"
    with pytest.raises(ValueError, match=r"Net has no layer 'l3'; it has: l1, l1_relu, l2, l2_negative"):
        net.pick = pick
    assert net.pick == "l2"


def test_remove_unused(net, x):
    net.pick = "l1", "l1_relu"
    before = [y.array for y in net(x)]
    net.remove_unused()
    assert net.layer_names == ["l1", "l1_relu"]
    assert not hasattr(net, "l2")
    serializer = DictionarySerializer()
    serializer.save(net)
    assert sorted(serializer.target) == ["l1/W", "l1/b"]
    assert all(np.array_equal(y.array, z) for y, z in zip(net(x), before, strict=True))


def test_nothing_is_unused(net):
    net.remove_unused()
    assert len(net.layer_names) == 4


def test_what_is_picked_is_not_deleted(net):
    net.pick = "l2"
    with pytest.raises(AttributeError, match="'l2' cannot be deleted"):
        del net.l2
    net.pick = None
    del net.l2
    assert net.layer_names == ["l1", "l1_relu", "l2_negative"]


@pytest.mark.parametrize("mode", ["share", "copy", "init"])
def test_a_copy_is_cut_by_itself(net, x, mode):
    copied = net.copy(mode)
    copied.pick = "l1"
    copied.remove_unused()
    assert copied.layer_names == ["l1"]
    assert net.pick is None
    assert net(x).shape == (5, 2)


def test_a_function_that_is_replaced_keeps_its_place(net):
    with net.init_scope():
        net.l1_relu = tanh
    assert net.layer_names == ["l1", "l1_relu", "l2", "l2_negative"]
