import pytest

from renga_core.link import Chain


def test_children_by_constructor_attribute_and_add_link(scale):
    a, b, c = scale(), scale(), scale()
    chain = Chain(a=a)
    with chain.init_scope():
        chain.b = b
    chain.add_link("c", c)
    assert list(chain.children()) == [a, b, c]
    assert chain["b"] is b
    assert [link.name for link in chain.children()] == ["a", "b", "c"]


def test_outside_the_scope_it_is_an_ordinary_attribute(scale):
    chain = Chain()
    chain.helper = scale()
    assert list(chain.children()) == []
    assert chain.helper.name is None


def test_outside_the_scope_a_child_can_be_replaced(scale):
    chain = Chain(head=scale(3))
    new = scale(5)
    chain.head = new
    assert chain["head"] is new
    assert new.name == "head"
    assert dict(chain.namedparams())["/head/factor"].shape == (5,)


def test_the_same_name_twice(scale):
    chain = Chain(head=scale())
    first = chain.head
    with (
        pytest.raises(AttributeError, match=r"new link 'head' in Chain: it already has .* \(Scale\)"),
        chain.init_scope(),
    ):
        chain.head = scale()
    with pytest.raises(AttributeError, match="'head'"):
        chain.add_link("head", scale())
    assert chain.head is first


def test_a_name_of_a_method(scale):
    with pytest.raises(AttributeError, match="new link 'copy' in Chain"):
        Chain(copy=scale())


def test_deleting_unregisters(scale):
    chain = Chain(a=scale(), b=scale())
    del chain.a
    assert [name for name, _ in chain.namedlinks(skipself=True)] == ["/b"]
    chain.add_link("a", scale())
    assert len(list(chain.children())) == 2


def test_unknown_child(scale):
    for kind in (KeyError, AttributeError):
        with pytest.raises(kind, match="Chain has no child 'c'; it has: a, b"):
            Chain(a=scale(), b=scale())["c"]


def test_a_child_that_is_no_link():
    with pytest.raises(TypeError, match="'relu' as a child: builtin_function_or_method is not a Link"):
        Chain(relu=abs)


def test_a_link_may_be_assigned_before_super_init(scale):
    class Early(Chain):
        def __init__(self):
            self.helper = scale()
            super().__init__()

    assert list(Early().children()) == []
