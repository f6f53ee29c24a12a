"""What programs of Chainer 1 and 2 say: it works as in Chainer 7, or is refused as there."""
import os
import tempfile

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import cuda, optimizers, serializers, Variable

np.random.seed(0)
model = chainer.Chain(l1=L.Linear(4, 6), l2=L.Linear(6, 2))
optimizer = optimizers.Adam(alpha=0.02)
optimizer.setup(model)
rng = np.random.RandomState(0)
x_data, y_data = rng.randn(8, 4).astype(np.float32), rng.randint(0, 2, 8).astype(np.int32)


def forward(x_data, y_data):
    x, t = Variable(x_data), Variable(y_data)
    h = F.dropout(F.relu(model.l1(x)), ratio=.2)
    y = model.l2(h)
    return F.softmax_cross_entropy(y, t), F.accuracy(y, t)


for epoch in range(3):
    perm = np.random.permutation(8)
    sum_loss = 0
    for i in range(0, 8, 4):
        model.zerograds()
        loss, acc = forward(x_data[perm[i:i + 4]], y_data[perm[i:i + 4]])
        loss.backward()
        optimizer.update()
        sum_loss += float(cuda.to_cpu(loss.data)) * 4
    print('loss', sum_loss / 8, float(acc.data))
optimizer.use_cleargrads()
optimizer.update(lambda: forward(x_data, y_data)[0])
print(optimizer.t, optimizer.epoch)
optimizer.new_epoch()
print(optimizer.epoch)
path = os.path.join(tempfile.mkdtemp(), 'mlp.model')
serializers.save_npz(path, model)
serializers.load_npz(path, model)
serializers.save_npz(path, optimizer)
serializers.load_npz(path, optimizer)


def attempt(label, function):
    try:
        result = function()
    except Exception as error:
        print(label, type(error).__name__, 'not supported anymore' in str(error))
    else:
        print(label, type(result).__name__)


attempt('FunctionSet', lambda: chainer.FunctionSet)
attempt('volatile', lambda: Variable(x_data, volatile=True))
attempt('train', lambda: F.dropout(x_data, train=False))
attempt('test', lambda: L.BatchNormalization(4)(x_data, test=True))
attempt('F.Linear', lambda: F.Linear)
attempt('zero_grads', lambda: optimizer.zero_grads())
attempt('weight_decay', lambda: optimizer.weight_decay(0.1))
attempt('use_cudnn', lambda: F.relu(x_data, use_cudnn=False))
attempt('deterministic', lambda: L.Convolution2D(1, 1, 3, deterministic=True))
attempt('wscale', lambda: L.Linear(2, 2, wscale=2))
attempt('bias', lambda: L.Linear(2, 2, bias=1))
attempt('argmax', lambda: F.argmax(x_data))
attempt('to_gpu', lambda: cuda.to_gpu(x_data))
v = Variable(x_data)
attempt('zerograd', lambda: v.zerograd())
attempt('set_volatile', lambda: v.volatile)
attempt('debug', lambda: v.debug_print())
attempt('addgrad', lambda: v.addgrad(v))
print(v.data is v.array, len(v), v.ndim, v.size, v.creator)
attempt('bool', lambda: bool(v))
attempt('item', lambda: v.item())
attempt('float', lambda: float(F.sum(v).data))
attempt('compare', lambda: v == v)
attempt('iterate', lambda: [row.shape for row in v])
attempt('in place', lambda: v.__setitem__(0, 1))
