import threading

import numpy as np
import pytest

from renga_core.configuration import config, using_config
from renga_core.graph import (
    FunctionNode,
    GraphError,
    Variable,
    backward,
    force_backprop_mode,
    grad,
    no_backprop_mode,
)
from renga_core.graph.operators import broadcast_to, reshape


def variable(*values, dtype=np.float64, **more):
    return Variable(np.array(values, dtype), **more)


class TestAccumulation:
    def test_several_uses_of_one_variable(self):
        x = variable(2, 3)
        y = x * x * x + x + x
        y.sum().backward()
        np.testing.assert_array_equal(x.grad, 3 * x.array**2 + 2)

    def test_a_diamond(self):
        x = variable(2, 3)
        h = x * x
        (h * 2 + h * h).sum().backward()
        np.testing.assert_array_equal(x.grad, 4 * x.array + 4 * x.array**3)

    def test_a_ladder_of_diamonds_is_walked_once_a_function(self):
        x = variable(1.0)
        y = x
        for _ in range(200):  # 2**200 paths
            y = (y + y) * 0.5
        y.backward()
        assert x.grad == 1

    def test_several_passes_add_up(self):
        x = variable(2, 3)
        (x * 2).sum().backward()
        first = x.grad
        (x * 5).sum().backward()
        np.testing.assert_array_equal(x.grad, [7, 7])
        np.testing.assert_array_equal(first, [2, 2])

    def test_two_losses_share_a_part_as_in_a_gan(self):
        z, d = variable(2.0), variable(3.0)
        fake = z * z
        score = fake * d
        loss_of_generator, loss_of_critic = -score, score * score
        loss_of_generator.backward()
        assert (z.grad, d.grad) == (-12, -4)
        z.cleargrad()
        d.cleargrad()
        loss_of_critic.backward()
        assert (z.grad, d.grad) == (2 * 12 * 3 * 4, 2 * 12 * 4)
        loss_of_critic.backward()
        assert z.grad == 2 * (2 * 12 * 3 * 4)

    def test_an_integer_loss_scale_and_a_given_gradient(self):
        x = variable(2, 3)
        (x * x).sum().backward(loss_scale=8)
        np.testing.assert_array_equal(x.grad, 16 * x.array)
        x.cleargrad()
        y = x * x
        y.grad = np.array([1.0, 10.0])
        y.backward(loss_scale=8)  # of default gradients only
        np.testing.assert_array_equal(x.grad, [4, 60])

    def test_without_a_gradient_to_start_from(self):
        x = Variable(np.ones((2, 3), np.float32))
        y = x * x
        y.name = "y"
        with pytest.raises(GraphError) as caught:
            y.backward()
        assert str(caught.value) == (
            "backward cannot start from variable y of float32 (2, 3): it has several elements and no `grad`. "
            "Reduce it first (sum, mean), or assign its `grad`."
        )
        assert x.grad is None
        (x[:1, :1] * 2).backward()  # one element of any shape
        assert x.grad[0, 0] == 2

    def test_of_a_leaf_it_does_nothing(self):
        x = variable(1, 2)
        x.backward()
        assert x.grad is None


class TestBreakingTheChain:
    def test_requires_grad_false(self):
        x, w = variable(2.0, requires_grad=False), variable(3.0)
        y = x * w
        y.backward()
        assert x.grad is None
        assert w.grad == 2

    def test_modes_nest(self):
        x = variable(2.0)
        with no_backprop_mode():
            outside = x * x
            with force_backprop_mode():
                inside = x * x
            assert not config.enable_backprop
        assert config.enable_backprop
        assert outside.creator is None
        (outside * inside).backward()
        assert x.grad == 4 * 2 * 2
        with pytest.raises(KeyError), no_backprop_mode():
            raise KeyError
        assert config.enable_backprop

    def test_backward_works_inside_no_backprop_mode(self):
        x = variable(2.0)
        y = x * x * x
        with no_backprop_mode():
            y.backward()
            (gx,) = grad([y], [x], enable_double_backprop=True)
        assert x.grad == 12
        assert gx.creator is not None


class TestRetainGrad:
    @pytest.mark.parametrize("double", [False, True])
    def test_variables_on_the_way_that_are_still_held(self, double):
        x = variable(2.0)
        h = x * x
        (h * 3 + h).backward()
        assert h.grad is None
        x.cleargrad()
        y = h * 3 + h
        y.backward(retain_grad=True, enable_double_backprop=double)
        assert h.grad == 4
        assert y.grad == 1
        assert x.grad == 16
        y.backward(retain_grad=True, enable_double_backprop=double)
        assert h.grad == 4  # of this pass, not added up


class TestSeveralOutputs:
    def test_of_backward(self):
        x = variable(2.0, 3.0)
        y, z = (x * x).sum(), x * 5
        backward([y, z], [None, variable(1.0, 10.0)])
        np.testing.assert_array_equal(x.grad, 2 * x.array + [5, 50])
        assert (y.grad, z.grad) == (None, None)

    def test_arrays_as_gradients(self):
        x = variable(2.0, 3.0)
        y = x * x
        backward([y], [np.array([1.0, 10.0])])
        np.testing.assert_array_equal(x.grad, [4, 60])
        with pytest.raises(TypeError, match="must have its shape and dtype"):
            backward([y], [np.ones(2, np.float32)])

    def test_the_gradient_that_it_starts_from_is_used_up(self):
        x = variable(2.0, 3.0)
        a, loss = x * 2, (x * x).sum()
        a.grad = np.ones(2)
        backward([a, loss])
        assert (a.grad, a.grad_var, loss.grad) == (None, None, None)
        np.testing.assert_array_equal(x.grad, [2 + 4, 2 + 6])
        with pytest.raises(GraphError):
            a.backward()  # not from the old one once more
        np.testing.assert_array_equal(x.grad, [2 + 4, 2 + 6])
        loss.backward(retain_grad=True)
        assert loss.grad == 1

    def test_after_a_failure_it_is_still_there(self):
        x = variable(2.0, 3.0)
        y = x * 2
        y.grad = given = np.ones(2)
        with pytest.raises(TypeError):
            backward([y, x * 3], [None, np.ones(3)])
        assert y.grad is given

    def test_one_without_a_gradient_is_left_out(self):
        x = variable(2.0, 3.0)
        a, b = x * 2, x * 5
        b.grad = np.ones(2)
        backward([a, b])
        np.testing.assert_array_equal(x.grad, [5, 5])
        with pytest.raises(GraphError, match="several elements and no `grad`"):
            backward([a, b])

    @pytest.mark.parametrize("double", [False, True])
    def test_one_that_is_given_twice_counts_once(self, double):
        x = variable(2.0)
        y = x * x
        backward([y, y], enable_double_backprop=double)
        assert x.grad == 4
        x.cleargrad()
        backward([y, y], [variable(1.0), variable(2.0)], enable_double_backprop=double)
        assert x.grad == 4 * 3

    def test_what_is_no_list_of_variables_is_refused(self):
        x = variable(2.0)
        y = x * x
        with pytest.raises(TypeError, match=r"^backward: outputs must be a tuple or list of Variables, not Variable$"):
            backward(y)
        with pytest.raises(TypeError, match=r"^backward: outputs\[1\] must be a Variable, not ndarray$"):
            backward([y, y.array])
        with pytest.raises(TypeError, match=r"^backward: grad_outputs must be a tuple or list, or None, not Variable$"):
            backward([y], y)
        assert x.grad is None

    def test_one_behind_the_other(self):
        x = variable(2.0)
        y = x * x
        z = y * 3
        backward([y, z])
        assert x.grad == 4 * (1 + 3)
        x.cleargrad()
        backward([z, y], retain_grad=True)

    def test_a_leaf_among_them_starts_from_its_gradient_once(self):
        x = variable(2.0)
        backward([x])
        assert x.grad == 1
        x.cleargrad()
        backward([x, x * 3])
        assert x.grad == 4

    def test_wrong_gradients_leave_no_trace(self):
        x = variable(2.0, 3.0)
        y, z = x * 2, x * 5
        with pytest.raises(ValueError, match=r"^backward: grad_outputs has 1 entries for 2 variables$"):
            backward([y, z], [None])
        with pytest.raises(TypeError, match="must have its shape and dtype; got float64"):
            backward([y, z], [variable(1.0, 1.0), variable(1.0)])
        assert [v.grad for v in (x, y, z)] == [None, None, None]


class TestGrad:
    def test_of_leaves_and_of_variables_on_the_way(self):
        x, w = variable(2.0, 3.0), variable(5.0, 7.0)
        h = x * w
        y = (h * h).sum()
        gx, gh, gw = grad([y], [x, h, w])
        np.testing.assert_array_equal(gh.array, 2 * h.array)
        np.testing.assert_array_equal(gx.array, 2 * h.array * w.array)
        np.testing.assert_array_equal(gw.array, 2 * h.array * x.array)
        assert [v.grad for v in (x, h, w, y)] == [None] * 4
        assert gx.creator is None

    def test_of_an_output_itself_and_of_what_it_does_not_depend_on(self):
        x, other = variable(2.0), variable(1.0)
        y = x * x
        gy, gx, none = grad([y], [y, x, other])
        assert (gy.array, gx.array, none) == (1, 4, None)
        assert grad([x], [x])[0].array == 1
        assert grad([y], [variable(1.0, requires_grad=False)]) == [None]

    def test_through_one_way_only(self):
        """What leads to no wanted input is not visited."""

        class Mine(FunctionNode):
            def forward(self, inputs):
                return (inputs[0] + 0,)

            def backward(self, target_input_indexes, grad_outputs):
                raise AssertionError("visited for nothing")

        x, w = variable(2.0), variable(3.0)
        y = Mine().apply((x,))[0] * w
        assert grad([y], [w])[0].array == 2

    def test_weights_and_additions(self):
        x = variable(2.0, 3.0)
        y, z = x * x, x * 10
        (gx,) = grad([y, z], [x], [variable(1.0, 2.0), None], [variable(100.0, 200.0)])
        np.testing.assert_array_equal(gx.array, [4 + 10 + 100, 12 + 10 + 200])
        (gx,) = grad([y], [x], loss_scale=4)
        np.testing.assert_array_equal(gx.array, 8 * x.array)
        (only,) = grad([y], [variable(1.0)], grad_inputs=[variable(7.0)])
        assert only.array == 7

    @pytest.mark.parametrize("double", [False, True])
    def test_what_is_added_on_the_way_flows_on(self, double):
        x = variable(1.0)
        h = x * 2
        y = h * 3
        given = [variable(1000.0), variable(100.0)]
        gx, gh = grad([y], [x, h], grad_inputs=given, enable_double_backprop=double)
        assert (gx.array, gh.array) == (1000 + 2 * 103, 103)
        apart = variable(1.0) * 2  # that no output depends on
        (gx,) = grad([y], [apart], grad_inputs=[np.array([7.0])], enable_double_backprop=double)
        assert gx.array == 7
        assert [g.array for g in given] == [1000, 100]

    def test_arrays_as_weights(self):
        x = variable(2.0, 3.0)
        (gx,) = grad([x * x], [x], [np.array([1.0, 10.0])], [np.array([100.0, 200.0])])
        np.testing.assert_array_equal(gx.array, [104, 260])

    def test_set_grad_and_retain_grad(self):
        x = variable(2.0)
        h = x * x
        x.grad = np.array([5.0])
        (gx,) = grad([h * 3], [x], set_grad=True, retain_grad=True)
        assert x.grad == 12
        assert x.grad_var is gx
        assert h.grad == 3

    def test_nonsense_is_refused(self):
        x = variable(2.0, 3.0)
        y = x * x
        with pytest.raises(TypeError, match=r"^grad: outputs must be a tuple or list of Variables, not Variable$"):
            grad(y, [x])
        with pytest.raises(TypeError, match=r"^grad: inputs must be a tuple or list of Variables, not Variable$"):
            grad([y], x)
        with pytest.raises(TypeError, match=r"^grad: grad_outputs must be a tuple or list, or None, not Variable$"):
            grad([y], [x], y)
        with pytest.raises(TypeError, match=r"^grad: grad_inputs must be a tuple or list, or None, not ndarray$"):
            grad([y], [x], None, np.ones((1, 2)))
        with pytest.raises(ValueError, match=r"^grad: grad_outputs has 0 entries for 1 variables$"):
            grad([y], [x], [])
        with pytest.raises(ValueError, match=r"^grad: grad_inputs has 2 entries for 1 variables$"):
            grad([y], [x], None, [None, None])
        with pytest.raises(TypeError, match="must have its shape and dtype; got float64"):
            grad([y], [x], [variable(1.0)])

    def test_a_function_of_several_outputs(self):
        class Twins(FunctionNode):
            def forward(self, inputs):
                return 2 * inputs[0], 3 * inputs[0]

            def backward(self, target_input_indexes, grad_outputs):
                terms = [c * g for c, g in zip((2, 3), grad_outputs, strict=True) if g is not None]
                return (sum(terms[1:], terms[0]),)

        x = variable(1.0)
        a, b = Twins().apply((x,))
        ga, gb, gx = grad([b * 5], [a, b, x])
        assert (ga, gb.array, gx.array) == (None, 5, 15)


class TestHigherOrder:
    def test_three_times(self):
        x = variable(2.0, 3.0)
        y = x**5
        for factor, power in ((5, 4), (20, 3), (60, 2), (120, 1)):
            (y,) = grad([y], [x], enable_double_backprop=True)
            np.testing.assert_allclose(y.array, factor * x.array**power)

    def test_backward_leaves_a_differentiable_gradient(self):
        x = variable(2.0, 3.0)
        (x**3).sum().backward(enable_double_backprop=True)
        gx = x.grad_var
        x.cleargrad()
        gx.sum().backward()
        np.testing.assert_allclose(x.grad, 6 * x.array)

    def test_adding_to_a_gradient_stays_differentiable(self):
        x = variable(2.0)
        (x**3).backward(enable_double_backprop=True)
        (x**2).backward(enable_double_backprop=True)
        gx = x.grad_var
        assert gx.array == 12 + 4
        x.cleargrad()
        gx.backward()
        assert x.grad == 12 + 2

    def test_a_penalty_on_the_gradient(self):
        x, w = variable(2.0), variable(3.0)
        (gx,) = grad([w * x * x], [x], enable_double_backprop=True)
        ((gx - 1) ** 2).backward()
        assert gx.array == 12
        assert w.grad == 2 * (12 - 1) * 2 * 2
        assert x.grad == 2 * (12 - 1) * 2 * 3

    def test_through_the_given_weights(self):
        x, gy = variable(2.0), variable(5.0)
        (gx,) = grad([x * x], [x], [gy], enable_double_backprop=True)
        assert grad([gx], [gy])[0].array == 4


class TestMemoryOfGradients:
    @pytest.mark.parametrize("double", [False, True])
    def test_two_leaves_never_share_one(self, double):
        a, b, c = (Variable(np.ones((2, 3))) for _ in range(3))
        y = a + reshape(b, (2, 3)) + c - c + broadcast_to(a.T.T, (2, 3))
        start = np.ones((2, 3))
        y.grad = start
        y.backward(enable_double_backprop=double)
        arrays = [start, *(v.grad for v in (a, b, c))]
        for i, one in enumerate(arrays):
            assert one.flags.writeable
            for other in arrays[:i]:
                assert not np.shares_memory(one, other)

    @pytest.mark.parametrize("double", [False, True])
    def test_a_gradient_of_a_sum_may_be_written(self, double):
        x = variable(1.0, 2.0)
        x.sum().backward(enable_double_backprop=double)
        x.grad[...] *= 2
        np.testing.assert_array_equal(x.grad, [2, 2])

    def test_arrays_of_the_user_are_left_alone(self):
        rng = np.random.default_rng(0)
        arrays = [rng.standard_normal((3, 3)) for _ in range(4)]
        kept = [a.copy() for a in arrays]
        x, w, given = Variable(arrays[0]), Variable(arrays[1]), arrays[3]
        x.grad = given
        y = (x @ w + x) * w - x.T + (x * arrays[2])[1:, None].sum(axis=(0, 1))
        for _ in range(2):
            y.grad = np.ones((3, 3))
            y.backward()
        for array, before in zip(arrays, kept, strict=True):
            np.testing.assert_array_equal(array, before)

    @pytest.mark.parametrize("double", [False, True])
    def test_precisions_mix_and_each_gradient_has_that_of_its_input(self, double):
        half = Variable(np.ones((3, 2), np.float16))
        single = Variable(np.ones(2, np.float32))
        y = half * single + half
        assert y.dtype == np.float32
        y.sum().backward(enable_double_backprop=double)
        assert (half.grad.dtype, half.grad.shape) == (np.float16, (3, 2))
        assert (single.grad.dtype, single.grad.shape) == (np.float32, (2,))


class TestFailure:
    @pytest.mark.parametrize("double", [False, True])
    @pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
    def test_in_the_middle_leaves_every_gradient_as_it_was(self, double, error):
        class Fails(FunctionNode):
            def forward(self, inputs):
                return (inputs[0] + 0,)

            def backward(self, target_input_indexes, grad_outputs):
                raise error

        a, b = variable(2.0), variable(3.0)
        a.grad = before = np.array([7.0])
        h = Fails().apply((b,))[0]
        k = a * h  # its gradient with respect to `a` is there before Fails raises
        loss = k * 2
        with pytest.raises(error):
            loss.backward(retain_grad=True, enable_double_backprop=double)
        assert a.grad is before
        assert [v.grad for v in (b, h, k, loss)] == [None] * 4
        assert config.enable_backprop


class TestThreads:
    def test_each_walks_its_own_graph_in_its_own_configuration(self):
        failures = []

        def work(seed):
            try:
                rng = np.random.default_rng(seed)
                with using_config("train", bool(seed % 2)):
                    for _ in range(100):
                        x = Variable(rng.standard_normal(4))
                        y = x
                        for _ in range(10):
                            y = y * x
                        if seed % 3 == 0:
                            with no_backprop_mode():
                                assert (x * x).creator is None
                        y.sum().backward()
                        np.testing.assert_allclose(x.grad, 11 * x.array**10)
                        assert config.train == bool(seed % 2)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        assert config.train

    def test_two_may_go_back_through_one_graph(self):
        x = variable(*np.linspace(1, 2, 50))
        y = x
        for _ in range(20):
            y = y * x
        y = y.sum()
        results = []
        threads = [threading.Thread(target=lambda: results.append(grad([y], [x])[0].array)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            np.testing.assert_allclose(result, 21 * x.array**20)
        assert len(results) == 4


@pytest.mark.parametrize("own", [None, True, False])
def test_the_thread_has_the_setting_that_it_had(own):
    def fails(self, target_input_indexes, grad_outputs):
        raise ValueError("no gradient")

    y = variable(2) * 3.0
    z = variable(2) * 3.0
    z.creator.backward_arrays = fails.__get__(z.creator)
    if own is not None:
        config.enable_backprop = own
    try:
        for differentiable in (False, True):
            y.backward(enable_double_backprop=differentiable)
        with pytest.raises(ValueError, match="no gradient"):
            z.backward()
        assert vars(config).get("enable_backprop") is own
    finally:
        if own is not None:
            del config.enable_backprop


def test_an_empty_variable_starts_from_its_empty_gradient() -> None:
    x = Variable(np.ones((0, 3)))
    (x * x).backward()
    assert x.grad.shape == (0, 3)
