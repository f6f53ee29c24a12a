import pytest

from renga_core.graph import Parameter
from renga_core.link import Chain, ChainList, Link


def test_parameters_come_before_children_each_by_name(tree):
    root = tree()
    assert [path for path, _ in root.namedparams()] == ["/bias", "/blocks/0/factor", "/blocks/1/factor", "/top/factor"]
    assert list(root.params()) == [param for _, param in root.namedparams()]


def test_links_with_and_without_the_root(tree):
    root = tree()
    assert [path for path, _ in root.namedlinks()] == ["/", "/blocks", "/blocks/0", "/blocks/1", "/top"]
    assert list(root.links()) == [link for _, link in root.namedlinks()]
    assert list(root.links(skipself=True)) == list(root.links())[1:]
    assert [path for path, _ in root.namedlinks(skipself=True)] == ["/blocks", "/blocks/0", "/blocks/1", "/top"]
    assert list(root.children()) == [root.blocks, root.top]
    assert list(Link().children()) == []


def test_uninitialized_parameters_can_be_left_out(tree):
    root = tree()
    with root.top.init_scope():
        root.top.later = Parameter(0.0)
    assert len(list(root.params())) == len(list(root.params(include_uninit=False))) + 1
    assert "/top/later" not in dict(root.namedparams(include_uninit=False))


def test_count_params(tree):
    root = tree()
    assert root.count_params() == 3 + 3 + 2 + 4
    with root.top.init_scope():
        root.top.later = Parameter(0.0)
    with pytest.warns(UserWarning, match="/top/later has no shape yet"):
        assert root.count_params() == 12


def test_a_parameter_of_several_links_comes_and_counts_once(tree):
    shared = tree()
    root = Chain(a=ChainList(shared, shared), b=shared)
    assert [id(param) for param in root.params()] == [id(param) for param in shared.params()]
    assert root.count_params() == shared.count_params()
    assert len(list(root.namedparams())) == 3 * len(list(shared.namedparams()))
