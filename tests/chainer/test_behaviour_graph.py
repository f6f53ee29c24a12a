"""The graph under `import chainer`: creators, functions applied again."""


def test_outputs_of_functions_of_arrays_have_a_creator(run_as_chainer):
    run_as_chainer("""
    from chainer import computational_graph
    y = F.relu(np.ones((1, 2), "f"))
    assert (type(y.creator).__name__, y.rank, y.requires_grad) == ("ReLU", 1, False)
    loss = F.sum(L.Linear(2, 2)(F.exp(y)))
    assert loss.rank == 4 and loss.requires_grad
    # Three variables and their functions before the layer, its parameters, itself, the sum.
    assert len(computational_graph.build_computational_graph([loss]).nodes) == 11
    loss.backward()
    assert y.grad is None

    a, b = F.split_axis(np.ones((2, 1), "f"), 2, 0)
    assert a.creator is b.creator and [node.shape for node in a.creator.inputs] == [(2, 1)]
    y.backward()
    y.unchain_backward()
    assert y.creator is None
    F.relu(np.ones((1, 2), "f")).to_cpu()
    with chainer.no_backprop_mode():
        assert F.relu(np.ones(2, "f")).creator is None
    """)


def test_a_function_is_applied_to_one_thing_after_another(run_as_chainer):
    run_as_chainer("""
    from chainer.functions.math.exponential import Exp

    class Scale(chainer.FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0,))
            return inputs[0] ** 2,
        def backward(self, indexes, grads):
            return 2 * self.get_retained_inputs()[0] * grads[0],

    for function, expected in ((Exp(), np.exp(2)), (Scale(), 4)):
        function.apply((chainer.Variable(np.ones(1, "f")),))
        x = chainer.Variable(np.full(1, 2, "f"))
        y, = function.apply((x,))
        y.backward()
        np.testing.assert_allclose([y.array[0], x.grad[0]], expected, rtol=1e-5)
        z, = function.apply((np.zeros(1, "f"),))
        np.testing.assert_allclose(z.array, function.forward((np.zeros(1, "f"),))[0])
    """)


def test_each_application_has_its_own_gradient(run_as_chainer):
    run_as_chainer("""
    # Chainer's backward of the first application computes with what the second has kept: that is not followed.
    if "renga_chainer" not in globals():
        raise SystemExit
    from chainer.functions.math.exponential import Exp
    function = Exp()
    xs = [chainer.Variable(np.full(1, value, "f")) for value in (0, 1)]
    for y in [function.apply((x,))[0] for x in xs]:
        y.backward()
    np.testing.assert_allclose([x.grad[0] for x in xs], np.exp([0, 1]), rtol=1e-6)
    """)


def test_creators_can_be_set_and_taken_away(run_as_chainer):
    run_as_chainer("""
    x = chainer.Variable(np.ones(2, "f"))
    for cut in ("creator", "creator_node"):
        y = x * 2
        setattr(y, cut, None)
        assert y.creator is None and y.creator_node is None
        y = x * 2
        setattr(y.node, cut, None)
        assert y.creator is None
        y, z = x * 2, F.exp(x)
        setattr(y, cut, z.creator_node)
        assert y.creator_node is z.creator_node
    """)


def test_gradient_checks_with_none_among_gradients_and_inputs(run_as_chainer):
    run_as_chainer("""
    both, one = lambda x: (F.sin(x), F.cos(x)), np.ones(3)
    gradient_check.check_backward(both, one, (None, one), dtype="d")
    gradient_check.check_double_backward(both, one, (None, one), one, dtype="d")
    gradient_check.check_backward(lambda x, y: F.sin(x), (one, None), one, dtype="d")

    class Wrong(chainer.FunctionNode):
        def forward(self, inputs):
            return inputs[0] * 2, inputs[0] * 3
        def backward(self, indexes, grads):
            return sum(factor * gy for factor, gy in zip((1, 3), grads) if gy is not None),

    wrong = lambda x: Wrong().apply((x,))
    gradient_check.check_backward(wrong, one, (None, one), dtype="d")
    with raises(AssertionError):
        gradient_check.check_backward(wrong, one, (one, None), dtype="d")
    """)


def test_a_numerical_gradient_at_infinity_is_nan_and_no_kink(run_as_chainer):
    run_as_chainer("""
    x = np.array([np.inf])
    np.seterr(all="ignore")
    grad, = gradient_check.numerical_grad(lambda: (2 * x,), (x,), (np.ones(1),), detect_nondifferentiable=True)
    assert np.isnan(grad).all()
    x = np.array([0.])
    with raises(gradient_check.NondifferentiableError):
        gradient_check.numerical_grad(lambda: (np.log(x),), (x,), (np.ones(1),), detect_nondifferentiable=True)
    """)


def test_names_of_functions_are_those_of_chainers_classes(run_as_chainer):
    run_as_chainer("""
    from chainer.function_hooks import TimerHook
    if "renga_chainer" in globals():  # what a class itself is called is changed under the runner only
        renga_chainer.uninstall()
        renga_chainer.install(replace=True, everywhere=True)
    x, images = chainer.Variable(np.ones(2, "f")), np.ones((1, 1, 4, 4), "f")
    expected = {
        "Exp": lambda: F.exp(x), "MulConstant": lambda: x * 2, "Mul": lambda: x * x, "Neg": lambda: -x,
        "Sub": lambda: x - x, "Div": lambda: x / x, "DivFromConstant": lambda: 2 / x, "PowVarConst": lambda: x ** 2,
        "PowConstVar": lambda: 2 ** x, "PowVarVar": lambda: x ** x, "Fmod": lambda: F.fmod(x, x),
        "LinearFunction": lambda: F.linear(np.ones((2, 3), "f"), np.ones((4, 3), "f")),
        "Convolution2DFunction": lambda: F.convolution_2d(images, np.ones((1, 1, 1, 1), "f")),
        "AveragePooling2D": lambda: F.average_pooling_2d(images, 2), "SplitAxis": lambda: F.split_axis(x, 2, 0)[0],
        "MaxPoolingND": lambda: F.max_pooling_2d(images, 2), "Arctan2": lambda: F.arctan2(x, x),
        "Concat": lambda: F.concat([x, x], 0),
    }
    for name, function in expected.items():
        with TimerHook() as hook:
            y = function()
        assert hook.call_history[0][0] == name and set(hook.summary()) == {name}, (name, hook.call_history)
        assert type(y.creator).__name__ == name and y.creator.label, name
    with TimerHook() as hook:
        F.convolution_1d(np.ones((1, 1, 4), "f"), np.ones((1, 1, 1), "f"))

        class Old(chainer.Function):
            def forward(self, inputs):
                return inputs
        Old()(x)
    assert [name for name, _ in hook.call_history] == ["ConvolutionND", "Old"]
    """)


def test_names_of_classes_are_rengas_own_after_uninstall(run_as_chainer):
    run_as_chainer("""
    if "renga_chainer" not in globals():
        raise SystemExit
    x = chainer.Variable(np.ones(2, "f"))
    renga_chainer.uninstall()
    from renga.function_hooks import TimerHook
    with TimerHook() as hook:
        y = x * 2
    assert type(y.creator).__name__ == "MultiplyConstant" and set(hook.summary()) == {"MultiplyConstant"}
    """)


def test_as_strided_of_integers_has_no_gradient(run_as_chainer):
    run_as_chainer("""
    y = F.as_strided(chainer.Variable(np.arange(4)), (2,), (1,))
    assert y.array.tolist() == [0, 1]
    y.grad = np.ones(2, int)
    with raises_regex(TypeError, "Only float is supported"):
        y.backward()
    """)


def test_gradient_checks_refuse_as_chainer(run_as_chainer):
    run_as_chainer("""
    one = np.ones(1)
    for eps in (0, -1):
        with raises(AssertionError):
            gradient_check.numerical_grad(lambda: (one,), (one,), (one,), eps=eps)
    both = np.ones(2), np.ones(2)
    with raises_regex(RuntimeError, "must be None"):
        gradient_check.check_backward(lambda x, y: x * 2 + y, both, np.ones(2), no_grads=[False, True])
    gradient_check.check_backward(lambda x, y: x * 2 + y.array, both, np.ones(2), no_grads=[False, True])
    """)


def test_the_creator_of_what_was_joined_is_a_function(run_as_chainer):
    run_as_chainer("""
    x = chainer.Variable(array(2, 4, 6, 6))
    for y, label in (
        (F.concat([x, x]), "Concat"),
        (F.hstack([x, x]), "Concat"),
        (F.local_response_normalization(x), "LocalResponseNormalization"),
        (F.average_pooling_2d(x, 2), "AveragePooling2D"),
        (F.average_pooling_1d(x[:, :, 0], 2), "AveragePoolingND"),
    ):
        assert y.creator is y.creator_node and y.creator.label == label, y.creator
    """)


def test_kinks_are_judged_for_each_output_as_in_chainer(run_as_chainer):
    """Which of these Chainer 7.8.1 takes for kinks was read off a run of it."""
    run_as_chainer("""
    x = np.array([1e-6])

    def kink(slope, jump):
        try:
            f = lambda: (slope * x + jump * np.floor(x), x * 3)
            gradient_check.numerical_grad(f, (x,), (np.ones(1), np.ones(1)), detect_nondifferentiable=True)
        except gradient_check.NondifferentiableError:
            return True
        return False

    found = [kink(1e3, jump) for jump in (0, 0.08, 0.12, 0.2)]
    assert found == [False, False, True, True], found
    """)
