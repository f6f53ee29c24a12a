"""A FunctionNode with forward_cpu and forward_gpu, differentiated twice."""
import chainer
import chainer.functions as F
import numpy as np
from chainer import function_node, gradient_check
from chainer.backends import cuda
from chainer.utils import type_check


class Cube(function_node.FunctionNode):

    def check_type_forward(self, in_types):
        type_check._argname(in_types, ('x',))
        type_check.expect(in_types[0].dtype.kind == 'f')

    def forward_cpu(self, inputs):
        self.retain_inputs((0,))
        x, = inputs
        return x * x * x,

    def forward_gpu(self, inputs):
        self.retain_inputs((0,))
        return cuda.elementwise('T x', 'T y', 'y = x * x * x', 'cube_fwd')(inputs[0]),

    def backward(self, indexes, grad_outputs):
        x, = self.get_retained_inputs()
        gy, = grad_outputs
        return 3 * x * x * gy,


class Split(chainer.FunctionNode):
    """Two outputs, of which one may have no gradient."""

    def forward(self, inputs):
        x, = inputs
        self.retain_outputs((0,))
        return np.exp(x), x.sum(axis=1)

    def backward(self, indexes, grad_outputs):
        y, = self.get_retained_outputs()
        gy, gs = grad_outputs
        gx = None if gy is None else gy * y
        if gs is not None:
            g = F.broadcast_to(gs[:, None], y.shape)
            gx = g if gx is None else gx + g
        return gx,


def cube(x):
    return Cube().apply((x,))[0]


rng = np.random.RandomState(0)
x = chainer.Variable(rng.uniform(-1, 1, (3, 2)).astype(np.float32))
y = cube(x)
y.grad = np.ones_like(y.array)
y.backward(enable_double_backprop=True)
gx = x.grad_var
x.cleargrad()
F.sum(gx).backward()
print('first', gx.array.ravel().tolist())
print('second', x.grad.ravel().tolist())

e, s = Split().apply((x,))
gx, = chainer.grad([s], [x], [chainer.Variable(np.ones(3, np.float32))])
print('only sum', gx.array.ravel().tolist())
gx, = chainer.grad([e, s], [x], [chainer.Variable(np.ones((3, 2), np.float32)), chainer.Variable(np.ones(3, np.float32))])
print('both', gx.array.ravel().tolist())

gradient_check.check_backward(cube, x.array, y.array, dtype=np.float64, atol=1e-3, rtol=1e-3)
gradient_check.check_double_backward(
    cube, x.array, y.array, np.ones_like(x.array), dtype=np.float64, atol=1e-3, rtol=1e-3)
try:
    gradient_check.check_backward(lambda v: cube(v) + v.array, x.array, y.array, dtype=np.float64, rtol=1e-9)
except AssertionError:
    print('wrong gradient found')
