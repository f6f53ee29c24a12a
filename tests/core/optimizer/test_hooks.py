from functools import partial

import pytest

from renga_core.optimizer.hooks import UpdateHooks


class Hook:
    name = "Hook"

    def __init__(self, **attributes):
        vars(self).update(attributes)

    def __call__(self, *args):
        pass


def test_timing_is_the_callers_then_the_hooks_then_before():
    hooks = UpdateHooks("SGD")
    plain, late, moved = Hook(), Hook(name="late", timing="post"), Hook(name="moved", timing="post")
    hooks.add(plain, None, "auto")
    hooks.add(late, None, "auto")
    hooks.add(moved, None, "pre")
    assert hooks.at("pre") == [plain, moved]
    assert hooks.at("post") == [late]


def test_removed():
    hooks = UpdateHooks("SGD")
    hooks.add(Hook(), "a", "pre")
    hooks.add(Hook(), None, "pre")
    hooks.remove("a")
    assert len(hooks.at("pre")) == 1
    with pytest.raises(KeyError, match="SGD has no hook 'a'; it has: Hook"):
        hooks.remove("a")


def test_refused():
    hooks = UpdateHooks("SGD")
    hooks.add(Hook(), None, "auto")
    with pytest.raises(KeyError, match="SGD has a hook 'Hook' already"):
        hooks.add(Hook(), None, "post")
    with pytest.raises(TypeError, match="a hook must be callable, and 3 is not"):
        hooks.add(3, "three", "auto")
    with pytest.raises(ValueError, match="the timing of a hook is 'pre', 'post' or 'auto', not 'late'"):
        hooks.add(Hook(), "x", "late")
    with pytest.raises(ValueError, match="has no attribute `name`; give one"):
        hooks.add(partial(print, "x"), None, "auto")
    assert len(hooks.at("pre")) == 1
