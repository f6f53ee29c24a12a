"""Chainer's behaviour is for code that uses Chainer: other code sees Renga as it is, in the same process too."""

import subprocess
import sys
import textwrap
from pathlib import Path

TESTS = Path(__file__).parents[1]

PRELUDE = '''
import types
import numpy as np
import pytest
import renga
import renga.functions as F
import renga.links as L
import renga_chainer
from renga_core import random
from renga_core.backend import get_backend

def library():
    """A module of others that uses Chainer."""
    renga_chainer.install(replace=True)
    made = types.ModuleType("library")
    exec(LIBRARY, vars(made))
    return made

LIBRARY = """
import numpy as np
import chainer
from chainer import links as L

def call(function, *args, **kwargs):
    return function(*args, **kwargs)

def dtypes(n):
    for _ in range(n):
        yield (chainer.Variable(np.ones(2, "f")) * np.ones(2)).dtype
"""
x = np.ones((2, 3), "f")
'''


def check(program):
    """Run a program in a process of its own: the import system is global."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PRELUDE + textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_other_code_finds_what_was_there_in_all_that_is_patched():
    """The list is of what is another for all code: to be kept short, and each with its reason."""
    check("""
    FOR_ALL_CODE = {
        # Chainer's programs catch it as Chainer's error: one more class that it is.
        ("InvalidType", "__bases__"), ("InvalidType", "__reduce__"),
        # An entry of Chainer's configuration, which is one for all code.
        ("Config", "lazy_grad_sum"),
        # Python asks the class whether it has an operator: it says NotImplemented, as if it had not.
        *[(name, f"__{side}floordiv__") for name in ("Variable", "Parameter") for side in ("", "r")],
    }
    import importlib
    importlib.import_module("renga_cv.links")
    importlib.import_module("renga_distributed")
    from renga_chainer import patches
    from renga_core.configuration import global_config

    def derived(cls):
        return {cls}.union(*map(derived, type.__subclasses__(cls)))

    holders = {holder for holder, _, _ in patches._PATCHES}
    places = holders.union(*[derived(holder) for holder in holders if isinstance(holder, type)])
    names = {name for _, name, _ in patches._PATCHES}
    absent = object()

    def seen():
        return {(place, name): getattr(place, name, absent) for place in places for name in names}

    before = seen()
    theirs = library()
    after = seen()
    classes = {key for key in before if isinstance(key[0], type)}
    changed = {(place.__name__, name) for place, name in classes if after[place, name] != before[place, name]}
    assert changed == FOR_ALL_CODE, changed
    within = theirs.call(seen)
    unchanged = {
        (place.__name__, name) for place, name, _ in patches._PATCHES
        if isinstance(place, type) and name != "__name__" and within[place, name] == before[place, name]
    }
    assert not unchanged, unchanged
    assert seen() == after
    renga_chainer.uninstall()
    assert seen() == before
    """)


def test_one_process_has_both():
    check("""
    theirs = library()

    def look():
        v = renga.Variable(np.ones(2, "f"))
        parameter = L.Linear(2, 1).W
        text = str(renga.get_device("numpy"))
        label = F.exp(v).creator.label
        return str((v * np.ones(2)).dtype), parameter.grad is None, text, label, hasattr(v, "to_gpu")

    of_renga = "float64", True, "numpy", "Exp", False
    of_chainer = "float32", False, "@numpy", "exp", True
    for _ in range(2):
        assert look() == of_renga
        assert theirs.call(look) == of_chainer
        assert theirs.call(theirs.call, look) == of_chainer
    assert [str(dtype) for dtype in theirs.dtypes(2)] == ["float32"] * 2  # a generator is resumed from here
    assert look() == of_renga
    v = renga.Variable(np.ones(2, "f"))
    with pytest.raises(TypeError, match="unsupported operand"):
        v // 2
    assert theirs.call(lambda: (v // 2).array.tolist()) == [0, 0]
    with pytest.raises(TypeError, match="a device needs a name"):
        renga.get_device(-1)
    assert theirs.call(renga.get_device, -1) == renga.get_device("numpy")
    doubled = (v * 2).creator
    assert theirs.call(lambda: (doubled._impl_name, doubled.label)) == ("MulConstant", "_ * 2")
    assert doubled.label == type(doubled).__name__ == "MultiplyConstant"
    """)


def test_random_numbers_of_both():
    """Neither draws from the generator of the other, nor seeds it, nor puts it into another state."""
    check("""
    theirs = library()
    numpy = get_backend("numpy")

    def draw():
        return random.generator(numpy).random(3).tolist()

    random.seed(1)
    np.random.seed(1)
    first, rest = draw(), draw()
    random.seed(1)
    assert draw() == first
    assert theirs.call(draw) == np.random.RandomState(1).rand(3).tolist()
    state = theirs.call(random.get_state)
    following = theirs.call(draw)
    theirs.call(random.set_state, state)
    assert theirs.call(draw) == following

    def replay():
        with random.replaying(state):
            return draw()

    assert theirs.call(replay) == following
    assert draw() == rest
    """)


def test_who_uses_chainer():
    """Whoever takes a name from it, in any way; not a tool that does so for another, nor who asks for what is not."""
    check("""
    import sys
    from renga_chainer import scope
    renga_chainer.install(replace=True)

    def is_marked(module):
        return any(name.startswith("__uses") for name in vars(module))

    def uses(source):
        made = types.ModuleType("program")
        exec(source, vars(made))
        return is_marked(made)

    assert uses("from chainer import Variable")
    assert uses("import chainer.functions as F; F.relu")
    assert uses("def f():\\n import chainer\\n chainer.Chain\\nf()")
    assert uses("from chainer.links import *")
    assert not uses("import renga, renga_chainer")
    assert not uses("import chainer; hasattr(chainer, '__file__'), hasattr(chainer, 'pytest_plugins')")
    assert not uses("import copy, inspect, chainer; inspect.getmembers(chainer)")
    assert not any(is_marked(module) for module in list(sys.modules.values()))
    assert not scope.of_chainer()
    """)


CHAINERS_TESTS = """
import chainer
import chainer.functions as F
import numpy as np

def test_chainer_is_used():
    x = chainer.Variable(np.ones(2, "f"))
    assert (x * np.ones(2)).dtype == "f" and F.exp(x).creator.label == "exp"
    assert np.isnan(chainer.Parameter(1.0, (2,)).grad).all()
"""

RENGAS_TESTS = (
    "core/graph/test_parameter.py",
    "core/graph/test_variable.py",
    "core/link/test_printing.py",
    "core/link/test_sequential.py",
    "core/link/test_tree.py",
    "core/optimizer/test_gradient_method.py",
    "core/optimizer/test_update_rule.py",
    "core/test_random.py",
    "data/iterators/test_order_samplers.py",
    "nn/function_hooks/test_hooks.py",
    "nn/links/test_lstm.py",
    "nn/test_computational_graph.py",
    "optimizers/hooks",
    "renga/plugins/test_public_module.py",
)
"""Some that Chainer's behaviour makes fail."""


def test_rengas_own_tests_pass_in_one_process_with_chainers(tmp_path):
    (tmp_path / "test_of_chainer.py").write_text(CHAINERS_TESTS)
    chainers = tmp_path / "test_of_chainer.py"
    options = ["-p", "renga_chainer.pytest", "-p", "no:cacheprovider", "-q", "--tb=short", "-k", "not pytorch"]
    files = [chainers, *[TESTS / name for name in RENGAS_TESTS]]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *files],
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        timeout=540,
    )
    assert done.returncode == 0, done.stdout[-4000:]
