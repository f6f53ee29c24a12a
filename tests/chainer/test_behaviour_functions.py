"""Functions and Variables under `import chainer`."""


def test_products_of_two_dtypes_are_in_that_of_x(run_as_chainer):
    run_as_chainer("""
    x, W = np.ones((2, 3), "e"), np.ones((4, 3), "f")
    assert F.linear(x, W).dtype == F.simplified_dropconnect(x, W).dtype == np.float16
    images, filters = np.ones((1, 1, 3, 3), "e"), np.ones((1, 1, 1, 1, 3, 3), "f")
    assert F.local_convolution_2d(images, filters).dtype == np.float16

    x, W = chainer.Variable(x), chainer.Parameter(W)
    y = F.linear(x, W)
    y.grad = np.ones((2, 4), "e")
    y.backward()
    assert (x.grad.dtype, W.grad.dtype) == (np.float16, np.float32)
    """)


def test_unary_plus_is_the_variable_itself(run_as_chainer):
    run_as_chainer("""
    x = chainer.Variable(np.ones(2, "f"))
    assert +x is x
    """)


def test_bernoulli_between_zero_and_one(run_as_chainer):
    run_as_chainer("""
    def near(variable, expected):
        np.testing.assert_allclose(variable.array, expected, rtol=1e-5)

    np.seterr(all="ignore")
    p, x = np.array([.1, .3], "f"), np.array([.2, .6], "f")
    near(distributions.Bernoulli(p=p).prob(x), [.2 * .1 + .8 * .9, .6 * .3 + .4 * .7])
    near(distributions.Bernoulli(p=p, binary_check=True).prob(np.array([.2, 1.], "f")), [0, .3])
    near(distributions.Bernoulli(p=p).log_prob(x), .2 * np.log([.1, .3]) * [1, 3] + [.8, .4] * np.log([.9, .7]))
    certain = distributions.Bernoulli(p=np.array([0., 1.], "f"))
    near(certain.log_prob(np.array([.3, .6], "f")), np.log([.7, .6]))
    near(certain.log_prob(np.array([0., 1.], "f")), [0, 0])
    near(certain.log_prob(np.array([1., 0.], "f")), [-np.inf, -np.inf])
    """)


def test_padding_of_unsigned_integers_wraps_around(run_as_chainer):
    run_as_chainer("""
    warnings.simplefilter("ignore", DeprecationWarning)
    sequences = [np.array([1, 2], "u1"), np.array([1], "u1")]
    assert F.pad_sequence(sequences, padding=-1).array.tolist() == [[1, 2], [1, 255]]
    assert chainer.dataset.concat_examples(sequences, padding=-1).tolist() == [[1, 2], [1, 255]]
    """)


def test_unpooling_onto_nothing(run_as_chainer):
    run_as_chainer("""
    x = chainer.Variable(np.ones((1, 1, 2, 2), "f"))
    y = F.unpooling_nd(x, (1, 1), stride=(1, 1), pad=(1, 1), cover_all=True)
    assert y.shape == (1, 1, 0, 0)
    y.grad = y.array.copy()
    y.backward()
    assert x.grad.tolist() == [[[[0, 0], [0, 0]]]]
    """)


def test_repeat_takes_booleans(run_as_chainer):
    run_as_chainer("""
    x = np.arange(6, dtype="f").reshape(2, 3)
    assert F.repeat(x, True).array.tolist() == list(range(6))
    assert F.repeat(x, (True,), 0).shape == (2, 3) and F.repeat(x, (True, False), 0).array.tolist() == [[0, 1, 2]]
    """)


def test_orthogonal_of_an_array_without_axes(run_as_chainer):
    run_as_chainer("""
    drawn = set()
    for _ in range(50):
        w = np.empty((), "f")
        chainer.initializers.Orthogonal(scale=2.)(w)
        drawn.add(float(w))
    assert drawn == {-2., 2.}
    """)


def test_what_has_the_shape_comes_back_as_it_is(run_as_chainer):
    run_as_chainer("""
    x, array = chainer.Variable(np.zeros((2, 3), "f")), np.zeros((2, 3), "f")
    assert F.reshape(x, (2, 3)) is x and F.broadcast_to(x, (2, 3)) is x
    assert F.reshape(array, (2, 3)).array is array
    assert F.reshape(x, (3, -1)).shape == (3, 2) and F.broadcast_to(x, (4, 2, 3)).shape == (4, 2, 3)
    """)


def test_forget_of_a_tuple_of_one(run_as_chainer):
    run_as_chainer("""
    x = chainer.Variable(np.ones(2, "f"))
    y = F.forget(lambda a: (a * 2,), x)
    y.grad = np.ones(2, "f")
    y.backward()
    assert x.grad.tolist() == [2, 2]
    assert isinstance(F.forget(lambda a: (a, a * 2), x), tuple)
    with raises(RuntimeError):
        F.forget(lambda: 1)
    """)


def test_methods_that_change_no_shape_give_the_variable_itself(run_as_chainer):
    run_as_chainer("""
    x = chainer.Variable(np.zeros((2, 3), "f"))
    assert x.reshape((2, 3)) is x and x.reshape(2, 3) is x and x.reshape([2, 3]) is x
    assert x.reshape(3, -1).shape == (3, 2) and x.reshape(-1).shape == (6,)
    """)


def test_functions_refuse_by_chainers_errors(run_as_chainer):
    run_as_chainer("""
    from chainer import computational_graph
    from chainer.utils import sparse
    x, images = np.zeros((1, 3), "f"), np.ones((1, 1, 4, 4), "f")
    for error, call in (
        (TypeError, lambda: F.repeat(x, 1, True)),
        (NotImplementedError, lambda: F.hinge(x, np.zeros(1, "i"), norm="x")),
        (ValueError, lambda: F.spatial_pyramid_pooling_2d(images, 2)),
        (ValueError, lambda: sparse.get_order(np.array([0, 1]), np.array([0]))),
        (TypeError, lambda: computational_graph.build_computational_graph(x)),
        (TypeError, lambda: chainer.datasets.split_dataset([1, 2, 3], 1.5)),
        (TypeError, lambda: chainer.datasets.split_dataset_random([1, 2, 3], 1.5)),
        (ValueError, lambda: chainer.initializers.Orthogonal()(np.empty((3, 0), "f"))),
    ):
        with raises(error):
            call()
    assert F.hinge(x, np.zeros(1, "i"), norm="L2").shape == () and F.repeat(x, 2, 1).shape == (1, 6)
    assert F.spatial_pyramid_pooling_2d(images, 2, "max").shape == (1, 5, 1, 1)
    assert len(chainer.datasets.split_dataset([1, 2, 3], np.int32(1))[1]) == 2
    """)


def test_what_chainer_deprecates_is_deprecated(run_as_chainer):
    run_as_chainer("""
    one = np.ones(3, "f")
    for call in (
        lambda: F.fixed_batch_renormalization(np.ones((2, 3), "f"), one, one, one, one),
        lambda: F.batch_matmul(np.ones((1, 2, 2), "f"), np.ones((1, 2, 2), "f")),
        lambda: L.Linear(1, 1).to_cpu(), lambda: L.Linear(1, 1).zerograds(),
        lambda: chainer.Variable(one).zerograd(), lambda: chainer.Parameter(one).zerograd(),
        lambda: chainer.optimizers.SGD().use_cleargrads(),
    ):
        with warns(DeprecationWarning) as caught:
            call()
        assert caught.filename == "<string>"
    """)


def test_what_renga_itself_calls_warns_of_nothing(run_as_chainer):
    run_as_chainer("""
    x = chainer.Variable(np.ones(3, "f"))
    x.to_cpu()
    link = L.BatchRenormalization(3)
    link(np.random.randn(2, 3).astype("f"))
    with chainer.using_config("train", False):
        link(np.ones((2, 3), "f"))
    link.to_device("@numpy")
    model = L.Linear(1, 1)
    optimizer = chainer.optimizers.SGD().setup(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        optimizer.use_cleargrads(False)
    optimizer.update(lambda: F.sum(model(np.ones((1, 1), "f"))))
    """)


def test_too_many_indices_are_an_invalid_type(run_as_chainer):
    run_as_chainer("""
    from chainer.utils.type_check import InvalidType
    for indices in ((0,) * 4, (0, None, 0, 0)):
        with raises(InvalidType):
            F.scatter_add(array(2, 3), indices, array())
    with raises(IndexError):
        F.scatter_add(array(2, 3), (5,), array(3))
    assert F.scatter_add(array(2, 3), (Ellipsis, None, 0), array(1)).shape == (2, 3)
    """)


def test_selected_items_may_be_counted_from_the_end(run_as_chainer):
    run_as_chainer("""
    x, t = chainer.Variable(array(3, 4)), np.array([1, -1, -4], "i")
    y = F.select_item(x, t)
    assert (y.array == x.array[[0, 1, 2], t]).all()
    assert (F.select_item(x, chainer.Variable(t)).array == y.array).all()
    F.sum(y * (t >= 0)).backward()
    assert x.grad[0].tolist() == [0, 1, 0, 0] and not x.grad[1:].any()
    for wrong in (-5, 4):
        with raises(IndexError):
            F.select_item(x, np.array([wrong, 0, 0], "i"))
    with chainer.using_config("debug", True), raises(ValueError):
        F.select_item(x, t)
    with raises(chainer.utils.type_check.InvalidType):
        F.select_item(array(3), t)
    """)
