"""Classes and helpers of Chainer's that are not Renga's, each group in a process of its own.

What is expected of messages and numbers is what Chainer 7.8.1 says and computes.
"""

import subprocess
import sys
import textwrap

HEAD = """
import sys
import warnings
import numpy as np
import pytest
import renga_chainer
renga_chainer.install()
import chainer
import chainer.functions as F
import chainer.links as L
from chainer import Variable
from chainer.utils import type_check as T

def array(*shape, dtype='f'):
    return np.random.RandomState(0).uniform(-1, 1, shape).astype(dtype)
"""


def check(program):
    program = textwrap.dedent(program)
    assert not program.lstrip("\n").startswith(" "), "it would be the rest of the function that HEAD ends with"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", HEAD + program],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


def test_type_check():
    check("""
    def message(condition):
        with pytest.raises(T.InvalidType) as caught:
            T.expect(condition)
        return str(caught.value)

    types = T.get_types((array(2, 3), array(4)), 'in_types', False)
    x, y = types
    T.expect(x.ndim == 2, types.size() == 2, x.shape[1] == 3, x.dtype.kind == 'f', T.prod(x.shape) == 6)
    assert message(x.ndim == 1) == 'Expect: in_types[0].ndim == 1\\nActual: 2 != 1'
    assert message(x.shape[0] < y.shape[-1] - 3) == (
        'Expect: in_types[0].shape[0] < in_types[1].shape[-1] - 3\\nActual: 2 >= 1')
    assert message(types.size() > 2) == 'Expect: in_types.size > 2\\nActual: 2 <= 2'
    T._argname(types, ('image', 'bias'))
    assert message(x.dtype == y.shape) == "Expect: image.dtype == bias.shape\\nActual: float32 != (4,)"
    with pytest.raises(T.InvalidType, match='Invalid number of arguments'):
        T._argname(types, ('x',))

    a, b = T.Variable(7, 'a'), T.Variable(2, 'b')
    written = {
        '(a + b) * 3': (a + b) * 3, 'a - (b - 1)': a - (b - 1), 'a - b - 1': a - b - 1, '-a + b': -a + b,
        '-(a + b)': -(a + b), 'a ** b ** 2': a ** b ** 2, '(a ** b) ** 2': (a ** b) ** 2, '10 % a': 10 % a,
        'a // b << 1': a // b << 1, '(a, [b, 1])[1]': T.GetItem((a, [b, 1]), 1), 'a & b | 1': a & b | 1,
    }
    for text, expression in written.items():
        assert str(expression) == text, (text, str(expression))
        assert expression.eval() == eval(text, {'a': 7, 'b': 2}), text
    assert str(T.Variable((1, 2, 3), 's')[1:]) == 's[1:]' and T.eval(T.Variable((1, 2, 3), 's')[::2]) == (1, 3)
    with pytest.raises(RuntimeError, match='cannot be evaluated as bool'):
        a == b and b == a
    with T.light_mode:
        assert T.make_variable(3, 'x') == 3 and T.prod((2, 3)) == 6
        with pytest.raises(T.InvalidType):
            T.expect(1 == 2)
    assert not T.in_light_mode()
    T.expect_broadcast_shapes(T.Variable((2, 1), 'p'), T.Variable((3,), 'q'))
    with pytest.raises(T.InvalidType) as caught:
        T.expect_broadcast_shapes(T.Variable((2, 2), 'p'), T.Variable((3,), 'q'))
    assert str(caught.value) == 'cannot broadcast inputs of the following shapes:\\np = (2, 2)\\nq = (3,)'
    assert T.same_types(array(1), array(2)) and not T.same_types(array(1), 3)

    import pickle
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    # Renga's own error is one of these, and says what it always says.
    with pytest.raises(T.InvalidType) as caught:
        F.concat([array(2, 3), array(3, 2)])
    assert isinstance(caught.value, TypeError) and 'concat' in str(caught.value) and caught.value.expect
    """)


def test_functions():
    check("""
    from chainer.function import Function
    class Product(Function):
        def check_type_forward(self, in_types):
            T.expect(in_types.size() == 2, in_types[0].shape == in_types[1].shape)
        def forward_cpu(self, inputs):
            a, b = inputs
            self.retain_inputs((1,))
            self.retain_outputs((1,))
            return a * b, a + b
        def backward_cpu(self, inputs, gys):
            assert inputs[0] is None
            self.seen = self.output_data
            gab, gsum = gys
            b = inputs[1]
            return (0 if gab is None else gab * b) + (0 if gsum is None else gsum), None

    a, b = Variable(array(3)), Variable(array(3) + 2)
    function = Product()
    product, total = function(a, b)
    assert product.creator is function and product.creator_node.function is function
    assert isinstance(product.creator_node, chainer.FunctionNode) and function.label == 'Product'
    assert [node.shape for node in function.inputs] == [(3,), (3,)] and function.rank == 0
    assert function.outputs[1]().get_variable() is total
    F.sum(product).backward()
    np.testing.assert_array_equal(a.grad, b.array)
    assert b.grad is None
    assert function.seen[0] is None and function.seen[1] is total.array
    with pytest.raises(T.InvalidType) as caught:
        Product()(a, array(2))
    assert str(caught.value) == (
        '\\nInvalid operation is performed in: Product (Forward)\\n\\n'
        'Expect: in_types[0].shape == in_types[1].shape\\nActual: (3,) != (2,)')
    with chainer.using_config('type_check', False), pytest.raises(ValueError):
        Product()(a, array(2))
    # A gradient is differentiable as far as it does not go through the function.
    y = Product()(a, b)[0]
    gx, = chainer.grad([y], [a], [Variable(np.ones(3, 'f'))], enable_double_backprop=True)
    with pytest.raises(RuntimeError, match='old style Function .Product'):
        F.sum(gx * gx).backward()

    class Twice(chainer.FunctionNode):
        def forward_cpu(self, inputs):
            self.retain_outputs((0,))
            return 2 * inputs[0],
        def backward(self, indexes, gys):
            self.seen = self.output_data
            return 2 * gys[0]
    for differentiable in (False, True):
        x = Variable(array(1, 4))
        twice = Twice()
        y, = twice.apply((x,))
        F.sum(y).backward(enable_double_backprop=differentiable)
        np.testing.assert_array_equal(x.grad, np.full((1, 4), 2, 'f'))
        assert twice.seen[0] is y.array
        assert [out() for out in twice.outputs] == [y.node]
        twice.unchain()
        assert y.creator is None
    with pytest.raises(RuntimeError, match='Use apply'):
        Twice()(x)
    with pytest.raises(NotImplementedError, match='forward_cpu'):
        type('Empty', (chainer.FunctionNode,), {})().apply((x,))
    assert isinstance(F.relu(x).creator, chainer.FunctionNode)
    assert issubclass(type(F.relu(x).creator), chainer.FunctionNode)
    assert not isinstance(F.relu(x).creator, Twice)

    class Accumulating(chainer.FunctionNode):
        def forward(self, inputs):
            return inputs[0] + inputs[1],
        def backward_accumulate(self, indexes, gys, gxs):
            return tuple(gys[0] if gx is None else gx + gys[0] for gx in gxs)
    p, q = Variable(array(2)), Variable(array(2))
    F.sum(Accumulating().apply((p, q))[0]).backward()
    np.testing.assert_array_equal(q.grad, [1, 1])

    from chainer.functions.connection.linear import LinearFunction
    from chainer.functions.activation.relu import ReLU
    y = F.relu(L.Linear(4, 2)(x))
    assert isinstance(y.creator, ReLU) and isinstance(y.creator.inputs[0].creator, LinearFunction)
    assert y.creator.inputs[0].creator.label == 'LinearFunction'
    labels = [(x + x, '_ + _'), (x - 1, '_ + (-1)'), (x * 2.5, '_ * 2.5'), (x ** 2, '_ ** 2'), (-x, '__neg__'),
              (F.exp(x), 'exp'),
              (F.convolution_2d(array(1, 1, 3, 3), Variable(array(1, 1, 2, 2))), 'Convolution2DFunction')]
    for y, label in labels:
        assert y.creator.label == label, (y.creator.label, label)
    from chainer.functions.math import basic_math as B
    np.testing.assert_allclose(B.rsub(x, 1).array, 1 - x.array)
    np.testing.assert_array_equal(B.floordiv(x, 0.3).array, np.floor(x.array / np.float32(0.3)))
    for call in (lambda: F.dropout(x, train=False), lambda: L.BatchNormalization(4)(x, test=True),
                 lambda: L.Convolution2D(1, 1, 3, deterministic=True)):
        with pytest.raises(ValueError, match='argument is not supported anymore'):
            call()
    """)


def test_variables_and_parameters():
    check("""
    warnings.simplefilter("ignore", DeprecationWarning)  # to_cpu and to_gpu are deprecated in Chainer 7
    with pytest.raises(ValueError, match='volatile'):
        Variable(array(2), volatile='on')
    x = Variable(np.array([[1, 2]], 'f'), name='x')
    assert (repr(x), str(x)) == ('variable x([[1., 2.]])', 'variable x([[1. 2.]])')
    assert repr(Variable(np.zeros((0, 2)))) == 'variable([], shape=(0, 2))'
    assert x.summary() == '<variable x>'
    assert x.debug_print() == '\\n'.join([
        '<variable x>', '- device: CPU', "- backend: <class 'numpy.ndarray'>", '- shape: (1, 2)', '- dtype: float32',
        '- statistics: mean=1.50000000, std=0.50000000', '- grad: None'])
    for refused in (lambda: x == x, lambda: x < 1):
        with pytest.raises(TypeError):
            refused()
    with pytest.raises(ValueError, match='mismatch'):
        x.grad = array(3)
    with pytest.raises(TypeError):
        x.grad = array(1, 2, dtype='d')
    # Arrays and NumPy's numbers take on the Variable's dtype.
    for y in (x * np.ones(2), np.ones(2) + x, x / np.float64(3), x @ np.ones((2, 1)), 2 ** x, np.arange(2) - x, x // 2):
        assert y.dtype == np.float32, y
    assert (x // 2).array.tolist() == [[0, 1]] and (3 // x).array.tolist() == [[3, 1]]
    np.testing.assert_allclose(x.mean(axis=1, weights=np.array([3, 1], 'f')).array, [1.25])
    x.to_cpu()
    y = Variable(array(2))
    y.set_creator_node(F.exp(x).creator_node)
    assert y.creator.label == 'exp' and y.node.data is y.array and y.layout is None
    for refused in (x.to_gpu, x.to_chx, x.to_intel64, L.Linear(2, 2).to_gpu, L.Linear(2, 2).to_chx,
                    lambda: L.Linear(2, 2).to_device('@cupy:0'), lambda: chainer.get_device('@cupy:0'),
                    lambda: chainer.get_device(0), chainer.backend.Intel64Device,
                    lambda: chainer.backend.ChainerxDevice('native')):
        with pytest.raises(RuntimeError):
            refused()

    # The gradient of a parameter is NaN until it is cleared.
    assert np.isnan(chainer.Parameter(1., (2,)).grad).all()
    for clear, expected in ((None, np.nan), ('cleargrad', None), ('zerograd', 0)):
        link = L.Linear(None, 2)
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', DeprecationWarning)
            if clear:
                getattr(link.W, clear)()
        link(array(1, 3))
        np.testing.assert_array_equal(link.W.grad, None if expected is None else np.full((2, 3), expected, 'f'))
    optimizer = chainer.optimizers.SGD(1).setup(link)
    optimizer.update(lambda: F.sum(link(array(1, 3))))
    assert np.isfinite(link.W.array).all()

    device = chainer.get_device('@numpy')
    assert (device.name, str(device), repr(device)) == ('@numpy', '@numpy', '<CpuDevice (numpy)>')
    assert chainer.get_device(-1) == device == chainer.backend.CpuDevice() and hash(device) == hash(link.device)
    assert isinstance(device, chainer.backend.CpuDevice) and not isinstance(device, chainer.backend.GpuDevice)
    a = array(2)
    sent = device.send([a, None, (a, array(2))])
    assert sent[0] is a and sent[1] is None and sent[2][0] is a
    assert device.is_array_supported(a) and device.supported_array_types == (np.ndarray,)
    import copy, pickle
    link.to_device('@numpy')
    assert pickle.loads(pickle.dumps(link)).device == copy.deepcopy(link).device == device

    from chainer.device_resident import DeviceResidentsVisitor
    class Names(DeviceResidentsVisitor):
        seen = []
        def visit_device_resident(self, link):
            self.seen.append(link.name)
        def visit_variable(self, param):
            self.seen.append(param.name)
        def visit_array(self, array):
            self.seen.append('array')
            return array
    links = chainer.Chain(c=L.Convolution2D(1, 2, 3), b=L.BatchNormalization(4), a=L.Linear(None, 3), e=L.EmbedID(1, 1))
    arguments = 'in_channels=1, out_channels=2, ksize=3, stride=(1, 1), pad=(0, 0), nobias=False, '
    arguments += 'dilate=(1, 1), groups=1'
    assert str(links) == f'''Chain(
      (a): Linear(in_size=None, out_size=3, nobias=False),
      (b): BatchNormalization(size=4, decay=0.9, eps=2e-05, dtype=float32, use_gamma=True, use_beta=True),
      (c): Convolution2D({arguments}),
      (e): EmbedID(),
    )'''
    assert (Variable(array(3)).label, Variable(array(2, 3)).label) == ('(3), float32', '(2, 3), float32')

    class Masked(chainer.Link):
        moved = ()
        def to_cpu(self):
            super().to_cpu()
            self.moved += ('to_cpu',)
    class Accepting(chainer.Link):
        def device_resident_accept(self, visitor):
            super().device_resident_accept(visitor)
            self.seen = visitor.visit_array(np.ones(2))
    parent = chainer.Chain(m=Masked(), a=Accepting(w=(2,)))
    parent.to_device('@numpy')
    assert parent.m.moved == ('to_cpu',) and parent.a.seen.shape == (2,)
    parent.m.to_cpu()
    assert set(parent.m.moved) == {'to_cpu'}
    with chainer.using_config('dtype', np.float16):
        parent.a.add_param('x', (1,))
        parent.a.add_param('y', (1,), initializer=1)
    assert (parent.a.x.dtype, parent.a.y.dtype) == (np.float32, np.float16)

    chain = chainer.Chain(l=L.Linear(1, 1), n=L.BatchNormalization(1))
    chain.device_resident_accept(Names())
    assert Names.seen == [None, 'l', 'W', 'b', 'n', 'beta', 'gamma', 'array', 'array']
    """)


def test_optimizers():
    check("""
    class Rule(chainer.UpdateRule):
        def init_state(self, param):
            self.state['v'] = param.xp.zeros_like(param.data)
        def update_core_cpu(self, param):
            self.state['v'] += param.grad
            param.data -= self.hyperparam.lr * self.state['v']
    class Momentum(chainer.GradientMethod):
        lr = chainer.optimizer.HyperparameterProxy('lr')
        def __init__(self, lr=1):
            super(Momentum, self).__init__()
            self.hyperparam.lr = lr
        def create_update_rule(self):
            return Rule(self.hyperparam)
    link = chainer.Link(w=(2,), unused=(1,))
    link.w.data[...] = link.unused.data[...] = 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        hook = chainer.optimizer.WeightDecay(0.5)
    assert 'chainer.optimizer_hooks.WeightDecay' in str(caught[0].message)
    optimizer = Momentum().setup(link)
    with pytest.raises(RuntimeError, match='setup'):
        Momentum()._check_set_up()
    optimizer.update(lambda: F.sum(link.w))
    optimizer.update(lambda: F.sum(link.w))
    np.testing.assert_array_equal(link.w.data, [-2, -2])
    # What the loss does not depend on has a gradient of zero: it decays.
    optimizer.add_hook(hook)
    optimizer.update(lambda: F.sum(link.w))
    np.testing.assert_array_equal(link.unused.data, [0.5])
    adam = chainer.optimizers.Adam(0.1).setup(link)
    with pytest.raises(RuntimeError, match='not been started'):
        adam.alpha_t
    adam.update(lambda: F.sum(link.w))
    np.testing.assert_allclose(adam.alpha_t, 0.1 * 0.001 ** .5 / 0.1)
    from chainer.optimizers.adam import AdamRule
    assert isinstance(link.w.update_rule, AdamRule)
    rule = AdamRule(None, 0.5, beta2=0.9)
    assert (rule.hyperparam.alpha, rule.hyperparam.beta1, rule.hyperparam.beta2) == (0.5, 0.9, 0.9)
    with pytest.raises(TypeError, match='rho'):
        AdamRule(rho=1)
    """)


def test_utils():
    check("""
    from chainer import initializers, utils
    from chainer.utils import argument, cache, conv, conv_nd, imgproc
    from chainer.initializer import get_fans
    def f(**kwargs):
        return argument.parse_kwargs(kwargs, ('a', 1), ('b', 2), old='old is gone')
    assert f(b=3) == (1, 3)
    with pytest.raises(ValueError, match='old is gone'):
        f(old=1)
    with pytest.raises(TypeError, match=r"f\\(\\) got unexpected keyword argument\\(s\\) 'c', 'd'"):
        f(d=1, c=2)
    def g(**kwargs):
        argument.assert_kwargs_empty(kwargs)
    g()
    with pytest.raises(TypeError, match=r"g\\(\\) got"):
        g(x=1)

    from chainer import gradient_check
    common = (1e-3, 1e-5, 1e-4, None, np.float64, False, False)
    gradient_check._CheckBackward(F.tanh, array(3), array(3), (), *common).run()
    with pytest.raises(AssertionError):
        gradient_check._CheckBackward(lambda x: F.tanh(x) + x.array, array(3), array(3), (), *common).run()

    rng = np.random.RandomState(0)
    img = rng.rand(2, 3, 7, 8)
    col = conv.im2col_cpu(img, 3, 2, 2, 1, 1, 0, dy=1, dx=2)
    assert col.shape == (2, 3, 3, 2, 4, 6)
    padded = np.pad(img, ((0, 0), (0, 0), (1, 1), (0, 0)))
    for y in range(4):
        for x in range(6):
            np.testing.assert_array_equal(col[..., y, x], padded[:, :, 2 * y:2 * y + 3, x:x + 3:2])
    other = rng.rand(*col.shape)
    back = conv.col2im_cpu(other, 2, 1, 1, 0, 7, 8, 1, 2)
    np.testing.assert_allclose((col * other).sum(), (img * back).sum())  # each is the other's transpose
    np.testing.assert_array_equal(
        conv_nd.im2col_nd(img, (3, 2), (2, 1), (1, 0), dilate=(1, 2)), conv.im2col(img, 3, 2, 2, 1, 1, 0, dx=2))
    assert conv_nd.im2col_nd_cpu(rng.rand(1, 1, 5), (2,), (3,), (0,), cover_all=True).shape == (1, 1, 2, 2)
    with pytest.raises(AssertionError):
        conv.im2col_cpu(img, 9, 9, 1, 1, 0, 0)

    image = rng.rand(1, 4, 5)
    crops = imgproc.oversample([image], (2, 3))
    assert crops.shape == (10, 1, 2, 3)
    np.testing.assert_array_equal(crops[2], image[:, 2:, :3])
    np.testing.assert_array_equal(crops[4], image[:, 1:3, 1:4])
    np.testing.assert_array_equal(crops[9], crops[4][:, :, ::-1])

    class C:
        calls = 0
        @cache.cached_property
        def y(self):
            self.calls += 1
            return self.calls
    c = C()
    assert (c.y, c.y) == (1, 1)
    with chainer.no_backprop_mode():
        assert (c.y, c.y) == (2, 2)
    with pytest.raises(AttributeError):
        c.y = 3

    assert get_fans((4, 3, 5, 5)) == (75, 100)
    for wrong in ([4, 3], (4,)):
        with pytest.raises(ValueError):
            get_fans(wrong)
    assert isinstance(initializers._get_initializer(None), initializers.LeCunNormal)
    assert isinstance(initializers._get_initializer(3), initializers.Constant)
    initializers._check_is_initializer_like(array(2))
    with pytest.raises(TypeError):
        initializers._check_is_initializer_like(object())
    with pytest.raises(RuntimeError, match=r'(?s)no.*caused by.*KeyError'):
        utils._raise_from(RuntimeError, 'no', KeyError('x'))
    utils._check_arrays_forward_compatible((array(1), None))
    """)


def test_uninstall_puts_classes_back():
    check("""
    import renga
    renga_chainer.uninstall()
    p = renga.Parameter(1., (2,))
    assert p.grad is None and repr(p).startswith('parameter(')
    assert str(renga.get_device('numpy')) == 'numpy'
    assert not hasattr(renga.Variable, 'to_gpu') and not hasattr(renga.FunctionNode, 'local_function_hooks')
    from renga_core.graph import InvalidType
    assert InvalidType.__bases__ == (TypeError, ValueError)
    assert F.exp(renga.Variable(array(2))).creator.label == 'Exp'
    assert (renga.Variable(array(2)) * np.ones(2)).dtype == np.float64
    """)


def test_backward_of_several_outputs():
    check("""
    import warnings
    x = Variable(np.ones((2, 2), 'f'))
    a, b = F.split_axis(x, 2, 0)
    b.grad = np.ones((1, 2), 'f')
    with pytest.warns(RuntimeWarning, match='does not set default grad'):
        chainer.backward([a, b])
    assert x.grad.tolist() == [[0, 0], [1, 1]] and b.grad is None
    loss = F.sum(x * 2)
    x.cleargrad()
    with pytest.warns(RuntimeWarning):
        chainer.backward([loss])
    assert x.grad is None
    y = x * 3
    y.grad = np.ones((2, 2), 'f')
    with pytest.warns(RuntimeWarning):
        chainer.backward([y, y])
    assert x.grad.tolist() == [[3, 3], [3, 3]]
    x.cleargrad()
    chainer.backward([loss, x * 5], [None, Variable(np.ones((2, 2), 'f'))])
    assert x.grad.tolist() == [[5, 5], [5, 5]]
    for outputs, gradients, error in ((y, None, TypeError), ([y.array], None, TypeError), ([y], y, TypeError),
                                      ([y], [], ValueError)):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            with pytest.raises(error):
                chainer.backward(outputs, gradients)
    """)


def test_gradients_of_gradients_of_an_old_style_function():
    check("""
    class Square(chainer.Function):
        def forward(self, xs):
            return xs[0] * xs[0],
        def backward(self, xs, g):
            return 2 * xs[0] * g[0],
    x = Variable(np.ones(1, 'f'))
    g, = chainer.grad([Square()(x)], [x], enable_double_backprop=True)
    assert g.array == 2
    with pytest.raises(RuntimeError, match='twice-differentiate'):
        chainer.grad([F.sum(g)], [x])
    h = x * 3
    g, = chainer.grad([Square()(h)], [h], enable_double_backprop=True)
    with pytest.raises(RuntimeError, match='twice-differentiate'):
        F.sum(g).backward()
    y = Square()(x)
    y.backward(enable_double_backprop=True)
    assert x.grad == 2
    """)


def test_loss_scale_is_known_to_parameters():
    check("""
    class M(chainer.Link):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.p = chainer.Parameter(np.ones(2, 'f'))
    m = M()
    o = chainer.optimizers.SGD(1.0).setup(m)
    m.cleargrads()
    F.sum(m.p * .5).backward(loss_scale=4.0)
    o.update()
    assert m.p.array.tolist() == [.5, .5]
    assert L.Linear(None, 2).cleargrads() is None
    """)


def test_what_a_wrong_backward_raises():
    check("""
    class Bad(chainer.FunctionNode):
        def __init__(self, *gxs):
            self.gxs = gxs
        def forward(self, xs):
            return xs[0] * 2,
        def backward(self, i, g):
            return self.gxs
    one = np.ones(1, 'f')
    for gxs, error in (((Variable(one), Variable(one)), ValueError), ((one,), ValueError), ((1,), TypeError),
                       ((Variable(np.ones(1, 'i')),), TypeError)):
        y, = Bad(*gxs).apply((Variable(one),))
        with pytest.raises(error):
            y.backward()
    x = Variable(np.array(1., 'f'))
    with pytest.raises(TypeError):
        x.grad = np.float32(1)
    """)
