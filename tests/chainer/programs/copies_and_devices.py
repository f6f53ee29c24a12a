"""Copies of links, parameters without shapes, devices by number and by name."""
import copy
import pickle

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import backend
from chainer.backends import cuda

np.random.seed(0)
model = chainer.Chain()
with model.init_scope():
    model.l1 = L.Linear(None, 3)
    model.bn = L.BatchNormalization(3)
print(model.l1.W.array is None, model.l1.W.is_initialized if hasattr(model.l1.W, 'is_initialized') else None)
x = np.random.normal(size=(4, 5)).astype('f')
y = model.bn(model.l1(x))
F.sum(y * y).backward()
shared, deep, fresh = model.copy(), model.copy(mode='copy'), model.copy(mode='init')
print(shared.l1.W.array is model.l1.W.array, deep.l1.W.array is model.l1.W.array)
print((deep.l1.W.array == model.l1.W.array).all(), (fresh.l1.W.array == model.l1.W.array).all())
other = copy.deepcopy(model)
other.l1.W.array[...] = 0
model.copyparams(other)
print(float(abs(model.l1.W.array).sum()))
again = pickle.loads(pickle.dumps(model))
print(sorted(n for n, _ in again.namedparams()), again.bn.N)
print(model.l1.W.grad.shape, model.count_params())
shared.cleargrads()
model.addgrads(model)
print([p.name for p in model.params()], model.xp is np)

device = chainer.get_device('@numpy')
print(device, device.xp is np, chainer.get_device(-1) == device, backend.CpuDevice() == device)
model.to_device(device)
model.to_device('@numpy')
print(model.device, backend.get_device_from_array(x) == device, backend.get_array_module(x, y) is np)
print(device.send([x, None])[0] is not None, isinstance(x, chainer.get_array_types()))
with chainer.using_device('@numpy'):
    print(L.Linear(2, 2).device)
v = chainer.Variable(x)
v.to_cpu()
print(type(cuda.to_cpu(v.array)).__name__, v.xp is np, v.device, v.label)
try:
    chainer.get_device('@cupy:0')
except RuntimeError as error:
    print('cupy:', type(error).__name__)
backend.copyto(v.array, np.zeros_like(x))
print(float(v.array.sum()))
p = chainer.Parameter(chainer.initializers.One(), (2,))
p.grad = np.full(2, 3, 'f')
q = chainer.Parameter(0)
q.initialize((2,))
q.copydata(p)
q.addgrad(p) if q.grad is not None else None
print(q.array.tolist(), repr(p)[:9])
