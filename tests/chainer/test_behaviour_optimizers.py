"""Optimizers, update rules and hooks under `import chainer`."""


def test_half_precision_with_default_eps(run_as_chainer):
    run_as_chainer("""
    def trained(name, gradients):
        model = Model(np.array([1, -2, .5], "e"))
        optimizer = getattr(chainer.optimizers, name)().setup(model)
        for gradient in gradients:
            model.p.grad = np.array(gradient, "e")
            optimizer.update()
        return model.p.array.tolist()

    steps = [1, .5, -.25], [1e-3, .3, 1], [.5, -.5, 2]
    warnings.simplefilter("ignore", UserWarning)
    for name in ("Adam", "AdamW", "AMSGrad", "AdaBound", "AMSBound"):
        assert trained(name, steps) == [0.99755859375, -2.001953125, 0.499755859375], name
    assert trained("AdaGrad", steps) == [0.99853515625, -2.001953125, 0.4990234375]
    assert trained("AdaDelta", steps) == [0.99267578125, -2.00390625, 0.490478515625]
    assert trained("SMORMS3", steps) == [0.99755859375, -2.0, 0.498291015625]
    assert trained("RMSpropGraves", steps) == [0.99853515625, -2.0, 0.5]
    with raises_regex(ValueError, "eps"):
        trained("RMSprop", steps)

    # Where Adam has no gradient it computes in single precision, and AdaGrad 0 / 0.
    assert trained("Adam", [[0, 1, 0]])[::2] == [1, .5]
    np.seterr(all="ignore")
    assert np.isnan(trained("AdaGrad", [[0, 1, 0]])).tolist() == [True, False, True]
    """)


def test_what_half_precision_will_make_of_a_zero_eps_is_said(run_as_chainer):
    run_as_chainer("""
    if "renga_chainer" not in globals():
        raise SystemExit  # Chainer says nothing
    model = Model(np.ones(2, "e"))
    chainer.optimizers.AdaGrad().setup(model)
    model.p.grad = np.ones(2, "e")
    with warns(renga_chainer.CompatibilityWarning) as caught:
        model.p.update()
    assert "eps=1e-08 is zero in float16" in str(caught.warning) and "use_fp32_update" in str(caught.warning)
    """)


def test_a_function_is_a_hook_of_an_update_rule_by_its_own_name(run_as_chainer):
    run_as_chainer("""
    def halve(rule, param):
        param.grad *= .5

    rule = chainer.optimizers.SGD(1.).create_update_rule()
    rule.add_hook(halve)
    parameter = chainer.Parameter(np.ones(1, "f"))
    parameter.grad = np.ones(1, "f")
    rule.update(parameter)
    assert parameter.array[0] == .5
    rule.remove_hook("halve")
    """)


def test_an_update_rule_of_the_programs_own_gets_parameters_without_an_array(run_as_chainer):
    run_as_chainer("""
    class Rule(chainer.UpdateRule):
        calls = 0
        def update_core_cpu(self, param):
            self.calls += 1

    rule, parameter, seen = chainer.UpdateRule(), chainer.Parameter(), []
    rule.update_core = seen.append
    rule.update(parameter)
    assert seen == [parameter] and rule.t == 1
    rule = Rule()
    rule.update(parameter)
    rule.enabled = False
    rule.update(parameter)
    assert rule.calls == 1
    chainer.optimizers.SGD().create_update_rule().update(parameter)
    """)


def test_a_hook_for_each_parameter_is_called_for_each(run_as_chainer):
    run_as_chainer("""
    class Hook:
        name, call_for_each_param, timing = "hook", True, "pre"
        def __call__(self, rule, param):
            seen.append((rule, param.shape))

    model = L.Linear(1, 1)
    optimizer = chainer.optimizer.Optimizer().setup(model)
    optimizer.add_hook(Hook())
    seen = []
    optimizer.call_hooks()
    assert sorted(seen, key=str) == [(None, (1, 1)), (None, (1,))]
    """)


def test_gradients_that_a_hook_clears_are_zeros_for_the_next(run_as_chainer):
    run_as_chainer("""
    model, seen = L.Linear(1, 1), []
    model.cleargrads()
    optimizer = chainer.optimizers.SGD().setup(model)
    optimizer.add_hook(lambda o: o.target.cleargrads(), "a")
    optimizer.add_hook(lambda o: seen.append(o.target.W.grad.tolist()), "b")
    optimizer.update()
    assert seen == [[[0]]]
    """)


def test_a_parameter_of_several_links_is_updated_once_for_each(run_as_chainer):
    run_as_chainer("""
    class Tied(chainer.Chain):
        def __init__(self):
            super().__init__()
            self.shared = Model(np.zeros(1, "f"))
            with self.init_scope():
                self.a, self.b = (chainer.Chain(inner=self.shared) for _ in range(2))
                self.c = self.shared

    for optimizer in (optimizers.Adam(0.1), optimizers.AMSGrad(0.1), optimizers.AdaBound(0.1), optimizers.SGD(0.1)):
        model = Tied()
        optimizer.setup(model)
        for step in range(1, 3):
            model.shared.p.grad = np.ones(1, "f")
            optimizer.update()
            assert model.shared.p.update_rule.t == 3 * step
        # While the gradient stays the same, each of Adam's steps has the length alpha.
        np.testing.assert_allclose(model.shared.p.array, [-0.6], rtol=1e-4)
    """)
