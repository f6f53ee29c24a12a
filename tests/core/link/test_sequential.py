import copy

import pytest

from renga_core.link import Chain, ChainList, Link, Sequential


class Add(Link):
    def __init__(self, n=1):
        super().__init__()
        self.add_param("b", 1, initializer=n)
        self.n = n

    def forward(self, x):
        return x + self.n


def double(x):
    return 2 * x


def test_calls_one_after_another():
    assert Sequential(Add(1), double, lambda x: x - 3)(5) == 9


def test_a_tuple_becomes_arguments():
    model = Sequential(lambda x, y: (y, x), lambda y, x: 10 * y + x)
    assert model(1, 2) == 21
    assert Sequential(lambda x: x)([1, 2]) == [1, 2]


def test_links_are_counted_without_functions():
    model = Sequential(double, Add(), double, Add())
    assert [path for path, _ in model.namedparams()] == ["/0/b", "/1/b"]
    assert model[3].name == "1"
    assert len(model) == 4


def numbers(model):
    """The `n` of each link, in the order of their numbers."""
    return [child.n for child in model.children()]


def test_three_links_and_more_are_counted_as_in_chainers_files():
    assert numbers(Sequential(Add(0), Add(1), Add(2), Add(3))) == [0, 3, 2, 1]
    assert numbers(Sequential(double, Add(0), Add(1), double, Add(2), Add(3))) == [0, 1, 3, 2]
    assert numbers(Sequential(double, double, Add(0), Add(1), Add(2), Add(3))) == [0, 1, 2, 3]
    model = Sequential(Add(0), Add(1))
    model.insert(1, Add(5))
    model[0] = Add(6)
    assert numbers(model) == [6, 1, 5]
    assert [layer.name for layer in model] == ["0", "2", "1"]
    del model[0]
    assert numbers(model) == [5, 1]


def test_slices_share_layers_and_leave_names():
    model = Sequential(Add(1), double, Add(3))
    part = model[1:]
    assert isinstance(part, Sequential)
    assert part(1) == 5
    assert part[1] is model[2]
    assert model[2].name == "1"
    assert model[::-1](1) == 9


def test_joining():
    a, b = Sequential(Add(1)), Sequential(double)
    assert (a + b)(1) == 4
    assert (len(a), len(b)) == (1, 1)
    a += b
    assert a(1) == 4
    with pytest.raises(TypeError):
        a + [double]


def test_list_methods_take_functions():
    model = Sequential()
    model.append(double)
    model.insert(0, Add(1))
    model.extend([double, Add(2)])
    model[0] = Add(5)
    assert model(1) == 26
    assert model.pop() is not None
    model.remove(double)
    assert model(1) == 12
    assert model.index(double) == 1


def test_flatten():
    inner = Sequential(Add(1), Sequential(double))
    model = Sequential(inner, ChainList(Add()), double)
    flat = model.flatten()
    assert [type(layer).__name__ for layer in flat] == ["Add", "function", "ChainList", "function"]
    assert flat[0] is inner[0]
    assert len(model) == 3


def test_by_layer_type():
    model = Sequential(Add(), double, Add(), abs, double)
    assert model.count_by_layer_type("Add") == 2
    assert model.count_by_layer_type("double") == 2
    model.remove_by_layer_type("Add")
    model.remove_by_layer_type("nothing")
    assert list(model) == [double, abs, double]


@pytest.mark.parametrize("mode", ["share", "copy", "init"])
def test_copies_with_lambdas(mode):
    model = Sequential(Add(), lambda x: x + 1)
    made = model.copy(mode)
    assert made(1) == 3
    assert made[0] is not model[0]
    assert made[1] is model[1]
    assert (made[0].b.array is model[0].b.array) == (mode == "share")
    made.append(double)
    assert len(model) == 2


def test_deepcopy_in_a_chain():
    chain = Chain(body=Sequential(Add(), double))
    made = copy.deepcopy(chain)
    assert made.body(1) == 4
    assert made.body[0].b.array is not chain.body[0].b.array


def test_repeat_nests():
    model = Sequential(Add(1), double).repeat(2)
    assert model(1) == 10
    assert [path for path, _ in model.namedparams()] == ["/0/0/b", "/1/0/b"]
    assert len(model.flatten()) == 4


def test_empty():
    with pytest.raises(TypeError, match="this Sequential is empty"):
        Sequential()(1)


def test_not_callable():
    with pytest.raises(TypeError, match="a layer of a Sequential is a link or a function, not 3"):
        Sequential(double, 3)
