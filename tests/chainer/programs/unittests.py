"""A test module for a function and a link, written with chainer.testing."""
import unittest

import chainer
import chainer.functions as F
import numpy as np
from chainer import gradient_check, testing
from chainer.testing import attr, condition


@testing.parameterize(*testing.product({'shape': [(3, 2), ()], 'dtype': [np.float32, np.float64]}))
class TestSquare(unittest.TestCase):

    def setUp(self):
        self.x = np.random.uniform(-1, 1, self.shape).astype(self.dtype)
        self.gy = np.random.uniform(-1, 1, self.shape).astype(self.dtype)

    def test_forward(self):
        testing.assert_allclose(self.x ** 2, F.square(chainer.Variable(self.x)).array)

    @condition.retry(3)
    def test_backward(self):
        gradient_check.check_backward(F.square, self.x, self.gy, dtype=np.float64, atol=1e-4, rtol=1e-4)

    @attr.gpu
    def test_gpu(self):
        raise AssertionError('there is no GPU')


@testing.inject_backend_tests(None, [{}, {'use_ideep': 'always'}, {'use_cuda': True}])
@testing.parameterize({'slope': 0.2}, {'slope': 0.5})
class TestLeaky(testing.FunctionTestCase):

    def generate_inputs(self):
        x = np.random.uniform(0.1, 1, (4, 3)).astype(np.float32) * np.random.choice([-1, 1], (4, 3)).astype(np.float32)
        return x,

    def forward(self, inputs, device):
        x, = inputs
        return F.leaky_relu(x, self.slope),

    def forward_expected(self, inputs):
        x, = inputs
        return np.where(x >= 0, x, x * self.slope).astype(x.dtype),


@testing.unary_math_function_unittest(F.exp)
class TestExp(unittest.TestCase):
    pass


if __name__ == '__main__':
    result = unittest.main(exit=False, argv=['unittests']).result
    # pytest -m 'not gpu' would leave these out
    others = ('gpu', 'use_cuda_true', 'use_ideep_always')
    broken = [test.id() for test, _ in result.failures + result.errors]
    print('ran', result.testsRun > 20, [name for name in broken if not any(word in name for word in others)])
