import itertools
import weakref

import numpy as np
import pytest

from renga_core.graph import FunctionHook, FunctionNode, GraphError, Variable, WrongGradient, grad, no_backprop_mode


class Split(FunctionNode):
    """Two outputs: 2x and 3x. Records which gradients came."""

    def forward(self, inputs):
        return 2 * inputs[0], 3 * inputs[0]

    def backward(self, target_input_indexes, grad_outputs):
        self.given = grad_outputs
        g0, g1 = grad_outputs
        terms = [factor * g for factor, g in ((2, g0), (3, g1)) if g is not None]
        return (sum(terms[1:], terms[0]),)


class Affine(FunctionNode):
    """``x * w + b``; x and w may be arrays or Variables. Records what was asked for."""

    def forward(self, inputs):
        x, w, b = inputs
        self.retain_inputs((0, 1))
        return (x * w + b,)

    def backward(self, target_input_indexes, grad_outputs):
        self.asked = target_input_indexes
        x, w = self.get_retained_inputs()
        (gy,) = grad_outputs
        all_three = (gy * w, gy * x, gy)
        return [all_three[i] for i in target_input_indexes]


class Broken(FunctionNode):
    """Returns what it is told to."""

    def __init__(self, ys=None, gxs=None):
        self.ys, self.gxs = ys, gxs

    def forward(self, inputs):
        return (inputs[0] + 0,) if self.ys is None else self.ys

    def backward(self, target_input_indexes, grad_outputs):
        return self.gxs


def numbers(*values, dtype=np.float64):
    return np.array(values, dtype)


class TestApply:
    def test_arrays_and_variables_mix(self):
        x, w, b = numbers(1, 2), numbers(3, 4), numbers(5, 6)
        for wanted in itertools.product((False, True), repeat=3):
            inputs = [Variable(a) if want else a for a, want in zip((x, w, b), wanted, strict=True)]
            function = Affine()
            (y,) = function.apply(inputs)
            np.testing.assert_array_equal(y.array, x * w + b)
            assert (y.creator is function) == any(wanted)
            if not any(wanted):
                assert function.inputs == ()
                continue
            assert [n.requires_grad for n in function.inputs] == list(wanted)
            y.sum().backward()
            assert function.asked == tuple(i for i in range(3) if wanted[i])
            for variable, expected in zip(inputs, (w, x, np.ones(2)), strict=True):
                if isinstance(variable, Variable):
                    np.testing.assert_array_equal(variable.grad, expected)

    def test_outputs_that_nobody_uses_have_no_gradient(self):
        x = Variable(numbers(1, 2))
        function = Split()
        y0, y1 = function.apply((x,))
        assert (y0.node.index, y1.node.index) == (0, 1)
        y1.sum().backward()
        assert function.given[0] is None
        np.testing.assert_array_equal(x.grad, [3, 3])
        x.cleargrad()
        y0, y1 = Split().apply((x,))
        (y0 * y1).sum().backward()
        np.testing.assert_array_equal(x.grad, 12 * x.array)

    def test_only_once(self):
        x = Variable(numbers(1))
        function = Split()
        function.apply((x,))
        with pytest.raises(GraphError) as caught:
            function.apply((x,))
        assert str(caught.value) == "Split has been applied already; make a new instance for each call"

    def test_scalars_of_the_library_become_arrays(self):
        (y,) = Affine().apply((Variable(numbers(1)), np.float64(2), numbers(3)))
        y.sum().backward()
        assert y.array == 5

    @pytest.mark.parametrize("mode", ["graph", "no graph", "watched"])
    def test_an_input_that_is_no_array(self, mode):
        x = Variable(numbers(1), requires_grad=mode == "graph")
        function = Affine()
        if mode == "watched":
            function.add_hook(Watcher())
        for wrong, kind in (([1.0], "list"), (2.0, "float"), (None, "None"), ("text", "str")):
            with pytest.raises(TypeError) as caught:
                function.apply((x, wrong, x))
            assert str(caught.value).startswith(f"Affine: input 1: expected a Variable or an array, got {kind}. ")

    @pytest.mark.parametrize("mode", ["graph", "no graph", "watched"])
    @pytest.mark.parametrize(
        ("ys", "told"),
        [
            (numbers(1), "Broken.forward returned a ndarray; it must return a tuple of arrays, even of one"),
            (None, "Broken.forward returned a list; it must return a tuple of arrays, even of one"),
            ((2.0,), "Broken.forward returned a tuple that contains 2.0; it must contain arrays only"),
            ((None,), "Broken.forward returned a tuple that contains None; it must contain arrays only"),
        ],
    )
    def test_an_output_that_is_no_array(self, mode, ys, told):
        function = Broken([numbers(1)] if ys is None else ys)
        if mode == "watched":
            function.add_hook(Watcher())
        with pytest.raises(TypeError) as caught:
            function.apply((Variable(numbers(1), requires_grad=mode == "graph"),))
        assert str(caught.value) == told

    def test_an_error_keeps_its_type_and_says_where(self):
        with pytest.raises(ValueError, match="broadcast") as caught:
            Affine().apply((Variable(np.ones((2, 3))), numbers(1, 2), numbers(1)))
        assert caught.value.__notes__ == ["In Affine.forward, called with float64 (2, 3), float64 (2,), float64 (1,)"]

    def test_abstract_methods_say_what_is_missing(self):
        class Empty(FunctionNode):
            pass

        with pytest.raises(NotImplementedError, match=r"^Empty does not define forward\(inputs\)"):
            Empty().apply((numbers(1),))
        with pytest.raises(NotImplementedError, match=r"^Empty does not define backward"):
            Empty().backward((0,), (None,))


class TestBackwardOfOneFunction:
    def apply(self, gxs, x=None):
        x = Variable(np.ones((2, 3), np.float32)) if x is None else x
        x.grad = before = np.full(x.shape, 7, x.dtype)
        y = Broken(gxs=gxs).apply((x,))[0].sum()
        return x, y, before

    def error(self, gxs, x=None):
        x, y, before = self.apply(gxs, x)
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the caller looks at it
            y.backward()
        assert x.grad is before
        assert y.grad is None
        return caught.value

    def test_wrong_number_of_gradients(self):
        one = Variable(np.ones((2, 3), np.float32))
        error = self.error((one, one))
        assert type(error) is WrongGradient
        assert str(error) == "the backward of Broken returned 2 gradients for 1 inputs"

    @pytest.mark.parametrize("enable_double_backprop", [False, True])
    def test_gradients_of_all_inputs_where_fewer_are_wanted(self, enable_double_backprop):
        x = Variable(np.ones((2, 3), np.float32))
        gxs = tuple(Variable(np.full((2, 3), value, np.float32)) for value in (5, 6, 7))
        (y,) = Broken(gxs=gxs).apply((x.array, x, x.array))
        (gx,) = grad([y.sum()], [x], enable_double_backprop=enable_double_backprop)
        assert (gx.array == 6).all()

    @pytest.mark.parametrize("shape", [(3, 2), (3,), (1, 3), ()])
    def test_wrong_shape(self, shape):
        error = self.error((Variable(np.ones(shape, np.float32)),))
        assert type(error) is WrongGradient
        assert str(error) == (
            f"the backward of Broken returned a gradient of float32 {shape} for an input of float32 (2, 3)"
        )
        assert error.__notes__ == ["In the backward of Broken, which was called with float32 (2, 3)."]

    @pytest.mark.parametrize("dtype", [np.bool_, np.int64, np.complex64])
    def test_wrong_kind_of_number(self, dtype):
        error = self.error((Variable(np.ones((2, 3), dtype)),))
        assert str(error) == (
            f"the backward of Broken returned a gradient of {np.dtype(dtype)} (2, 3) for an input of float32 (2, 3)"
        )

    def test_another_precision_is_converted_and_broadcast_axes_are_summed(self):
        x, y, _ = self.apply((Variable(np.ones((4, 2, 3), np.float64)),))
        x.cleargrad()
        y.backward()
        assert x.grad.dtype == np.float32
        np.testing.assert_array_equal(x.grad, np.full((2, 3), 4))

    def test_none_is_no_gradient(self):
        x, y, before = self.apply((None,))
        y.backward()
        assert x.grad is before

    def test_integers_get_no_gradient_of_a_real_function(self):
        x, n = Variable(numbers(1, 2)), Variable(np.array([3, 4]))
        (x * n).sum().backward()
        np.testing.assert_array_equal(x.grad, [3, 4])
        assert n.grad is None

    @pytest.mark.parametrize("double", [False, True])
    @pytest.mark.parametrize("wrong", [np.ones((2, 3), np.float32), 3])
    def test_what_is_no_variable(self, wrong, double):
        x, y, before = self.apply((wrong,))
        with pytest.raises(WrongGradient) as caught:
            y.backward(enable_double_backprop=double)
        assert x.grad is before
        assert str(caught.value) == (
            f"the backward of Broken returned a tuple with a {type(wrong).__name__} in it; "
            "it must return Variables, or None for zero (backward_arrays returns arrays)"
        )
        # What Chainer raises for one and for the other.
        assert isinstance(caught.value, ValueError)
        assert isinstance(caught.value, TypeError)

    def test_an_error_says_in_which_function(self):
        class Fails(Broken):
            def backward(self, target_input_indexes, grad_outputs):
                raise ZeroDivisionError("what it was")

        x = Variable(numbers(1, 2))
        with pytest.raises(ZeroDivisionError, match=r"^what it was") as caught:
            Fails().apply((x,))[0].sum().backward()
        assert caught.value.__notes__ == ["In the backward of Fails, which was called with float64 (2,)."]


class TestRetaining:
    def test_saved_arrays_and_connected_variables(self):
        class Keeps(Affine):
            def forward(self, inputs):
                ys = super().forward(inputs)
                self.retain_outputs((0,))
                return ys

        x, w = Variable(numbers(1, 2)), Variable(numbers(3, 4))
        function = Keeps()
        (y,) = function.apply((x, w, numbers(0, 0)))
        assert [id(v) for v in function.get_retained_inputs()] == [id(x), id(w)]
        assert [id(a) for a in function.saved_inputs] == [id(x.array), id(w.array)]
        assert [id(a) for a in function.saved_outputs] == [id(y.array)]
        (again,) = function.get_retained_outputs()
        assert again.array is y.array
        assert again.creator is function
        assert again.node.index == 0

    def test_a_variable_given_another_array_is_not_mistaken_for_what_was_retained(self):
        x = Variable(numbers(1, 2))
        function = Affine()
        (y,) = function.apply((x, numbers(3, 4), numbers(0, 0)))
        old = x.array
        x.array = numbers(8, 9)
        assert function.get_retained_inputs()[0] is not x
        assert function.get_retained_inputs()[0].array is old
        assert y.creator is function

    def test_nothing_else_is_kept(self):
        x, w, b = (numbers(i, i) for i in range(3))
        kept = [weakref.ref(a) for a in (x, w, b)]
        function = Affine()
        (y,) = function.apply((Variable(x), Variable(w), Variable(b)))
        alive = weakref.ref(y.array)
        del x, w, b, y
        assert [r() is not None for r in kept] == [True, True, False]
        assert alive() is None
        assert len(function.saved_inputs) == 2

    def test_without_a_graph_nothing_at_all(self):
        x = numbers(1, 2)
        function = Affine()
        with no_backprop_mode():
            function.apply((Variable(x), x, x))
        assert function.saved_inputs == ()
        assert function.inputs == ()


class TestNode:
    def test_unchained_it_is_the_end_of_the_way_back(self):
        x = Variable(numbers(1, 2))
        function = Affine()
        (y,) = function.apply((x, x, x))
        assert repr(function) == "<Affine of ((2,), float64, (2,), float64, (2,), float64)>"
        function.unchain()
        assert (function.inputs, function.saved_inputs, function.rank) == ((), (), 0)
        y.sum().backward()
        assert x.grad is None
        assert y.rank == 1

    def test_label_may_be_overridden(self):
        class Named(Broken):
            @property
            def label(self):
                return "my function"

        with pytest.raises(TypeError, match=r"^my function\.forward returned"):
            Named(1).apply((numbers(1),))

    def test_a_chain_of_any_length_is_walked_and_freed(self):
        x = Variable(numbers(1))
        y = x
        for _ in range(50_000):
            y = y + 0
        assert y.rank == 50_000
        y.backward()
        assert x.grad == 1
        (gx,) = grad([y], [x])
        assert gx.array == 1
        del y  # recursion without end would end the process here

    def test_default_backward_arrays_calls_backward_and_builds_no_graph(self):
        seen = []

        class Probe(Affine):
            def backward(self, target_input_indexes, grad_outputs):
                seen.append((grad_outputs[0] * self.get_retained_inputs()[0]).creator)
                return grad_outputs

        x = Variable(numbers(1))
        Probe().apply((x, numbers(1), numbers(1)))[0].backward()
        assert seen == [None]


class Watcher(FunctionHook):
    """The least a hook can be."""

    name = "watcher"


class TestFunctionName:
    def test_it_is_what_the_module_exports_under_the_name_of_the_class(self, monkeypatch):
        monkeypatch.setitem(globals(), "__all__", ["other", "twice_as_much", "TwiceAsMuch"])

        class TwiceAsMuch(FunctionNode):
            pass

        class Derived(TwiceAsMuch):
            pass

        class Other(FunctionNode):
            function_name = "another"

        assert [c.function_name for c in (TwiceAsMuch, Derived, Other)] == ["twice_as_much", "Derived", "another"]
