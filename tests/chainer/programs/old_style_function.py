"""A function in the style of Chainer 1, with type checks, and code for each device."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy
from chainer import cuda, function
from chainer.utils import type_check


class ScaledTanh(function.Function):

    def __init__(self, scale=1.0):
        self.scale = scale

    def check_type_forward(self, in_types):
        type_check.expect(in_types.size() == 1)
        x_type, = in_types
        type_check.expect(x_type.dtype.kind == 'f', x_type.ndim >= 2)

    def forward_cpu(self, inputs):
        x, = inputs
        self.y = numpy.tanh(x)
        return numpy.asarray(self.scale * self.y, dtype=x.dtype),

    def forward_gpu(self, inputs):
        x, = inputs
        self.y = cuda.cupy.tanh(x)
        return self.scale * self.y,

    def backward(self, inputs, grad_outputs):
        xp = cuda.get_array_module(*inputs)
        gy, = grad_outputs
        return xp.asarray(self.scale * gy * (1 - self.y * self.y), dtype=inputs[0].dtype),


class Product(chainer.Function):

    def forward(self, inputs):
        a, b = inputs
        self.retain_inputs((0, 1))
        return a * b,

    def backward(self, inputs, grads):
        a, b = inputs
        g, = grads
        return g * b, g * a


def scaled_tanh(x, scale=1.0):
    return ScaledTanh(scale)(x)


numpy.random.seed(5)
model = chainer.Chain(l1=L.Linear(3, 5), l2=L.Linear(5, 2))
optimizer = chainer.optimizers.SGD(0.1)
optimizer.setup(model)
x = chainer.Variable(numpy.random.normal(size=(8, 3)).astype(numpy.float32))
t = chainer.Variable(numpy.random.randint(0, 2, 8).astype(numpy.int32))
for _ in range(5):
    h = scaled_tanh(model.l1(x), 1.7159)
    y = model.l2(Product()(h, h))
    loss = F.softmax_cross_entropy(y, t)
    model.zerograds()
    loss.backward()
    optimizer.update()
    print('loss', float(loss.data))

try:
    scaled_tanh(chainer.Variable(numpy.zeros(3, 'i')))
except type_check.InvalidType as error:
    print('refused', type(error).__name__)
    print(str(error).split('\n')[1:])
