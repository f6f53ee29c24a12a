"""What a Variable and a Parameter can do: operators, methods, attributes, errors."""
import pickle

import chainer
import chainer.functions as F
import numpy as np

rng = np.random.RandomState(0)
a, b = rng.rand(2, 3).astype('f') + 1, rng.rand(2, 3).astype('f') + 1
x, y = chainer.Variable(a, name='x'), chainer.as_variable(b)
for label, z in (
        ('add', x + y), ('radd', 2 + x), ('sub', x - y), ('rsub', 1 - x), ('mul', x * 3), ('div', x / y), ('rdiv', 1 / x),
        ('pow', x ** 2), ('rpow', 2 ** x), ('vpow', x ** y), ('neg', -x), ('abs', abs(x - 1.5)), ('matmul', x @ y.T),
        ('floordiv', x // y), ('array first', a + y), ('item', x[0, 1:]), ('fancy', x[[0, 0], [1, 2]]), ('none', x[:, None]),
        ('ellipsis', x[..., 0]), ('mask', x[a > 1.5]), ('T', x.T), ('reshape', x.reshape(3, 2)),
        ('reshape -1', x.reshape((-1,))), ('transpose', x.transpose(1, 0)), ('sum', F.sum(x, axis=(0, 1), keepdims=True))):
    x.cleargrad()
    y.cleargrad()
    F.sum(z * z).backward()
    print(label, z.shape, z.dtype, float(F.sum(z).array), float(abs(x.grad).sum()) if x.grad is not None else None)
print(str(x)[:8], repr(x)[:9], len(x), x.name, x.label, x.rank, x.requires_grad, y.requires_grad)
print(chainer.Variable(a, requires_grad=False).requires_grad, chainer.as_variable(a).requires_grad, x.node.dtype)
z = F.sum(F.exp(x))
print(z.creator.label, z.rank, z.node.creator_node is z.creator, z.xp is np)
z.backward(retain_grad=True)
print(float(z.grad), x.grad_var.shape, x.grad is x.grad_var.array)
z.cleargrad()
print(z.grad)
for label, attempt in (
        ('wrong grad shape', lambda: setattr(x, 'grad', np.zeros(3, 'f'))),
        ('wrong grad dtype', lambda: setattr(x, 'grad', np.zeros((2, 3), 'd'))),
        ('not an array', lambda: chainer.Variable([1, 2])),
        ('vector backward', lambda: F.exp(x).backward()),
        ('shapes', lambda: F.concat([a, b[:1]], axis=1)),
        ('dtypes', lambda: F.concat([a, b.astype('d')])),
        ('add', lambda: x + np.zeros(7, 'f')),
        ('matmul', lambda: F.matmul(x, y)),
        ('linear', lambda: F.linear(x, np.zeros((2, 4), 'f'))),
        ('parameter', lambda: chainer.Parameter(shape=(2,)).array.sum()),
        ('key', lambda: chainer.Link().nothing),
        ('name', lambda: chainer.Chain().add_link('a', None)),
):
    try:
        attempt()
    except Exception as error:
        print(label, type(error).__name__)
    else:
        print(label, 'went well')
x.cleargrad()
p = chainer.Parameter(chainer.initializers.Constant(3))
print(p.array, p.is_initialized)
p.initialize((2, 2))
p.cleargrad()
print(p.array.tolist(), p.grad, p.update_rule)
p.grad = np.ones((2, 2), 'f')
p.zerograd()
print(p.grad.tolist(), pickle.loads(pickle.dumps(p)).array.tolist())
v = chainer.Variable(a.copy())
v.array[0, 0] = 7
print(float(v.data[0, 0]), v.array is v.data)
v.array = b
print(v.shape, v.array is b)
w = chainer.Variable()
print(w.array, w.grad)
u = F.identity(x)
u.unchain()
print(u.creator, (F.identity(x) + 1).creator is not None)
h = x
for _ in range(3):
    h = F.sin(h)
loss = F.sum(h)
h.unchain_backward()
print(loss.creator is not None, h.creator)
first, second = F.split_axis(x, [1], 1)
F.sum(first).backward()
print(second.creator is first.creator, x.grad.tolist())
g, = chainer.grad([F.sum(x ** 3)], [x], enable_double_backprop=True)
gg, = chainer.grad([F.sum(g)], [x])
print('second', gg.array.tolist())
total = chainer.Variable(np.zeros((), 'f'))
for i in range(4):
    total += F.sum(x) * i
total.backward()
print('total', float(total.array), x.grad.tolist())
with chainer.no_backprop_mode():
    print((x + 1).creator, (x + 1).requires_grad)
print(F.forget(lambda v: F.tanh(v) * v, x).shape, float(F.sum(F.forget(F.exp, x)).array))
print(isinstance(x, chainer.Variable), isinstance(p, chainer.variable.Variable), chainer.Parameter.__name__)
