import copy

import numpy as np
import pytest

from renga_core.graph import Parameter
from renga_core.link import Chain, ChainList, Link, Sequential
from renga_serializers.npz import DictionarySerializer


@pytest.fixture
def root(tree):
    made = tree()
    for param in made.params():
        param.array[:] = 5
        param.grad = np.ones_like(param.array)
    return made


class TestCopy:
    def test_share_has_its_own_links_and_gradients_on_the_same_arrays(self, root):
        made = root.copy()
        for (path, old), (other, new) in zip(root.namedparams(), made.namedparams(), strict=True):
            assert path == other
            assert new is not old
            assert new.array is old.array
            assert new.grad is None
            assert old.grad is not None
        assert all(a is not b for a, b in zip(root.links(), made.links(), strict=True))
        assert made.top.name == "top"
        assert made.blocks[1].name == "1"

    def test_share_registers_apart(self, root, scale):
        made = root.copy()
        made.add_link("extra", scale())
        made.blocks.append(scale())
        made.add_param("p", 1)
        made.add_persistent("kept", 1)
        assert "extra" not in dict(root.namedlinks())
        assert len(root.blocks) == 2
        assert "/p" not in dict(root.namedparams())
        saved = DictionarySerializer()
        saved.save(root)
        assert "kept" not in saved.target

    def test_copy_shares_nothing(self, root):
        made = root.copy("copy")
        for old, new in zip(root.params(), made.params(), strict=True):
            assert new.array is not old.array
            np.testing.assert_array_equal(new.array, old.array)
        made.top.seen[:] = 1
        assert root.top.seen.tolist() == [0, 0]

    def test_deepcopy_keeps_a_link_that_stands_in_two_places_one(self, scale):
        shared = scale()
        root = Chain(a=ChainList(shared), b=ChainList(shared))
        made = copy.deepcopy(root)
        assert made.a[0] is made.b[0]
        assert made.a[0] is not shared

    def test_init_asks_the_initializers_again(self, root):
        made = root.copy("init")
        assert made.bias.array.tolist() == [0, 0, 0]
        assert made.top.factor.array.tolist() == [1, 1, 1]
        assert made.top.factor.grad is None
        assert root.bias.array.tolist() == [5, 5, 5]

    def test_init_leaves_open_shapes_open(self):
        assert not Link(W=None).copy("init").W.is_initialized

    def test_the_copy_has_no_name(self, root):
        for mode in ("share", "copy", "init"):
            assert root.top.copy(mode).name is None
        assert root.top.name == "top"

    def test_unknown_mode(self, root):
        with pytest.raises(ValueError, match="mode 'deep'; the modes are 'init', 'copy', 'share'"):
            root.copy("deep")


class TestCopyparams:
    def test_copies_values_into_the_arrays_that_are_there(self, root, tree):
        made = tree()
        array, seen = made.top.factor.array, made.top.seen
        root.top.seen[:] = 3
        root.top.calls = 4
        made.copyparams(root)
        assert made.top.factor.array is array
        assert array.tolist() == [5, 5, 5]
        assert made.top.seen is seen
        assert seen.tolist() == [3, 3]
        assert made.top.calls == 4

    def test_without_persistent_values(self, root, tree):
        made = tree()
        root.top.calls = 4
        made.copyparams(root, copy_persistent=False)
        assert made.top.calls == 0
        assert made.bias.array.tolist() == [5, 5, 5]

    def test_initializes_what_was_not(self, scale):
        made = Link(factor=None)
        made.copyparams(scale(value=2.0))
        assert made.factor.array.tolist() == [2, 2, 2]

    def test_another_structure_changes_nothing(self, root, tree, scale):
        other = tree()
        del other.top
        other.blocks[1] = scale(5)
        with other.blocks[0].init_scope():
            other.blocks[0].factor = Parameter(0.0, 7)
        del other.blocks[1].calls
        before = {path: param.array.copy() for path, param in root.namedparams()}
        with pytest.raises(ValueError, match="Tree does not have the structure of this Tree") as error:
            root.copyparams(other)
        for sentence in (
            "it has no link /top",
            "/blocks/0/factor has shape (7,) there and (2,) here",
            "/blocks/1/factor has shape (5,) there and (4,) here",
            "it has no /blocks/1/calls",
            "Nothing was changed",
        ):
            assert sentence in str(error.value)
        for path, param in root.namedparams():
            np.testing.assert_array_equal(param.array, before[path])


class TestRepeat:
    def test_copies_by_mode(self, scale):
        link = scale(value=2.0)
        link.factor.array[:] = 5
        assert [layer.factor.array[0] for layer in link.repeat(2)] == [2, 2]
        assert [layer.factor.array[0] for layer in link.repeat(2, "copy")] == [5, 5]
        assert all(layer.factor.array is link.factor.array for layer in link.repeat(3, mode="share"))

    def test_not_once(self, scale):
        assert isinstance(scale().repeat(0), Sequential)
        assert len(scale().repeat(-1)) == 0
        with pytest.raises(ValueError, match="mode 'x'"):
            scale().repeat(0, "x")
