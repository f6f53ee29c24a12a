"""Finding mistakes: types that do not fit and what is said, gradients by differences, NaN, hooks that print."""
import io

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import function_hooks, gradient_check, testing
from chainer.utils import type_check

for attempt in (
        lambda: F.linear(np.zeros((2, 3), 'f'), np.zeros((4, 5), 'f')),
        lambda: L.Linear(3, 2)(np.zeros((2, 4), 'f')),
        lambda: F.convolution_2d(np.zeros((1, 2, 5, 5), 'f'), np.zeros((1, 3, 3, 3), 'f')),
        lambda: F.relu(np.zeros(3, 'i')),
        lambda: F.reshape(np.zeros(6, 'f'), (4, 2)),
        lambda: F.matmul(np.zeros((2, 3), 'f'), np.zeros((2, 3), 'f')),
        lambda: F.embed_id(np.zeros(3, 'f'), np.zeros((3, 2), 'f')),
        lambda: F.batch_normalization(np.zeros((2, 3), 'f'), np.zeros(2, 'f'), np.zeros(2, 'f')),
        lambda: F.mean_squared_error(np.zeros(3, 'f'), np.zeros(4, 'f')),
        lambda: F.select_item(np.zeros((2, 3), 'f'), np.zeros(3, 'i')),
        lambda: F.broadcast_to(np.zeros((2, 3), 'f'), (3, 3)),
        lambda: F.get_item(chainer.Variable(np.zeros((2, 3), 'f')), 'a'),
):
    try:
        attempt()
    except Exception as error:
        print(isinstance(error, type_check.InvalidType), isinstance(error, (ValueError, TypeError)) or isinstance(
            error, type_check.InvalidType))
    else:
        print('went well')

class Wrong(chainer.FunctionNode):

    def forward(self, inputs):
        return inputs[0] ** 2,

    def backward(self, indexes, gys):
        return gys[0] * 3,


def wrong(x):
    return Wrong().apply((x,))[0]


x = np.array([0.5, 1.0], 'f')
try:
    gradient_check.check_backward(wrong, x, np.ones(2, 'f'), dtype='d')
except AssertionError:
    print('found')
g, = gradient_check.numerical_grad(lambda: (x ** 3,), (x,), (np.ones(2, 'f'),), eps=1e-2)
print('numerical', np.round(g, 2).tolist())
testing.assert_allclose(x, x + 1e-6, atol=1e-5)
try:
    testing.assert_allclose(x, x + 1)
except AssertionError:
    print('not close')
v = chainer.Variable(np.array([1., -1.], 'f'))
chainer.set_debug(True)
try:
    with np.errstate(all='ignore'):
        F.log(v)
except RuntimeError as error:
    print('NaN', 'NaN' in str(error))
with np.errstate(all='ignore'):
    y = F.sum(F.sqrt(chainer.Variable(np.array([0.], 'f'))) * 0)
try:
    with np.errstate(all='ignore'):
        y.backward()
except RuntimeError as error:
    print('backward NaN', 'NaN' in str(error))
chainer.set_debug(False)
out = io.StringIO()
with function_hooks.PrintHook(file=out):
    F.exp(chainer.Variable(np.ones(2, 'f')))
lines = out.getvalue().splitlines()
print(len(lines) > 1, 'exp' in lines[0])
print(type_check.eval(type_check.Variable(3, 'x') + 2))
with chainer.DebugMode(True):
    print(chainer.config.debug, chainer.is_debug())
with testing.assert_warns(DeprecationWarning):
    import warnings
    warnings.warn('old', DeprecationWarning)


@testing.parameterize({'n': 1}, {'n': 2})
class TestN(object):

    def test_n(self):
        assert self.n > 0


print(testing.product({'a': [1, 2], 'b': ['x', 'y']})[1], len(testing.product_dict([{'a': 1}, {'a': 2}], [{'b': 3}])))
print(chainer.utils.size_of_shape((2, 3)), chainer.utils.force_array(np.float32(3)).shape,
      chainer.utils.get_conv_outsize(7, 3, 2, 1), chainer.utils.get_deconv_outsize(4, 3, 2, 1))
p = chainer.utils.WalkerAlias([3, 1])
np.random.seed(0)
print(p.sample(6).tolist())
rates = chainer.utils.CooMatrix(np.ones(1, 'f'), np.array([0], 'i'), np.array([1], 'i'), (2, 2))
print(rates.to_dense().tolist(), chainer.utils.type_check.same_types(x, x))
