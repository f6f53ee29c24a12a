"""Random numbers, matrices, requirements, files, warnings, mocks, unary functions."""

import os.path
import unittest
import warnings

import numpy as np
import pytest
import scipy.special

from renga_core import random
from renga_core.backend import get_backend
from renga_core.graph import FunctionNode
from renga_core.graph.parameter import Parameter
from renga_core.link import Link
from renga_testing import cases


@cases.fix_random()
def drawn():
    return np.random.uniform(), random.generator(get_backend("numpy")).random(()), cases.generate_seed()


def test_random_numbers_are_fixed_within_and_free_without():
    random.seed(1)
    first = drawn()
    before = np.random.get_state()[1].copy()
    state = random.get_state()
    assert drawn() == first
    np.testing.assert_array_equal(np.random.get_state()[1], before)
    assert random.get_state() == state
    with pytest.raises(RuntimeError, match="random numbers are not fixed"):
        cases.generate_seed()


def test_a_failing_set_up_puts_them_back():
    @cases.fix_random()
    class Case(unittest.TestCase):
        def setUp(self):
            raise ValueError("no")

        def test(self):
            pass

    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(unittest.TestResult())
    with pytest.raises(RuntimeError, match="not fixed"):
        cases.generate_seed()


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(3, 2), (2, 3), (4, 2, 2)])
def test_matrices_have_their_singular_values(shape, dtype):
    matrix = cases.generate_matrix(shape, dtype, singular_values=[3.0, 0.5])
    assert (matrix.shape, matrix.dtype) == (shape, dtype)
    values = np.linalg.svd(matrix, compute_uv=False)
    np.testing.assert_allclose(values, np.broadcast_to([3, 0.5], values.shape), rtol=1e-5)


def test_matrices_that_are_not():
    for shape, dtype, values, message in (
        ((2,), float, 1, "fewer than two axes"),
        ((2, 2), int, 1, "floating or complex"),
        ((2, 2), float, -1, "non-negative"),
        ((2, 2), float, 1j, "real numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            cases.generate_matrix(shape, dtype, singular_values=values)
    with pytest.raises(TypeError, match="takes only singular_values"):
        cases.generate_matrix((2, 2))


@pytest.mark.parametrize(
    ("requirements", "there"),
    [(["numpy>=2"], True), (["numpy<1"], False), (["numpy", "no-such-thing"], False), (["numpy", "pluggy>=1"], True)],
)
def test_requirements(requirements, there):
    with_them, without = [
        decorate(*requirements)(lambda: None) for decorate in (cases.with_requires, cases.without_requires)
    ]
    assert hasattr(with_them, "__unittest_skip__") != there
    assert hasattr(without, "__unittest_skip__") == there


class Number(Link):
    def __init__(self, value):
        super().__init__()
        with self.init_scope():
            self.x = Parameter(value, ())


@pytest.mark.parametrize("name", ["npz", "hdf5"])
def test_saved_and_loaded(name):
    if name == "hdf5":
        pytest.importorskip("h5py")
    there = Number(0.0)
    getattr(cases, f"save_and_load_{name}")(Number(3.0), there)
    assert there.x.item() == 3


def test_saver_and_loader_get_the_same_path():
    paths = []
    cases.save_and_load(1, 2, "a.bin", lambda *a: paths.append(a), lambda *a: paths.append(a))
    (saved, source), (loaded, target) = paths
    assert saved == loaded
    assert os.path.basename(saved) == "a.bin"
    assert (source, target) == (1, 2)
    assert not os.path.exists(os.path.dirname(saved))


def test_warnings():
    with cases.assert_warns(UserWarning):
        warnings.warn("so it is", UserWarning, stacklevel=1)
    with (
        pytest.raises(AssertionError, match=r"no UserWarning was given, but \['else'\]"),
        cases.assert_warns(UserWarning),
    ):
        warnings.warn("else", DeprecationWarning, stacklevel=1)
    with pytest.raises(AssertionError, match="but nothing"), cases.assert_warns(UserWarning):
        pass


def test_patch_calls_what_it_replaces():
    with cases.patch("os.path.basename") as called:
        assert os.path.basename("a/b") == "b"
    called.assert_called_once_with("a/b")
    with cases.patch("os.path.basename", lambda path: "c"):
        assert os.path.basename("a/b") == "c"


def test_a_module_that_is_imported_is_not_run():
    cases.run_module("a_module", "nowhere.py")


class Sin(FunctionNode):
    wrong = 0.0

    def forward(self, inputs):
        self.retain_inputs((0,))
        return (np.sin(inputs[0]).astype(inputs[0].dtype),)

    def backward(self, targets, gys):
        return (Cos().apply((self.get_retained_inputs()[0],))[0] * gys[0] * (1 + self.wrong),)


class Cos(FunctionNode):
    def forward(self, inputs):
        self.retain_inputs((0,))
        return (np.cos(inputs[0]).astype(inputs[0].dtype),)

    def backward(self, targets, gys):
        return (-Sin().apply((self.get_retained_inputs()[0],))[0] * gys[0],)


class Wrong(Sin):
    wrong = 0.1


def sin(x):
    return Sin().apply((x,))[0]


def wrong(x):
    return Wrong().apply((x,))[0]


def ended(func, **options):
    made = cases.unary_math_function_unittest(func, **options)(
        type("Unary", (unittest.TestCase,), {"__module__": __name__})
    )
    assert len(made.classes) == 6
    result = unittest.TestResult()
    for cls in made.classes:
        unittest.defaultTestLoader.loadTestsFromTestCase(cls).run(result)
        delattr(__import__("sys").modules[__name__], cls.__name__)
    assert not result.errors, result.errors
    return result.testsRun - len(result.skipped), sorted(test._testMethodName for test, _ in result.failures)


def test_a_function_of_one_array():
    count, failures = ended(sin)
    assert count >= 6 * 4
    assert failures == []


def test_a_function_of_one_array_with_a_wrong_gradient():
    _, failures = ended(wrong, func_expected=lambda x, dtype: np.sin(x))
    assert failures.count("test_backward_cpu") >= 4
    assert failures.count("test_forward_cpu") == 0


def test_a_function_of_one_array_that_is_another_one():
    _, failures = ended(sin, func_expected=lambda x, dtype: scipy.special.erf(x), label_expected="Cos")
    assert failures.count("test_forward_cpu") == 6
    assert failures.count("test_label") == 6
    with pytest.raises(ValueError, match="NumPy has no function 'wrong'"):
        cases.unary_math_function_unittest(wrong)
