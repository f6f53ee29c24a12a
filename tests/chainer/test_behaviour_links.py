"""Links under `import chainer`."""


def test_forward_of_a_mixin_behind_the_link(run_as_chainer):
    run_as_chainer("""
    class Mixin:
        def forward(self, x):
            return x + 1

    class Agent(chainer.Link, Mixin):
        pass

    class Deep(chainer.Chain, Mixin):
        pass

    assert Agent()(1) == Deep()(1) == 2
    assert hasattr(Agent(), "forward") and not hasattr(chainer.Link(), "forward")
    """)


def test_call_of_a_mixin_behind_the_link_comes_before_forward(run_as_chainer):
    run_as_chainer("""
    class Old:
        def __call__(self, x):
            return x + 1

    class Around:
        def __call__(self, x):
            return 10 * self.forward(x)

    class A(chainer.Chain, Old):
        pass

    class B(chainer.Chain, Around):
        def forward(self, x):
            return x + 1

    class Seen(chainer.LinkHook):
        name = "Seen"
        calls = []
        def forward_preprocess(self, args):
            self.calls.append((type(args.link).__name__, args.forward_name))

    assert (A()(1), B()(1)) == (2, 20)
    with Seen():
        assert (A()(1), B()(1)) == (2, 20)
    assert Seen.calls == [("A", "forward"), ("B", "forward")]
    """)


def test_a_link_that_defines_nothing_to_call(run_as_chainer):
    run_as_chainer("""
    class Empty(chainer.Chain):
        pass

    with raises_regex(AttributeError, "forward"):
        Empty()(1)
    """)


def test_isinstance_tells_classes_apart_that_have_no_common_descent(run_as_chainer):
    run_as_chainer("""
    from chainer import initializers
    apart = [
        (L.GRU, L.StatelessGRU), (L.StatefulGRU, L.StatelessGRU), (L.StatefulMGU, L.StatelessMGU),
        (L.LSTM, L.StatelessLSTM), (L.DilatedConvolution2D, L.Convolution2D), (L.NStepBiLSTM, L.NStepLSTM),
        (L.NStepBiGRU, L.NStepGRU), (L.NStepBiRNNTanh, L.NStepRNNTanh), (L.NStepBiRNNReLU, L.NStepRNNReLU),
        *[(getattr(initializers, name), initializers.Normal) for name in ("HeNormal", "GlorotNormal", "LeCunNormal")],
        *[(getattr(initializers, f"{name}Uniform"), initializers.Uniform) for name in ("He", "Glorot", "LeCun")],
        *[(getattr(initializers, name), initializers.Constant) for name in ("Zero", "One", "NaN")],
    ]
    assert [pair for pair in apart if issubclass(*pair)] == []
    assert issubclass(L.GRU, L.StatefulGRU)
    from chainer.links.rnn import gru, lstm, mgu, n_step_gru, n_step_lstm
    assert issubclass(L.GRU, gru.GRUBase) and issubclass(L.StatelessGRU, gru.GRUBase)
    assert issubclass(L.LSTM, lstm.LSTMBase) and issubclass(L.StatelessLSTM, lstm.LSTMBase)
    assert issubclass(L.StatefulMGU, mgu.MGUBase) and issubclass(L.StatelessMGU, mgu.MGUBase)
    assert issubclass(L.NStepLSTM, n_step_lstm.NStepLSTMBase) and issubclass(L.NStepBiLSTM, n_step_lstm.NStepLSTMBase)
    assert issubclass(L.NStepGRU, n_step_gru.NStepGRUBase) and issubclass(L.NStepBiGRU, n_step_gru.NStepGRUBase)
    """)


def test_group_normalization_has_the_dtype_of_when_it_was_made(run_as_chainer):
    run_as_chainer("""
    x = np.random.randn(1, 3, 2).astype("e")
    with chainer.using_config("dtype", np.float16):
        link = L.GroupNormalization(1)
    link(x)
    assert link.gamma.dtype == link.beta.dtype == np.float16
    link = L.GroupNormalization(1, initial_gamma=np.array([.1, .2, .3], "f"))
    with chainer.using_config("dtype", np.float16):
        link(x)
    assert link.gamma.dtype == np.float32
    with chainer.using_config("dtype", chainer.mixed16):
        link = L.GroupNormalization(1)
        link(x)
    assert link.gamma.dtype == np.float32
    """)


def test_lstm_takes_an_empty_batch_first(run_as_chainer):
    run_as_chainer("""
    link = L.LSTM(None, 2)
    assert link(np.zeros((0, 3), "f")).shape == (0, 2)
    link.reset_state()
    assert link(np.ones((4, 3), "f")).shape == (4, 2)
    """)


def test_spectral_normalization_names_its_arrays_as_chainer(run_as_chainer):
    run_as_chainer("""
    def names(link):
        return sorted(name for name, _ in link.namedparams()), sorted(link._persistent)

    link = L.Linear(None, 4)
    hook = link_hooks.SpectralNormalization(use_gamma=True)
    link.add_hook(hook)
    assert not hasattr(link, hook.vector_name) and names(link) == (["/W", "/b"], [])
    link(np.ones((2, 3), "f"))
    assert names(link) == (["/W", "/b", "/gamma"], ["W_u"])
    assert link.W_u.shape == (4,) and hook.v.shape == (3,) and link.gamma.shape == ()
    np.testing.assert_allclose(link.gamma.array, np.linalg.svd(link.W.array)[1][0], rtol=1e-5)

    again = L.Linear(3, 4)
    again.add_hook(link_hooks.SpectralNormalization(use_gamma=True))
    serializers.save_npz("a.npz", link)
    assert sorted(np.load("a.npz")) == ["W", "W_u", "b", "gamma"]
    serializers.load_npz("a.npz", again)
    assert again.gamma.array == link.gamma.array and (again.W_u == link.W_u).all()
    lazy = L.Linear(None, 4)
    lazy.add_hook(link_hooks.SpectralNormalization(use_gamma=True))
    serializers.load_npz("a.npz", lazy)
    assert (lazy.W.array == link.W.array).all()

    link.delete_hook(hook.name)
    assert names(link) == (["/W", "/b"], [])
    """)


def test_spectral_normalization_computes_as_chainer(run_as_chainer):
    run_as_chainer("""
    np.random.seed(0)
    link = L.Convolution2D(2, 3, 2)
    hook = link_hooks.SpectralNormalization(n_power_iteration=2, factor=2, use_gamma=True)
    link.add_hook(hook)
    x = np.ones((1, 2, 2, 2), "f")
    y = link(x)
    link.cleargrads()
    F.sum(y).backward()
    with chainer.using_config("train", False):
        before = link.W_u.copy()
        tested = link(x)
        assert (link.W_u == before).all()
    # Recorded from Chainer 7.8.1.
    sums = [y.array.sum(), tested.array.sum(), link.gamma.grad]
    np.testing.assert_allclose(sums, [6.972237, 6.8045974, 4.5112953], rtol=1e-5)
    np.testing.assert_allclose(
        link.W.grad.ravel()[:4], [0.5535928, 1.5464184, 1.1155164, -0.5392721], rtol=1e-4)
    np.testing.assert_allclose(hook.v[:3], [0.1922128, 0.1295827, 0.1713041], rtol=1e-4)
    assert hook.normalize_weight(link).shape == (3, 2, 2, 2)

    link = L.Deconvolution2D(2, 3, 2)
    hook = link_hooks.SpectralNormalization()
    link.add_hook(hook)
    assert hook.axis == 1 and hook.reshape_W(link.W.array).shape == hook.reshape_W(link.W).shape == (3, 8)
    """)


def test_attributes_of_links_and_of_what_else_has_them(run_as_chainer):
    run_as_chainer("""
    link = L.NStepLSTM(1, 2, 3, 0.)
    assert (link.n_weights, link.use_bi_direction) == (8, False)
    assert (L.NStepBiGRU(1, 2, 3, 0.).n_weights, L.NStepBiGRU(1, 2, 3, 0.).use_bi_direction) == (6, True)
    xs = [np.ones((1, 2), "f")]
    start = np.zeros((1, 1, 3), "f")
    np.testing.assert_allclose(
        link.rnn(1, 0., start, start, link.ws, link.bs, xs)[0].array, link(None, None, xs)[0].array, rtol=1e-6)

    link = L.LSTM(2, 3, forget_bias_init=2)
    assert (link.forget_bias_init, link.lateral_init, link.upward_init, link.bias_init) == (2, None, None, 0)
    assert L.Convolution2D(3, 2, 3).in_channels == 3 and L.Convolution2D(None, 2, 3).in_channels is None
    assert L.DepthwiseConvolution2D(3, 2, 3, nobias=True).nobias and L.Bilinear(2, 3, 2).in_sizes == (2, 3)
    convolution = L.Convolution2D(3, 2, 3)
    convolution.in_channels = 5  # a program's own
    assert convolution.in_channels == 5
    bilinear = L.Bilinear(2, 3, 2)
    bilinear.zero_grads()
    assert (bilinear.W.grad == 0).all()

    assert distributions.Dirichlet(np.ones(2, "f")).alpha0.array == 2
    relu = F.relu(chainer.Variable(np.ones(2, "f"))).creator_node
    assert relu.output_data[0].tolist() == [1, 1] and relu.forward_cpu((np.ones(1, "f"),))[0] == 1
    ones = chainer.Variable(np.ones(2, "f"))
    gradient, = relu.backward_accumulate((0,), (ones,), (ones,))
    assert gradient.array.tolist() == [2, 2]

    link = L.EmbedID(3, 2)
    del link.__dict__["ignore_label"]
    assert link(np.array([0, 2], "i")).shape == (2, 2)
    options = chainer.optimizers.Adam(alpha=.5).hyperparam.get_dict()
    assert chainer.optimizers.Adam(**options).alpha == .5
    """)


def test_deep_copies_of_links_keep_their_names(run_as_chainer):
    run_as_chainer("""
    chain = chainer.Chain(a=L.Linear(2, 2))
    assert [chain.a.copy(mode).name for mode in ("share", "copy", "init")] == [None, "a", "a"]
    """)


def test_sequential_refuses_as_chainer(run_as_chainer):
    run_as_chainer("""
    layers = chainer.Sequential(F.relu)
    with raises(IndexError):
        layers.insert(5, F.relu)
    layers.insert(1, F.sin)
    layers.insert(-1, F.cos)
    layers.append(F.tan)
    assert [layer.__name__ for layer in layers] == ["relu", "cos", "sin", "tan"]
    with raises(RuntimeError):
        chainer.Sequential()(3)
    with raises(ValueError):
        layers + 0
    """)


def test_maxout_initializers_see_outputs_and_pools(run_as_chainer):
    run_as_chainer("""
    seen = []
    def count(x):
        seen.append(x.shape)
        x[...] = np.arange(x.size).reshape(x.shape)

    link = L.Maxout(2, 3, 4, initialW=count, initial_bias=count)
    assert sorted(seen) == [(3, 4), (3, 4, 2)]
    assert link.linear.b.array.tolist() == list(range(12)) and link.linear.W.array[1].tolist() == [2, 3]
    with raises(ValueError):
        L.Maxout(2, 3, 4, initialW=np.zeros((12, 2), "f"))
    with raises(ValueError):
        L.Maxout(2, 3, 4, initial_bias=np.zeros(12, "f"))
    assert L.Maxout(2, 3, 4, np.ones((3, 4, 2), "f"), np.ones((3, 4), "f"))(np.ones((1, 2), "f")).array[0, 0] == 3
    """)


def test_batch_normalization_without_size_and_axis_or_of_a_batch_of_one(run_as_chainer):
    run_as_chainer("""
    with raises_regex(RuntimeError, "size or axis"):
        L.BatchNormalization()
    with raises(TypeError):
        L.BatchNormalization({})
    assert L.BatchNormalization(axis=0)(np.ones((2, 3), "f")).shape == (2, 3)
    x, one = np.ones((1, 3), "f"), np.ones(3, "f")
    for call in (lambda: F.batch_normalization(x, one, one), lambda: L.BatchNormalization(3)(x)):
        with warns(UserWarning) as caught:
            call()
        assert "no more than one sample" in str(caught.warning)
    F.batch_normalization(np.ones((1, 3, 2), "f"), one, one)
    with chainer.using_config("train", False):
        L.BatchNormalization(3)(x)
    """)


def test_sequential_refuses_by_value_errors(run_as_chainer):
    run_as_chainer("""
    import pickle
    s = chainer.Sequential(F.relu)
    with raises(ValueError):
        chainer.Sequential(0)
    for other in (0, [F.relu]):
        with raises(ValueError):
            s += other
    for call in (lambda: s.append(0), lambda: s.insert(0, 0), lambda: s.extend([0]), lambda: s.__setitem__(0, 0)):
        with raises(ValueError):
            call()
    assert len(s) == 1
    before = s
    s += chainer.Sequential(F.tanh)
    assert s is before and len(s) == 2 and len(pickle.loads(pickle.dumps(s))) == 2
    """)


def test_links_refuse_by_chainers_errors(run_as_chainer):
    run_as_chainer("""
    x = np.ones((1, 2), "f")
    for error, call in (
        (ValueError, lambda: L.GRU(2, 3)()),
        (ValueError, lambda: L.GRU(2, 3)(np.ones((1, 3), "f"), x)),
        (ValueError, lambda: L.MLPConvolution2D(3, (4,), 1, wscale=1)),
        (NotImplementedError, lambda: L.InceptionBN(3, 1, 1, 1, 1, 1, "x", 1)),
        (NotImplementedError, link_hooks.SpectralNormalization().__enter__),
        (NotImplementedError, link_hooks.WeightStandardization().__enter__),
    ):
        with raises(error):
            call()
    assert L.GRU(2, 3)(x).shape == (1, 3) and L.InceptionBN(3, 1, 1, 1, 1, 1, "avg", 1).proj_pool is not None
    for name in ("to_device", "to_chx", "from_chx"):
        with raises_regex(TypeError, "final"):
            type("A", (chainer.Chain,), {name: lambda self, *arguments: None})
    """)


def test_links_of_a_changed_sequential_have_chainers_numbers(run_as_chainer):
    """The numbers are those of Chainer 7.8.1, read off a run of it."""
    run_as_chainer("""
    import copy, functools, pickle

    def link(n):
        made = L.Linear(1, 1)
        made.n = n
        return made

    def numbers(model):
        children = list(model.children())
        assert [child.name for child in children] == [str(i) for i in range(len(children))]
        paths = [f"/{i}/{name}" for i in range(len(children)) for name in "Wb"]
        assert [path for path, _ in model.namedparams()] == paths
        saved = {}
        serializers.DictionarySerializer(saved).save(model)
        assert sorted(saved) == [path[1:] for path in paths]
        assert children == model._children
        return [child.n for child in children]

    m = chainer.Sequential(*map(link, range(4)))
    m.insert(2, link(4))
    assert numbers(m) == [0, 4, 3, 2, 1]
    m[1] = link(5)
    assert numbers(m) == [0, 5, 4, 3, 2]
    m[-1] = link(6)
    assert numbers(m) == [0, 6, 5, 4, 2] and [layer.n for layer in m] == [0, 5, 4, 6, 2]
    m.pop(0)
    assert numbers(m) == [6, 5, 4, 2]
    m.append(link(7))
    assert numbers(copy.deepcopy(m)) == numbers(pickle.loads(pickle.dumps(m))) == numbers(m) == [6, 7, 5, 4, 2]
    for mode in ("share", "copy", "init"):
        assert numbers(m.copy(mode)) == numbers(chainer.Chain(m=m).copy(mode).m) == [5, 7, 2, 6, 4]
    assert numbers(m.flatten()) == [5, 7, 2, 6, 4]
    assert numbers(m + m.copy()) == [5, 7, 2, 6, 4, 5, 7, 2, 6, 4]

    m = chainer.Sequential(link(0), F.relu).repeat(3, "copy")
    m.append(link(8))
    m.insert(1, link(9))
    assert [type(child).__name__[0] for child in m.children()] == ["S", "L", "L", "S", "S"]
    with raises(ValueError):
        m[5] = link(1)
    m.remove_by_layer_type("Sequential")
    assert numbers(m) == [9, 8]
    """)


def test_a_sequential_with_a_lambda_is_copied_and_not_pickled(run_as_chainer):
    run_as_chainer("""
    import copy, pickle
    s = chainer.Sequential(L.Linear(2, 2), lambda x: x)
    with raises_regex(ValueError, "lambda"):
        pickle.dumps(s)
    x = np.ones((1, 2), "f")
    for made in (copy.copy(s), copy.deepcopy(s), s.copy(), s.copy("copy"), chainer.Chain(s=s).copy("copy").s):
        assert made is not s and (made(x).array == s(x).array).all()
    assert copy.deepcopy(s)[0] is not s[0] and copy.copy(s)[0] is s[0]
    """)


def test_arguments_that_chainer_asserts(run_as_chainer):
    run_as_chainer("""
    for arguments in ({"initialW": array(1, 1, 4)}, {"initial_bias": (None, None, array(1))}):
        with raises(AssertionError):
            L.Bilinear(2, 3, 4, **arguments)
    with raises(ValueError):
        L.Bilinear(2, 3, 4, initial_bias=0)
    for arguments in (("max", None), ("max", 2, 2), ("avg",)):
        with raises(AssertionError):
            L.InceptionBN(3, 2, 2, 2, 2, 2, *arguments)
    L.InceptionBN(3, 0, 2, 2, 2, 2, "avg", None, 2)
    with raises(TypeError):
        L.GroupNormalization(1.5)(array(2, 3))
    with raises(AssertionError):
        chainer.utils.conv_nd.im2col_nd_cpu(array(1, 1, 3, 3), (2,), (1, 1), (0, 0))
    """)


def test_the_gradient_of_a_parameter_without_an_array(run_as_chainer):
    run_as_chainer("""
    model = L.Linear(None, 2)
    with raises(RuntimeError):
        model.W.grad
    optimizer = optimizers.SGD().setup(model)
    model.cleargrads()
    assert model.W.grad is None
    model(array(1, 3))
    model.W.grad = array(2, 3)
    assert (model.W.grad == array(2, 3)).all()

    def squared(x):
        return F.sum(model(x) ** 2)

    optimizer.update(squared, array(1, 3))
    optimizers.SGD().setup(L.Linear(None, 2)).update(squared, array(1, 3))
    """)


def test_a_chain_gives_any_attribute_by_its_name(run_as_chainer):
    run_as_chainer("""
    class Block(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.linear = L.Linear(2, 3)
                self.scale = chainer.Parameter(2, (1,))
            self.activation = F.relu
            self.steps = ["linear", "activation"]

        def forward(self, x):
            for step in self.steps:
                x = self[step](x)
            return x * self["scale"]

    block = Block()
    x = array(4, 2)
    np.testing.assert_allclose(block(x).array, 2 * F.relu(block.linear(x)).array)
    assert block["xp"] is np and [link.name for link in block.children()] == ["linear"]
    for kind in (AttributeError, KeyError):
        with raises_regex(kind, "Block has no child 'missing'; it has: linear"):
            block["missing"]
    with raises(TypeError):
        block[0]
    """)


def test_both_directions_have_their_own_dropout(run_as_chainer):
    run_as_chainer("""
    for cls, states in ((L.NStepBiLSTM, 2), (L.NStepBiGRU, 1), (L.NStepBiRNNTanh, 1)):
        link, first, second = cls(2, 3, 4, 0.5), cls(1, 3, 4, 0.0), cls(1, 8, 4, 0.0)
        for part, copy in zip(link, [*first, *second]):
            copy.copyparams(part)
        none, x = [None] * states, array(5, 3)
        np.random.seed(0)
        y = link(*none, [x])[-1][0]
        np.random.seed(0)
        h = first(*none, [x])[-1][0]
        ahead, back = [second(*none, [F.dropout(h)])[-1][0] for _ in range(2)]
        np.testing.assert_allclose(y.array, F.concat((ahead[:, :4], back[:, 4:])).array, rtol=1e-5)
        link.cleargrads()
        F.sum(y).backward()
        assert all(np.isfinite(p.grad).all() and p.grad.any() for p in link.params())
        with chainer.using_config("train", False):
            inner = second(*none, [first(*none, [x])[-1][0]])[-1][0]
            np.testing.assert_allclose(link(*none, [x])[-1][0].array, inner.array, rtol=1e-5)
    """)


def test_windows_of_convolutions_as_chainer_stores_them(run_as_chainer):
    run_as_chainer("""
    import copy
    for link, ksize, stride in (
        (L.Convolution2D(2, 4, 3, 2, 1), 3, (2, 2)),
        (L.Convolution2D(4, (3, 3), stride=(2, 1), pad=1), (3, 3), (2, 1)),
        (L.Deconvolution2D(2, 4, 3, 2, 1), 3, (2, 2)),
        (L.DepthwiseConvolution2D(2, 2, 3, 2, 1), 3, (2, 2)),
        (L.DilatedConvolution2D(2, 4, (3, 2), 1, 1, 2), (3, 2), (1, 1)),
    ):
        for made in (link, copy.deepcopy(link), link.copy("init")):
            assert (made.ksize, made.stride, made.pad) == (ksize, stride, (1, 1))
        assert link(array(1, 2, 8, 8)).shape[0] == 1
    link.ksize, link.stride = 5, 3
    assert (link.ksize, link.stride) == (5, 3)
    assert link.dilate == (2, 2) and L.Convolution3D(1, 1, 1).dilate == (1, 1, 1)
    assert L.LocalConvolution2D(2, 3, 4, 2).ksize == 2 and not L.LocalConvolution2D(2, 3, 4, 2).nobias
    del link.__dict__["ksize"]
    assert not hasattr(link, "ksize")
    """)


def test_blocks_of_residual_networks(run_as_chainer):
    run_as_chainer("""
    from chainer.links.model.vision.resnet import BottleneckA, BottleneckB, BuildingBlock, ResNetLayers
    x = array(2, 4, 8, 8)
    assert BottleneckA(4, 2, 8)(x).shape == (2, 8, 4, 4)
    block = BuildingBlock(3, 4, 2, 8, 1, initialW=chainer.initializers.Normal(0.1))
    assert block(x).shape == (2, 8, 8, 8) and block._forward == ["a", "b1", "b2"]
    assert BuildingBlock(2, 4, 2, 8, 2, None, True).a.conv2.stride == (2, 2)
    with warns(DeprecationWarning):
        assert BuildingBlock(n_layer=2, in_channels=4, mid_channels=2, out_channels=8, stride=1)._forward == ["a", "b1"]
    with raises_regex(TypeError, "stride"):
        BuildingBlock(2, 4, 2, 8)
    same = BottleneckB(4, 2, chainer.initializers.One())
    assert same(x).shape == x.shape and (same.conv1.W.array == 1).all() and not hasattr(same, "conv4")
    net = ResNetLayers(None, 50)
    assert isinstance(net.res2, BuildingBlock) and len(net.res3._forward) == 4
    assert isinstance(net.res2.a, BottleneckA) and type(net.res2.b1) is BottleneckB
    """)
