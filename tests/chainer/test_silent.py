"""What once differed from Chainer 7.8.1 without a word. What is expected is what Chainer gives."""


def test_a_list_of_lists_as_an_index_goes_by_the_axes(run_as_chainer):
    run_as_chainer("""
    x = chainer.Variable(np.arange(12, dtype="f").reshape(3, 4))
    for index, expected in (
        ([[0, 1], [1, 2]], [1, 6]),
        ([[0], [1]], [1]),
        ([(0, 1), (1, 2)], [1, 6]),
        ([np.array([0, 1]), np.array([1, 2])], [1, 6]),
        ([[0, 1]], [[0, 1, 2, 3], [4, 5, 6, 7]]),
        ([[True, False, True]], [[0, 1, 2, 3], [8, 9, 10, 11]]),
        ([slice(0, 1)], [[0, 1, 2, 3]]),
        ([[0, 1], slice(0, 2)], [[0, 1], [4, 5]]),
        ([Ellipsis, 0], [0, 4, 8]),
        ([0, 2], [[0, 1, 2, 3], [8, 9, 10, 11]]),
        ([True, False, True], [[0, 1, 2, 3], [8, 9, 10, 11]]),
    ):
        y = x[index]
        assert y.array.tolist() == expected, index
        assert F.get_item(x, index).array.tolist() == expected
        x.cleargrad()
        F.sum(y).backward()
        assert x.grad.sum() == y.size
        added = F.scatter_add(x, index, np.ones(y.shape, "f")).array - x.array
        assert (added == x.grad).all()
    """)


def test_shared_copies_of_links_that_have_no_weights_yet(run_as_chainer):
    """A layer and its copy share weights, also those that are made in the first call of either."""
    run_as_chainer("""
    warnings.simplefilter("ignore", DeprecationWarning)  # to_cpu is deprecated in Chainer 7
    class Pair(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.first = L.Linear(None, 2)
                self.second = self.first.copy()

        def forward(self, x):
            return self.second(x) + self.first(x)

    for optimizer in (optimizers.SGD(), optimizers.Adam()):
        for prepare in (lambda m: m, lambda m: m.copy(), lambda m: m.to_device("@numpy")):
            model = prepare(Pair())
            optimizer.setup(model)
            for _ in range(2):
                model.cleargrads()
                F.sum(model(array(1, 3))).backward()
                optimizer.update()
            assert model.first.W.array is model.second.W.array
            assert model.first.W is not model.second.W
    """)


def test_state_of_an_update_rule_before_its_first_update(run_as_chainer):
    run_as_chainer("""
    for make, names in ((optimizers.SGD, set()), (optimizers.Adam, {"m", "v"}), (optimizers.MomentumSGD, {"v"})):
        link = L.Linear(3, 2)
        optimizer = make().setup(link)
        assert link.W.update_rule.state is None
        link.cleargrads()
        F.sum(link(array(1, 3))).backward()
        optimizer.update()
        assert set(link.W.update_rule.state) == names
    """)


def test_a_parameter_without_an_initializer(run_as_chainer):
    run_as_chainer("""
    import copy
    parameter = chainer.Parameter()
    assert type(parameter.initializer).__name__ == "NaN"
    other = copy.copy(parameter)
    parameter.initialize((2,))
    assert other.array is parameter.array and np.isnan(other.array).all()
    target = chainer.Parameter(np.ones(2, "f"))
    target.copydata(chainer.Parameter(chainer.initializers.Zero()))
    assert target.array.tolist() == [0, 0]
    """)
