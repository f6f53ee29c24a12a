# ruff: noqa: E501
"""Names that Chainer did not promise, and published programs use; classes behind functions. As Chainer 7.8.1 has them."""


def test_names(run_as_chainer):
    run_as_chainer("""
    import importlib
    for path in (
        "_backend:Device", "backend:cuda", "_get_link_hooks:", "link_hook:_ForwardPreprocessCallbackArgs",
        "link_hook:_ForwardPostprocessCallbackArgs", "dataset.convert:_concat_arrays",
        "dataset.convert:_concat_arrays_with_padding", "functions.rnn.n_step_lstm:_lstm",
        "functions.activation.log_softmax:_log_softmax", "basic_math:Add", "functions.math.basic_math:Add",
        "functions.math.basic_math:SubFromConstant", "functions.math.basic_math:_convert_value_to_string",
        "backends._cpu:_to_cpu", "backends._cpu:CpuDevice", "datasets.image_dataset:available",
        "datasets.image_dataset:_read_image_as_array", "backend:_guess_device_from_array_module",
    ):
        module, _, name = path.partition(":")
        if name:
            getattr(importlib.import_module("chainer." + module), name)
        else:
            getattr(chainer, module)
    assert backend.cuda is chainer.backends.cuda
    assert chainer._backend.Device is backend.Device
    assert L.Linear(2, 2)._device_id is None
    links = chainer.ChainList(L.Linear(2, 2), L.Bias(shape=(2,)))
    assert links._children == list(links)
    assert chainer._get_link_hooks() == {}
    """)


def test_helpers_compute(run_as_chainer):
    run_as_chainer("""
    from chainer.dataset import convert
    from chainer.functions.activation.log_softmax import _log_softmax
    from chainer.functions.math.basic_math import _convert_value_to_string
    from chainer.functions.rnn.n_step_lstm import _lstm
    assert convert._concat_arrays([array(2), array(2)], None).shape == (2, 2)
    assert convert._concat_arrays([1, 2], None).tolist() == [1, 2]
    assert convert._concat_arrays([array(2), array(3)], -1).tolist()[0][2] == -1
    assert convert._concat_arrays([array(2).astype("u1"), array(3).astype("u1")], -1).tolist()[0][2] == 255
    np.testing.assert_allclose(np.exp(_log_softmax(array(2, 3))).sum(axis=1), 1, rtol=1e-5)
    assert [_convert_value_to_string(v) for v in (2, -2, array(2))] == ["2", "(-2)", "constant array"]

    link = L.NStepLSTM(1, 3, 2, 0.0)
    for p in link.params():
        p.array[...] = array(*p.shape)
    x, h = array(1, 3), np.zeros((1, 2), "f")
    w, b = [getattr(link[0], "w%d" % i) for i in range(8)], [getattr(link[0], "b%d" % i) for i in range(8)]
    y, c = _lstm(x, h, h, w, b)
    hy, cy, ys = link(None, None, [x])
    np.testing.assert_allclose(y.array, ys[0].array, rtol=1e-5)
    np.testing.assert_allclose(c.array, cy[0].array, rtol=1e-5)
    """)


def test_classes_behind_functions_compute_with_chainers_arguments(run_as_chainer):
    run_as_chainer("""
    import importlib
    x, W, x2 = array(1, 1, 4, 4), array(1, 1, 3, 3), array(2, 3)
    one, zero = np.ones(3, "f"), np.zeros(3, "f")
    cases = [
        ("connection.convolution_2d", "Convolution2DFunction", dict(stride=2, pad=1), (x, W), F.convolution_2d(x, W, None, 2, 1)),
        ("connection.deconvolution_2d", "Deconvolution2DFunction", dict(stride=2, pad=1), (x, W), F.deconvolution_2d(x, W, None, 2, 1)),
        ("connection.convolution_nd", "ConvolutionND", dict(ndim=2, stride=2), (x, W), F.convolution_nd(x, W, None, 2)),
        ("connection.deconvolution_nd", "DeconvolutionND", dict(ndim=2, stride=2), (x, W), F.deconvolution_nd(x, W, None, 2)),
        ("connection.linear", "LinearFunction", {}, (x2, array(4, 3)), F.linear(x2, array(4, 3))),
        ("connection.embed_id", "EmbedIDFunction", dict(ignore_label=-1), (np.array([0, -1], "i"), x2), F.embed_id(np.array([0, -1], "i"), x2, -1)),
        ("math.sum", "Sum", dict(axis=1, keepdims=True), (x2,), F.sum(x2, 1, True)),
        ("math.minmax", "Max", dict(axis=1), (x2,), F.max(x2, 1)),
        ("math.minmax", "Min", {}, (x2,), F.min(x2)),
        ("math.logsumexp", "LogSumExp", dict(axis=1), (x2,), F.logsumexp(x2, 1)),
        ("array.split_axis", "SplitAxis", dict(indices_or_sections=3, axis=1), (x2,), F.split_axis(x2, 3, 1)),
        ("array.im2col", "Im2Col", dict(ksize=(2, 2), stride=(1, 1), pad=(0, 0), cover_all=False, dilate=(1, 1)), (x,), F.im2col(x, 2)),
        ("loss.softmax_cross_entropy", "SoftmaxCrossEntropy", {}, (x2, np.array([0, 1], "i")), F.softmax_cross_entropy(x2, np.array([0, 1], "i"))),
        ("loss.sigmoid_cross_entropy", "SigmoidCrossEntropy", {}, (x2, np.ones((2, 3), "i")), F.sigmoid_cross_entropy(x2, np.ones((2, 3), "i"))),
        ("normalization.batch_normalization", "BatchNormalization", dict(eps=1e-3), (x2, one, zero), F.batch_normalization(x2, one, zero, eps=1e-3)),
        ("normalization.batch_normalization", "FixedBatchNormalization", dict(eps=1e-3), (x2, one, zero, zero, one), F.fixed_batch_normalization(x2, one, zero, zero, one, eps=1e-3)),
        ("normalization.local_response_normalization", "LocalResponseNormalization", {}, (x,), F.local_response_normalization(x)),
        ("normalization.l2_normalization", "NormalizeL2", dict(axis=1), (x2,), F.normalize(x2)),
        ("pooling.average_pooling_2d", "AveragePooling2D", dict(ksize=2, stride=2, pad=0, cover_all=False), (x,), F.average_pooling_2d(x, 2)),
        ("pooling.unpooling_2d", "Unpooling2D", dict(ksize=2), (x,), F.unpooling_2d(x, 2)),
        ("pooling.upsampling_2d", "Upsampling2D", dict(indexes=np.zeros((1, 1, 4, 4), "i"), ksize=2), (x,), F.upsampling_2d(x, np.zeros((1, 1, 4, 4), "i"), 2)),
        ("pooling.roi_pooling_2d", "ROIPooling2D", dict(outh=2, outw=2, spatial_scale=1), (x, np.array([[0, 0, 0, 3, 3]], "f")), F.roi_pooling_2d(x, np.array([[0, 0, 0, 3, 3]], "f"), 2, 2, 1)),
        ("evaluation.accuracy", "Accuracy", {}, (x2, np.array([0, 1], "i")), F.accuracy(x2, np.array([0, 1], "i"))),
        ("math.basic_math", "SubFromConstant", dict(value=2), (x2,), 2 - chainer.Variable(x2)),
    ]
    for module, name, arguments, inputs, expected in cases:
        cls = getattr(importlib.import_module("chainer.functions." + module), name)
        made = cls(**arguments).apply(inputs)
        assert isinstance(made, tuple)
        for one_of, other in zip(made, expected if isinstance(expected, tuple) else (expected,)):
            np.testing.assert_array_equal(one_of.array, other.array, err_msg=name)
    entropy = importlib.import_module("chainer.functions.loss.softmax_cross_entropy").SoftmaxCrossEntropy()
    entropy.apply((x2, np.array([0, 1], "i")))
    np.testing.assert_allclose(entropy.y.sum(axis=1), 1, rtol=1e-5)
    """)


def test_attributes_of_what_functions_have_made(run_as_chainer):
    """As profilers and converters read them."""
    run_as_chainer("""
    from chainer.functions.connection.convolution_2d import Convolution2DFunction
    from chainer.functions.connection.deconvolution_2d import Deconvolution2DFunction
    x, W, v = chainer.Variable(array(1, 1, 4, 4)), array(1, 1, 3, 3), chainer.Variable(array(2, 3))
    f = F.convolution_2d(x, W, stride=2, pad=1).creator
    assert isinstance(f, Convolution2DFunction) and not isinstance(f, Deconvolution2DFunction)
    assert (f.sy, f.sx, f.ph, f.pw, f.dy, f.dx, f.groups) == (2, 2, 1, 1, 1, 1, 1)
    f = Convolution2DFunction(stride=2)
    assert (f.sy, f.sx, f.ph, f.pw, f.cover_all, f.dy, f.groups, f.label) == (2, 2, 0, 0, False, 1, 1, "Convolution2DFunction")
    f = F.deconvolution_2d(x, W, stride=2, pad=1).creator
    assert (f.sy, f.ph, f.outh, f.outw) == (2, 1, 7, 7)
    f = F.max_pooling_2d(x, 2).creator
    assert (f.kh, f.kw, f.sy, f.sx, f.ph, f.pw) == (2, 2, 2, 2, 0, 0)
    assert (v * 2).creator.value == 2
    assert F.sum(v, axis=1).creator.axis == (1,)
    f = F.clip(v, 0.25, 0.5).creator
    assert (f.x_min, f.x_max) == (0.25, 0.5)
    """)


def test_none_among_inputs_and_outputs_of_functions(run_as_chainer):
    run_as_chainer("""
    class Node(chainer.FunctionNode):
        def forward(self, inputs):
            assert inputs[0] is None
            self.retain_inputs((0, 1))
            return None, inputs[1] * 2
        def backward(self, indexes, gradients):
            nothing, x = self.get_retained_inputs()
            assert nothing is None and gradients[0] is None and indexes == (1,)
            return gradients[1] * 2,
    class Old(chainer.Function):
        def forward(self, inputs):
            return inputs[1] * 2,
        def backward(self, inputs, gradients):
            assert inputs[0] is None
            return None, gradients[0] * 2
    for enabled in (True, False):
        with chainer.using_config("enable_backprop", enabled):
            x = chainer.Variable(np.ones(2, "f"))
            nothing, y = Node().apply((None, x))
            assert nothing.array is None and y.array.tolist() == [2, 2]
    for call in (lambda x: Node().apply((None, x))[1], lambda x: Old()(None, x)):
        x = chainer.Variable(np.ones(2, "f"))
        y = call(x)
        y.grad = np.ones(2, "f")
        y.backward()
        assert x.grad.tolist() == [2, 2]
    """)


def test_small_things_that_programs_stop_at(run_as_chainer):
    run_as_chainer("""
    import unittest
    assert F.det(np.eye(3, dtype="f").reshape(3, 3, 1, 1)).array == 1
    requires = chainer.testing.with_requires
    assert requires("chainer>=5")(lambda: 3)() == 3 and requires("chainer>=7", "numpy>=1.0")(lambda: 3)() == 3
    with pytest.raises(unittest.SkipTest):
        requires("chainer<5")(lambda: 3)()
    class Own(extensions.Evaluator):
        def __init__(self):
            pass
    Own().finalize()
    """)


def test_chainerx_is_bound_in_chainer(run_as_chainer):
    run_as_chainer("""
    import chainerx
    assert chainer.chainerx.is_available() is False and chainerx.is_available() is False
    assert chainer.chainerx.ndarray is chainerx.ndarray
    """)


def test_memoize_without_cuda_calls_the_function(run_as_chainer):
    run_as_chainer("""
    if not cuda.available:
        calls = []
        double = cuda.memoize()(lambda x: calls.append(x) or 2 * x)
        assert (double(3), double(3), calls) == (6, 6, [3, 3])
        cuda.clear_memo()
        for kernel in (cuda.elementwise, cuda.reduce, cuda.raw):
            with raises_regex(RuntimeError, "CUDA is not available"):
                kernel(*["x"] * {cuda.elementwise: 4, cuda.reduce: 7, cuda.raw: 2}[kernel])
    """)


def test_products_of_arrays(run_as_chainer):
    run_as_chainer("""
    from chainer.functions.math.matmul import _check_ndim, _get_check_index, _matmul
    from chainer.utils import type_check
    a, b, v = array(2, 3), array(3, 4), array(3)
    np.testing.assert_allclose(_matmul(a, b), a @ b)
    np.testing.assert_allclose(_matmul(a.T, b.T, transa=True, transb=True), a @ b)
    np.testing.assert_allclose(_matmul(a, b, transout=True), (a @ b).T)
    np.testing.assert_allclose(_matmul(a, v, transb=True), a @ v)
    assert _matmul(array(2, 3, 4), array(2, 3, 4), transb=True).shape == (2, 3, 3)
    assert [_get_check_index(trans, right) for trans in (False, True) for right in (False, True)] == [1, 0, 0, 1]
    assert _get_check_index(True, False, row_idx=5) == 5
    matrix, = type_check.get_types((a,), "in_types", False)
    _check_ndim(matrix)
    with raises(type_check.InvalidType):
        _check_ndim(matrix, lower=3, upper=3)
    """)


def test_layers_without_parameters_of_networks_for_images(run_as_chainer):
    """Networks that derive of these put them in `functions`."""
    run_as_chainer("""
    from chainer.links.model.vision import googlenet
    from chainer.links.model.vision.resnet import _global_average_pooling_2d
    from chainer.links.model.vision.vgg import _max_pooling_2d
    x = array(1, 2, 8, 8)
    assert _max_pooling_2d(x).shape == googlenet._max_pooling_2d(x).shape == (1, 2, 4, 4)
    np.testing.assert_allclose(_global_average_pooling_2d(x).array, x.mean(axis=(2, 3)), atol=1e-6)
    assert googlenet._average_pooling_2d_k5(x).shape == googlenet._average_pooling_2d_k7(x).shape == (1, 2, 2, 2)
    assert (googlenet._local_response_normalization(x).array != x).all()
    assert abs((googlenet._dropout(np.ones((100, 100), "f")).array == 0).mean() - 0.4) < 0.05
    """)


def test_links_are_replaced_in_the_children_of_a_list(run_as_chainer):
    run_as_chainer("""
    links = chainer.ChainList(L.Linear(1, 1), chainer.ChainList(L.Linear(1, 2)))
    links._children[0] = L.Bias(shape=(1,))
    links[1]._children[0] = L.Linear(1, 3)
    assert type(links[0]) is L.Bias and links[1][0].out_size == 3
    assert sorted(name for name, _ in links.namedparams()) == ["/0/b", "/1/0/W", "/1/0/b"]
    links._children.append(L.Linear(1, 1))
    del links._children[1]
    assert [type(link).__name__ for link in links] == ["Bias", "Linear"] and len(list(links.params())) == 3
    links._children = [links[1]]
    assert len(links) == 1
    made = chainer.Sequential(L.Linear(1, 1), F.relu)
    assert made._children == [made[0]] and len(made) == 2
    """)
