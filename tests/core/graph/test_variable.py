import copy
import operator
import pickle

import numpy as np
import pytest

from renga_core.graph import GraphError, InvalidType, Variable, as_array, as_variable, no_backprop_mode
from renga_core.graph.operators import broadcast_to, reshape, sum_to


def floats(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


class TestMaking:
    def test_what_it_tells_of_its_array(self):
        array = floats(2, 3)
        x = Variable(array, name="x")
        assert x.array is array
        assert x.data is array
        assert (x.shape, x.dtype, x.ndim, x.size, len(x)) == ((2, 3), np.float32, 2, 6, 2)
        assert x.xp is np
        assert str(x.device) == "numpy"
        assert (x.name, x.node.name, x.label) == ("x", "x", "(2, 3), float32")
        assert (x.creator, x.creator_node, x.rank) == (None, None, 0)
        assert x.requires_grad
        assert x.grad is None
        assert x.grad_var is None

    def test_a_scalar_of_numpy_becomes_an_array_of_no_axes(self):
        assert Variable(np.float64(3)).dtype == np.float64  # which is a float, too
        x = Variable(np.float32(3))
        assert type(x.array) is np.ndarray
        assert (x.shape, x.dtype, x.item(), float(x), int(x)) == ((), np.float32, 3.0, 3.0, 3)
        with pytest.raises(TypeError, match=r"^variable of float32 \(\) has no axes and therefore no length$"):
            len(x)

    @pytest.mark.parametrize("number", [float, int])
    def test_only_one_element_is_a_number(self, number):
        assert number(Variable(np.full((1, 1), 3.0))) == 3
        with pytest.raises(TypeError, match=rf"^{number.__name__}\(\) takes a variable of one element, not "):
            number(Variable(np.ones(3)))

    @pytest.mark.parametrize("wrong", [1, 2.5, True, [1.0, 2.0], (1.0,), "text"])
    def test_what_is_no_array_is_refused(self, wrong):
        with pytest.raises(TypeError) as caught:
            Variable(wrong)
        kind = type(wrong).__name__
        assert str(caught.value) == f"a Variable holds an array, not a {kind}; make one: xp.array({wrong!r}, dtype=…)"

    def test_another_variable_is_refused(self):
        with pytest.raises(TypeError) as caught:
            Variable(Variable(floats(2)))
        assert str(caught.value) == "a Variable holds an array, not another Variable; use `variable.array`"

    def test_an_array_of_no_library_is_refused(self):
        class Strange:
            pass

        with pytest.raises(TypeError) as caught:
            Variable(Strange())
        assert str(caught.value) == (
            f"{__name__}.{Strange.__qualname__} is not an array of any backend; known array types: "
            f"{known_types()}. `renga plugins list` shows the installed backends."
        )

    def test_assigning_an_array_is_checked_too(self):
        x = Variable(floats(2))
        node = x.node
        with pytest.raises(TypeError, match="a Variable holds an array, not a list"):
            x.array = [1.0]
        assert x.array.shape == (2,)
        x.data = floats(3)
        assert (x.shape, node.shape) == ((3,), (3,))

    def test_a_subclass_of_an_array_type_serves(self, tmp_path):
        mapped = np.memmap(tmp_path / "x", dtype=np.float32, mode="w+", shape=(3,))
        mapped[:] = 2
        x = Variable(mapped)
        (x * x).sum().backward()
        np.testing.assert_array_equal(x.grad, [4, 4, 4])

    def test_as_variable_and_as_array(self):
        array = floats(2)
        x = Variable(array)
        assert as_variable(x) is x
        assert not as_variable(array).requires_grad
        assert as_variable(array).array is array
        assert as_array(x) is array
        assert as_array(array) is array


def known_types():
    from renga_core.backend import array_types

    return ", ".join(sorted(f"{t.__module__}.{t.__qualname__}" for t in array_types))


class TestGradient:
    def test_assigning(self):
        x = Variable(floats(2, 3), name="x")
        x.grad = np.ones((2, 3), np.float32)
        assert isinstance(x.grad_var, Variable)
        assert x.grad_var is x.grad_var
        np.testing.assert_array_equal(x.grad, np.ones((2, 3)))
        x.grad = None
        assert x.grad_var is None
        x.grad_var = Variable(floats(2, 3))
        assert x.grad.dtype == np.float32
        assert Variable(floats(2), grad=floats(2)).grad is not None

    def test_of_a_scalar_it_is_an_array(self):
        x = Variable(np.array(1.0))
        x.grad = np.float64(2)
        assert type(x.grad) is np.ndarray

    @pytest.mark.parametrize(
        ("wrong", "told"),
        [
            (np.ones((3, 2), np.float32), "float32 (3, 2)"),
            (np.ones((2, 3), np.float64), "float64 (2, 3)"),
            (np.float32(1), "float32 ()"),
        ],
    )
    @pytest.mark.parametrize("attribute", ["grad", "grad_var"])
    def test_that_does_not_fit_is_refused(self, wrong, told, attribute):
        x = Variable(floats(2, 3), name="x", grad=floats(2, 3))
        before = x.grad
        with pytest.raises(TypeError) as caught:
            setattr(x, attribute, wrong if attribute == "grad" else Variable(wrong))
        assert str(caught.value) == (
            f"the gradient of variable x of float32 (2, 3) must have its shape and dtype; got {told}"
        )
        assert x.grad is before

    def test_variables_and_arrays_are_not_confused(self):
        x = Variable(floats(2))
        with pytest.raises(TypeError, match=r"^`grad` is an array; assign a Variable to `grad_var`$"):
            x.grad = Variable(floats(2))
        with pytest.raises(TypeError, match=r"^`grad_var` is a Variable; assign an array to `grad`$"):
            x.grad_var = floats(2)
        with pytest.raises(TypeError, match="a Variable holds an array, not a list"):
            x.grad = [1.0, 2.0]

    def test_clearing_and_zeroing(self):
        x = Variable(floats(2), grad=floats(2))
        x.zerograd()
        np.testing.assert_array_equal(x.grad, [0, 0])
        x.cleargrad()
        assert x.grad is None

    def test_copydata_writes_into_the_array(self):
        x, y = Variable(floats(3)), Variable(np.array([5, 6, 7], np.float64))
        array = x.array
        x.copydata(y)
        assert x.array is array
        np.testing.assert_array_equal(array, [5, 6, 7])
        assert array.dtype == np.float32

    def test_addgrad(self):
        x, y = Variable(floats(3)), Variable(floats(3), grad=floats(3))
        x.addgrad(Variable(floats(3)))
        assert x.grad is None
        x.addgrad(y)
        assert not np.shares_memory(x.grad, y.grad)
        before = x.grad
        x.addgrad(y)
        np.testing.assert_array_equal(x.grad, 2 * floats(3))
        np.testing.assert_array_equal(before, floats(3))  # a gradient that somebody took before is left alone


class TestGraph:
    def test_names_reach_the_node(self):
        x = Variable(floats(2))
        node = x.node
        x.name = "later"
        assert node.name == "later"
        assert repr(node) == "<VariableNode later((2,), float32)>"

    def test_rank_is_the_longest_path(self):
        x = Variable(floats(2))
        y = x * x
        z = y + x
        assert (x.rank, y.rank, z.rank, z.creator.rank) == (0, 1, 2, 1)
        assert z.creator is z.creator_node
        assert z.node.creator is z.creator

    def test_unchain_makes_a_leaf(self):
        x = Variable(floats(2))
        y = x * x
        y.unchain()
        (y * y).sum().backward()
        assert y.creator is None
        assert x.grad is None
        assert y.grad is not None

    def test_unchain_backward_cuts_all_that_is_behind(self):
        x = Variable(floats(2))
        y = x * x
        side = y + y
        z = y * y
        z.unchain_backward()
        assert z.creator is None
        (z * z + side).sum().backward()
        assert x.grad is None
        np.testing.assert_array_equal(z.grad, 2 * z.array)
        assert side.creator is not None
        assert side.rank == 1
        z.unchain_backward()  # of a leaf: nothing

    def test_functions_of_variables_that_need_no_gradient_build_no_graph(self):
        x = Variable(floats(2), requires_grad=False)
        y = x * x
        assert not y.requires_grad
        assert y.creator is None

    def test_to_device_of_a_leaf_only(self):
        x = Variable(floats(2), grad=floats(2))
        array = x.array
        x.to_device("@numpy")
        assert x.array is array
        with pytest.raises(GraphError) as caught:
            (x * x).to_device("numpy")
        assert (
            str(caught.value)
            == "only a leaf of the graph can be moved in place; copy with a function, or move it earlier"
        )


class TestPython:
    def test_repr(self):
        array = np.array([[1.0, 2.5], [3.0, 4.0]], np.float32)
        assert repr(Variable(array)) == "variable([[1. , 2.5],\n          [3. , 4. ]])"
        assert str(Variable(array, name="x")) == "variable x([[1. , 2.5],\n            [3. , 4. ]])"
        assert repr(Variable(np.array(1.0))) == "variable(1.)"
        assert repr(Variable(None)) == "variable(None)"

    def test_no_truth_value_no_comparison(self):
        x, y = Variable(floats(1)), Variable(floats(1))
        with pytest.raises(TypeError) as caught:
            bool(x)
        assert str(caught.value) == "a Variable has no truth value; compare its array: `variable.array`"
        for compare in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
            with pytest.raises(NotImplementedError) as unmeant:
                compare(x, y)
            assert str(unmeant.value) == "Variables cannot be compared; compare their arrays, or use `is`"
        assert len({x, y}) == 2

    def test_iterating_gives_rows_and_ends(self):
        x = Variable(floats(3, 2))
        rows = list(x)
        np.testing.assert_array_equal([r.array for r in rows], x.array)

    def test_pickle_keeps_all_but_the_graph(self):
        x = Variable(floats(2), name="x", grad=floats(2), requires_grad=False)
        y = pickle.loads(pickle.dumps(x))
        assert (y.name, y.requires_grad) == ("x", False)
        np.testing.assert_array_equal(y.array, x.array)
        np.testing.assert_array_equal(y.grad, x.grad)
        z = Variable(floats(2)) * 2
        assert pickle.loads(pickle.dumps(z)).creator is None

    def test_copy_shares_the_array_and_deepcopy_does_not(self):
        x = Variable(floats(2), name="x", grad=floats(2))
        shallow, deep = copy.copy(x), copy.deepcopy(x)
        assert shallow.array is x.array
        assert shallow.node is not x.node
        assert not np.shares_memory(deep.array, x.array)
        assert not np.shares_memory(deep.grad, x.grad)
        assert (shallow.name, deep.name) == ("x", "x")
        twice = copy.deepcopy([x, x])
        assert twice[0] is twice[1]
        assert copy.deepcopy(Variable(None)).array is None


class TestOperands:
    @pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow])
    @pytest.mark.parametrize("dtype", [np.float16, np.float32])
    def test_scalars_of_any_kind_keep_the_dtype(self, op, dtype):
        x = Variable(np.array([1.5, 2.0], dtype))
        for scalar in (2, 2.0, np.float64(2), np.float32(2), np.int64(2), True):
            for y in (op(x, scalar), op(scalar, x)):
                assert isinstance(y, Variable)
                assert y.dtype == dtype
                y.sum().backward()
                assert x.grad.dtype == dtype

    @pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow])
    def test_arrays_on_either_side(self, op):
        array = np.array([1.0, 2.0])
        x = Variable(np.array([3.0, 4.0]))
        np.testing.assert_array_equal(op(array, x).array, op(array, x.array))
        np.testing.assert_array_equal(op(x, array).array, op(x.array, array))
        assert isinstance(op(array, x), Variable)
        np.testing.assert_array_equal((np.eye(2) @ x).array, x.array)

    def test_an_array_is_not_added_to_in_place(self):
        array = np.ones(2)
        with pytest.raises(TypeError):
            array += Variable(np.ones(2))
        np.testing.assert_array_equal(array, [1, 1])

    def test_results_without_axes_are_arrays(self):
        x = Variable(np.array(2.0, np.float32))
        for y in (+x, x * x, x + 1, x - x, x / x, x**2, -x, abs(x), x.sum(), x.mean(), Variable(floats(3))[1]):
            assert type(y.array) is np.ndarray
            assert y.dtype == np.float32
        y = x * x + x
        y.backward()
        assert type(x.grad) is np.ndarray
        assert x.grad == 5

    def test_what_is_no_array_is_refused(self):
        x = Variable(floats(2))
        for wrong, kind in (([1.0, 2.0], "list"), ("text", "str"), (None, "None")):
            with pytest.raises(InvalidType, match=f"^multiply: x1: expected a Variable or an array, got {kind}"):
                x * wrong

    def test_shape_methods(self):
        x = Variable(floats(2, 3, 1))
        assert x.reshape(3, 2).shape == x.reshape((3, 2)).shape == x.reshape(-1, 2).shape == (3, 2)
        assert x.transpose(2, 0, 1).shape == x.transpose((2, 0, 1)).shape == (1, 2, 3)
        assert x.T.shape == x.transpose().shape == x.transpose(None).shape == (1, 3, 2)
        assert x.squeeze().shape == x.squeeze(2).shape == (2, 3)
        assert x.sum(axis=0).shape == x.mean(axis=0).shape == (3, 1)
        assert x.sum(axis=(0, 1), keepdims=True).shape == (1, 1, 1)
        assert x.astype(np.float16).dtype == np.float16
        assert x[1, None, ..., 0].shape == (1, 3)
        assert x.squeeze().dot(floats(3)).shape == (2,)

    def test_half_precision_sums_and_means_neither_stick_nor_overflow(self):
        x = Variable(np.ones((4096, 2), np.float16))
        b = Variable(np.zeros(2, np.float16))
        assert x.sum(axis=0).array[0] == 4096
        (x + b).sum().backward()
        np.testing.assert_array_equal(b.grad, [4096, 4096])
        big = Variable(np.full(70000, 2, np.float16))
        assert big.mean().array == 2
        assert big.mean().dtype == np.float16

    def test_outside_the_graph_the_result_is_the_same(self):
        x = Variable(floats(3))
        with no_backprop_mode():
            y = x * x + 1
        np.testing.assert_array_equal(y.array, floats(3) ** 2 + 1)
        assert y.creator is None
        assert y.requires_grad


@pytest.mark.parametrize(
    "expression",
    ["x + 1.5", "1.5 + x", "x - 1.5", "1.5 - x", "x * 1.5", "x / 1.5", "1.5 / x", "x ** 1.5", "1.5 ** x", "x + 1"],
)
def test_bfloat16_and_a_number_stay_bfloat16(expression):
    dtype = pytest.importorskip("ml_dtypes").bfloat16
    x = Variable(np.array([0.5, 2.0], dtype))
    y = eval(expression, {"x": x})
    assert y.dtype == dtype
    np.testing.assert_allclose(y.array.astype(float), eval(expression, {"x": np.array([0.5, 2.0])}), rtol=2**-8)
    y.sum().backward()
    assert x.grad.dtype == dtype


@pytest.mark.parametrize("function", [reshape, broadcast_to, sum_to])
def test_shapes(function):
    x = floats(1)
    for shape in (1, [1], (1,), np.array([1]), np.int64(1)):
        assert function(x, shape).shape == (1,)
    for wrong in (None, "a", 1.5, [1.5]):
        with pytest.raises(TypeError, match=rf"^{function.__name__}: a shape must be a tuple of integers"):
            function(x, wrong)
