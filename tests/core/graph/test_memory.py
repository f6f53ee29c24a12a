"""The properties of memory in the paper's sections 4.1 and 4.2, (a) to (e) as docs/explanation/graph.md lists them."""

import subprocess
import sys
import textwrap
import tracemalloc
import weakref
from itertools import pairwise

import numpy as np
import pytest

from renga_core.graph import FunctionHook, FunctionNode, Variable, grad

SIZE = 1 << 16  # elements of float64: half a MiB, beside which Python's own objects vanish
BYTES = SIZE * 8


class Cube(FunctionNode):
    """Keeps its input. Counts how many of `arrays` are alive when its backward runs."""

    fresh_gradients = True

    def __init__(self, watch=None):
        self.watch = watch

    def forward(self, inputs):
        self.retain_inputs((0,))
        y = inputs[0] ** 3
        if self.watch is not None:
            self.watch.made(y)
        return (y,)

    def backward_arrays(self, target_input_indexes, grad_outputs):
        if self.watch is not None:
            self.watch.count()
        return (3 * grad_outputs[0] * self.saved_inputs[0] ** 2,)

    def backward(self, target_input_indexes, grad_outputs):
        if self.watch is not None:
            self.watch.count()
        (x,) = self.get_retained_inputs()
        return (3 * grad_outputs[0] * x**2,)


class Watch:
    def __init__(self):
        self.arrays, self.counts = [], []

    def made(self, array):
        self.arrays.append(weakref.ref(array))

    def count(self):
        self.counts.append(sum(r() is not None for r in self.arrays))


def traced(work):
    """Bytes in use and at the peak since the start, after and during `work`; NumPy tells tracemalloc of its arrays."""
    tracemalloc.start()
    try:
        kept = work()
        return (*tracemalloc.get_traced_memory(), kept)
    finally:
        tracemalloc.stop()


def chain(x, length, watch=None):
    for _ in range(length):
        (x,) = Cube(watch).apply((x,))
    return x


class TestA:
    """(a) A function keeps what it retains, and nothing else."""

    def test_forward_of_functions_that_retain_nothing_stays_flat(self):
        x = Variable(np.zeros(SIZE))

        def add_fifty_times():
            y = x
            for _ in range(50):
                y = y + 1.0
            return y

        _, peak, y = traced(add_fifty_times)
        assert y.rank == 50
        assert peak < 3.5 * BYTES

    def test_what_is_retained_lives_and_the_rest_dies_at_once(self):
        x, w = np.ones(SIZE), np.ones(SIZE)
        vx, vw = Variable(x), Variable(w)
        h = vx * vw
        s = h + vw
        dies, lives = weakref.ref(s.array), weakref.ref(h.array)
        y = s * 2.0 + h * vx
        del h, s
        assert lives() is not None
        assert dies() is None
        del y
        assert lives() is None


class TestB:
    """(b) Arrays are freed while backward proceeds."""

    @pytest.mark.parametrize("length", [10, 40])
    def test_the_peak_of_backward_is_that_of_forward_and_a_constant(self, length):
        x = Variable(np.ones(SIZE))
        _, forward_peak, loss = traced(lambda: chain(x, length).sum())
        del loss

        def both():
            loss = chain(x, length).sum()
            loss.backward()
            return loss

        _, peak, _ = traced(both)
        assert forward_peak > (length - 2) * BYTES
        assert peak < forward_peak + 6 * BYTES

    def test_with_the_loss_held_the_graph_stays(self):
        watch = Watch()
        x = Variable(np.ones(8))
        loss = chain(x, 10, watch).sum()
        loss.backward()
        assert watch.counts == [9] * 10
        loss.backward()
        assert x.grad is not None

    @pytest.mark.parametrize("double", [False, True])
    def test_with_nobody_holding_the_loss_it_shrinks_step_by_step(self, double):
        watch = Watch()
        x = Variable(np.ones(8))
        chain(x, 10, watch).sum().backward(enable_double_backprop=double)
        # Double backprop keeps what the gradients' graph needs.
        assert watch.counts == ([9] * 10 if double else list(range(9, -1, -1)))

    def test_dropping_the_name_first_is_enough(self):
        watch = Watch()

        def loss_of(x):
            return chain(x, 10, watch).sum()

        loss_of(Variable(np.ones(8))).backward()
        assert watch.counts == list(range(9, -1, -1))

    def test_memory_falls_with_it(self):
        used = []

        class Probe(FunctionHook):
            name = "probe"

            def backward_postprocess(self, function, in_data, out_grad):
                used.append(tracemalloc.get_traced_memory()[0])

        x = Variable(np.ones(SIZE))

        def work():
            with Probe():
                chain(x, 20).sum().backward()

        traced(work)
        falls = [a - b for a, b in pairwise(used[2:])]
        assert len(falls) == 18
        assert min(falls) > 0.9 * BYTES

    def test_gradients_on_the_way_do_not_pile_up(self):
        x = Variable(np.ones(SIZE))
        y = x
        for _ in range(50):
            y = y + 1.0
        y = y.sum()
        _, peak, _ = traced(y.backward)
        assert peak < 4 * BYTES

    def test_a_gradient_that_was_added_is_gone_before_the_next_function_runs(self):
        given, alive = [], []

        class Gives(Cube):
            def backward_arrays(self, target_input_indexes, grad_outputs):
                gxs = super().backward_arrays(target_input_indexes, grad_outputs)
                given.append(weakref.ref(gxs[0]))
                return gxs

        class Looks(Cube):
            def backward_arrays(self, target_input_indexes, grad_outputs):
                alive.extend(r() is not None for r in given)
                return super().backward_arrays(target_input_indexes, grad_outputs)

        (h,) = Looks().apply((Variable(np.ones(8)),))
        (Gives().apply((h,))[0] + Gives().apply((h,))[0]).sum().backward()
        assert alive == [False, True]  # the sum is in the memory of the one that came last

    def test_adding_in_place_changes_no_gradient_that_somebody_has(self):
        x = Variable(np.array([1.0, 2.0]))
        h = x * x
        kept = [h * h, h + 0.0, h * 3.0, h + 1.0]
        y = kept[0] * kept[1] + kept[2] * kept[3]
        y.grad = seed = np.array([1.0, 10.0])
        y.backward(retain_grad=True)
        a = np.array([1.0, 4.0])  # h; y = h^3 + 3h (h + 1)
        np.testing.assert_allclose(h.grad, (3 * a**2 + 6 * a + 3) * seed)
        np.testing.assert_allclose(x.grad, h.grad * 2 * x.array)
        wanted = [a * seed, a**2 * seed, (a + 1) * seed, 3 * a * seed]
        for variable, gradient in zip(kept, wanted, strict=True):
            np.testing.assert_allclose(variable.grad, gradient)
        np.testing.assert_array_equal(seed, [1.0, 10.0])


class TestC:
    """(c) A Variable is apart from its node."""

    def test_dropping_the_variable_frees_the_array_unless_retained(self):
        x = Variable(np.ones(SIZE))
        h = x + 1.0
        array, node = weakref.ref(h.array), h.node
        y = h + 2.0
        del h
        assert array() is None
        assert y.creator.inputs == (node,)
        assert node.get_variable_or_none() is None
        y.sum().backward()
        np.testing.assert_array_equal(x.grad, np.ones(SIZE))

    def test_the_first_variable_of_all_too(self):
        array = np.ones(SIZE)
        alive = weakref.ref(array)
        y = Variable(array) + 1.0
        del array
        assert alive() is None
        y.sum().backward()


ITERATIONS = """
    import gc, sys, tracemalloc
    import numpy as np
    from renga_core.graph import Parameter, Variable, grad, no_backprop_mode

    W, b = Parameter(0.5, (4, 4), name="W"), Parameter(0.1, (4,), name="b")

    def plain():
        loss(Variable(np.ones((3, 4), np.float32))).backward()

    def double():
        x = Variable(np.ones((3, 4), np.float32))
        gx, = grad([loss(x)], [x], enable_double_backprop=True)
        (loss(x) + ((gx ** 2).sum() - 1) ** 2).backward(enable_double_backprop=True)
        W.cleargrad(); b.cleargrad()

    def retaining():
        y = loss(Variable(np.ones((3, 4), np.float32)))
        y.backward(retain_grad=True)

    def double_retaining():
        y = loss(Variable(np.ones((3, 4), np.float32)))
        y.backward(retain_grad=True, enable_double_backprop=True)
        gradient = W.grad_var
        W.cleargrad(); b.cleargrad()
        (gradient ** 2).sum().backward()

    def failing():
        try:
            (loss(Variable(np.ones((3, 4), np.float32))) * np.ones(3)).backward()
        except RuntimeError:
            pass

    def loss(x):
        h = x @ W + b
        h = h * h / (h * h + 1.0)
        return (h[1:] - h.reshape(4, 3).T[:2]).sum()

    def iterate(n):
        for _ in range(n):
            iteration()
            for p in (W, b):
                if p.grad is not None:
                    p.array -= 0.001 * p.grad
                p.cleargrad()

    # Python remembers where types have their attributes, and with that the names: NumPy makes new strings of them each
    # time it calls a method of its own in Python, as for the text of a dtype.
    clear_caches = getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache

    iteration = globals()[sys.argv[1]]
    iterate(1)  # finding kernels reads what packages offer, which leaves cycles, once
    gc.collect()
    gc.disable()
    tracemalloc.start()
    iterate(100)
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    del gc.garbage[:]
    clear_caches()
    before = tracemalloc.get_traced_memory()[0]
    iterate(300)
    gc.collect()  # frees nothing of a cycle, which goes to gc.garbage, but Python's stock of unused tuples
    clear_caches()
    after = tracemalloc.get_traced_memory()[0]
    ours = [type(o).__qualname__ for o in gc.garbage if type(o).__module__.startswith(("renga", "numpy"))]
    print(after - before, len(gc.garbage), ours[:10])
    assert after - before < 300, after - before  # less than a byte an iteration
    assert not ours, ours[:10]
    assert not gc.garbage, gc.garbage[:3]
"""


class TestD:
    """(d) There are no reference cycles: with the garbage collector off, nothing piles up."""

    @pytest.mark.parametrize("iteration", ["plain", "double", "retaining", "double_retaining", "failing"])
    def test_hundreds_of_iterations_without_the_garbage_collector(self, iteration):
        program = textwrap.dedent(ITERATIONS)
        done = subprocess.run([sys.executable, "-c", program, iteration], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


class TestE:
    """(e) A retained output whose node is gone is made again, and connected."""

    def exp(self, x):
        class Exp(FunctionNode):
            def forward(self, inputs):
                self.retain_outputs((0,))
                return (np.exp(inputs[0]),)

            def backward(self, target_input_indexes, grad_outputs):
                (y,) = self.get_retained_outputs()
                return (grad_outputs[0] * y,)

        return Exp().apply((x,))[0]

    def test_derivatives_of_any_order_while_nobody_holds_the_output(self):
        x = Variable(np.array([0.5, 1.0]))
        y = self.exp(x) * 1.0
        for _ in range(4):
            (y,) = grad([y], [x], enable_double_backprop=True)
            np.testing.assert_allclose(y.array, np.exp(x.array))

    def test_the_same_while_somebody_does(self):
        x = Variable(np.array([0.5, 1.0]))
        y = self.exp(x)
        (gx,) = grad([y], [x], enable_double_backprop=True)
        (ggx,) = grad([gx], [x])
        np.testing.assert_allclose(ggx.array, np.exp(x.array))
        (gy,) = grad([gx], [y])  # gx = 1 * y: through the node made again to the Variable that is held
        np.testing.assert_array_equal(gy.array, [1, 1])

    def test_the_node_really_was_gone(self):
        x = Variable(np.array([0.5]))
        y = self.exp(x)
        function, node = y.creator, y.node.__class__
        del y
        (again,) = function.get_retained_outputs()
        assert isinstance(again.node, node)
        (gx,) = grad([again], [x])
        np.testing.assert_allclose(gx.array, np.exp(0.5))
