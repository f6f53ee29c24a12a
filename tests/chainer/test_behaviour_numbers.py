"""Numbers, keys and types of errors under `import chainer`: recorded from Chainer 7.8.1, or from the definitions."""


def test_classes_that_are_not_there_have_nan(run_as_chainer):
    run_as_chainer("""
    y = np.eye(4, dtype="f")[[0, 0, 1, 1, 0, 2]]
    t = np.array([0, 1, 1, 1, 0, -1], "i")
    (p, support), (r, _), (f, _) = [g(y, t, label_num=4) for g in (F.precision, F.recall, F.f1_score)]
    np.testing.assert_allclose(p.array, [2 / 3, 1, np.nan, np.nan])
    np.testing.assert_allclose(r.array, [1, 2 / 3, np.nan, np.nan])
    np.testing.assert_allclose(f.array, [.8, .8, np.nan, np.nan])
    assert support.array.tolist() == [2, 3, 0, 0]
    assert p.dtype == r.dtype == f.dtype == np.float64
    p, r, f, _ = F.classification_summary(y, t, 4, 2.0)
    np.testing.assert_allclose(f.array, 5 * p.array * r.array / (4 * p.array + r.array))
    """)


def test_absent_instances_count_as_means_at_zero(run_as_chainer):
    run_as_chainer("""
    rng = np.random.RandomState(0)
    e = rng.uniform(-1, 1, (3, 3, 2, 4)).astype("f")
    t = np.array([[[1, 1, 0, 2], [2, 2, 1, 0]], [[1] * 4, [0, 0, 1, 1]], [[1] * 4, [2, 2, 1, 1]]], "i")
    x = chainer.Variable(e)
    found = F.discriminative_margin_based_clustering_loss(x, t, .5, 1.5, 3, 2, 1.1, .9, .01)

    means = np.stack([np.stack([
        e[n][:, t[n] == c].mean(axis=1) if (t[n] == c).any() else np.zeros(3) for n in range(3)
    ]) for c in (1, 2, 3)])
    length = lambda v, axis: np.sqrt((v.astype("d") ** 2).sum(axis=axis))
    variance = np.mean([
        sum(
            (np.maximum(length(e[n][:, t[n] == c].T - means[c - 1, n], 1) - .5, 0) ** 2).sum() for n in range(3)
        ) / max((t == c).sum(), 1)
        for c in (1, 2, 3)
    ])
    distance = np.mean([
        np.maximum(3 - length(means[a] - means[b], 1), 0) ** 2 for a, b in ((0, 1), (0, 2), (1, 2))
    ])
    regularization = length(means, (1, 2)).sum() / 9
    np.testing.assert_allclose([v.array for v in found], [1.1 * variance, .9 * distance, .01 * regularization], 1e-5)
    F.discriminative_margin_based_clustering_loss(x, t, .5, 1.5, 3)[0].backward()
    assert x.grad.shape == e.shape
    assert abs(x.grad).max() > 0
    with raises(ValueError):
        F.discriminative_margin_based_clustering_loss(x, t, .5, 1.5, 3, 3)
    """)


def test_as_strided_reads_memory(run_as_chainer):
    run_as_chainer("""
    whole = np.arange(12, dtype="f").reshape(3, 4)
    for part, shape, strides, offset in [
        (whole.T, (3, 2), (1, 2), None), (whole.T, (2, 2), (4, 1), 1), (whole[1:], (2, 2), (2, 1), None),
        (whole[1:], (2, 2), (1, 2), 5), (whole[::-1], (2, 2), (-4, 1), None),
    ]:
        x = chainer.Variable(part)
        y = F.as_strided(x, shape, strides, offset)
        first = offset if offset is not None else int(part.flat[0])  # elements are their own places
        places = first + np.add.outer(np.arange(shape[0]) * strides[0], np.arange(shape[1]) * strides[1])
        np.testing.assert_array_equal(y.array, places)
        F.sum(y * y).backward()
        expected = np.zeros(12)
        np.add.at(expected, places, 2.0 * places)
        np.testing.assert_array_equal(x.grad, expected[part.astype(int)])
    with raises(chainer.utils.type_check.InvalidType):
        F.as_strided(whole[:, ::2], (2,), (1,))  # the second is not among the elements
    """)


def test_keys_of_parameter_statistics(run_as_chainer):
    run_as_chainer("""
    def keys(link, **options):
        for param in link.params():
            param.grad = param.array
        iterator = iterators.SerialIterator([1], 1)
        trainer = training.Trainer(training.StandardUpdater(iterator, optimizers.SGD().setup(L.Linear(1, 1))))
        seen = {}
        extension = extensions.ParameterStatistics(link, {"max": np.max}, trigger=(1, "iteration"), **options)
        with chainer.Reporter().scope(seen):
            trainer.updater.iteration = 1
            extension(trainer)
        return sorted(seen)

    assert keys(L.Linear(2, 1, nobias=True)) == ["None/W/data/max", "None/W/grad/max"]
    assert keys(L.Linear(2, 1, nobias=True), prefix="p") == ["p/None/W/data/max", "p/None/W/grad/max"]
    chain = chainer.Chain(a=L.Linear(2, 1, nobias=True))
    assert keys(chain.a, report_grads=False) == ["a/W/data/max"]
    assert keys(chain, report_grads=False) == ["None/a/W/data/max"]
    """)


def test_axes_that_are_not_there_are_invalid_types(run_as_chainer):
    run_as_chainer("""
    from chainer.utils.type_check import InvalidType
    z = np.zeros((2, 3), "f")
    for call in (
        lambda: F.flip(z, 2), lambda: F.moveaxis(z, 0, 2), lambda: F.rollaxis(z, 3), lambda: F.squeeze(z, 2),
        lambda: F.cumsum(z, 2), lambda: F.broadcast(), lambda: F.sum(z, -3), lambda: F.concat([z, z], 2),
        lambda: F.matmul(np.zeros((4, 2, 2), "f"), np.zeros((3, 2, 2), "f")),
        lambda: F.unpooling_nd(np.ones((1, 1, 3), "f"), 2, stride=2, outsize=(4,)),
        lambda: F.deconvolution_nd(np.zeros((1, 2, 4), "f"), np.zeros((2, 3, 2), "f"), outsize=(50,)),
        lambda: L.LayerNormalization()(np.zeros((), "f")),
    ):
        with raises(InvalidType):
            call()
    """)


def test_shapes_that_do_not_fit_are_value_errors_too(run_as_chainer):
    run_as_chainer("""
    z = np.zeros((2, 3), "f")
    images = np.ones((1, 1, 4, 4), "f")
    coo = chainer.utils.to_coo(np.eye(2, dtype="f"))
    for call in (
        lambda: F.squeeze(z, 0), lambda: F.scatter_add(z, slice(None), np.zeros(4, "f")), lambda: F.tensordot(z, z, 1),
        lambda: F.max_pooling_1d(images, 2), lambda: F.average_pooling_3d(images, 2), lambda: F.unpooling_1d(images, 2),
        lambda: F.convolution_1d(images, images), lambda: F.deconvolution_3d(images, images),
        lambda: F.softmax_cross_entropy(z, np.zeros(2, "i"), class_weight=np.zeros((1, 3), "f")),
        lambda: F.sparse_matmul(coo, coo), lambda: L.GroupNormalization(1)(np.ones(3, "f")),
        lambda: L.Classifier(L.Linear(3, 2), label_key=5)(z, np.zeros(2, "i")),
        lambda: L.Classifier(L.Linear(3, 2), label_key="t")(z), lambda: L.Bias(shape=(2,))(z, z),
        lambda: L.Bias()(z), lambda: L.Scale()(z), lambda: L.Scale(W_shape=(3,))(z, z),
    ):
        with raises(ValueError):
            call()
    """)


def test_an_optimizer_takes_links_only(run_as_chainer):
    run_as_chainer("""
    with raises(TypeError):
        optimizers.SGD().setup("xxx")
    """)


def test_what_converters_and_tests_call_of_private_names(run_as_chainer):
    run_as_chainer("""
    for link, shapes in [
        (L.Linear(None, 2), {"/W": (2, 6), "/b": (2,)}),
        (L.Convolution2D(None, 2, 3), {"/W": (2, 6, 3, 3), "/b": (2,)}),
        (L.Deconvolution2D(None, 2, 3), {"/W": (6, 2, 3, 3), "/b": (2,)}),
        (L.ConvolutionND(1, None, 2, 3), {"/W": (2, 6, 3), "/b": (2,)}),
        (L.DilatedConvolution2D(None, 2, 3), {"/W": (2, 6, 3, 3), "/b": (2,)}),
        (L.DepthwiseConvolution2D(None, 2, 3), {"/W": (2, 6, 3, 3), "/b": (12,)}),
        (L.LayerNormalization(), {"/gamma": (6,), "/beta": (6,)}),
        (L.GroupNormalization(2), {"/gamma": (6,), "/beta": (6,)}),
    ]:
        link._initialize_params(6)
        assert {path: param.shape for path, param in link.namedparams()} == shapes

    p = chainer.Parameter(np.ones(3))
    check = gradient_check._check_backward_with_params
    check(lambda x: (x * p,), (np.arange(3.0),), (np.ones(3),), params=(p,), dtype="d", atol=1e-4)

    x = chainer.Variable(np.log([[1.0, 3.0]]).astype("f"))
    loss = F.softmax_cross_entropy(x, np.array([1], "i"))
    np.testing.assert_allclose(loss.creator.y, [[.25, .75]], 1e-6)
    y = F.dropout(chainer.Variable(np.ones((4, 5), "f")), .5)
    np.testing.assert_array_equal(y.creator.mask, y.array)
    """)
