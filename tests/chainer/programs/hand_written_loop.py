"""A training loop written by hand, with an evaluation after each epoch."""
import os
import tempfile

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import serializers
from chainer.backends import cuda
from chainer.dataset import concat_examples


class LeNet(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(1, 4, ksize=3)
            self.conv2 = L.Convolution2D(4, 8, ksize=3)
            self.fc = L.Linear(None, 3)

    def __call__(self, x):
        h = F.max_pooling_2d(F.relu(self.conv1(x)), 2)
        h = F.max_pooling_2d(F.relu(self.conv2(h)), 2)
        return self.fc(F.dropout(h, ratio=0.3))


np.random.seed(1)
rng = np.random.RandomState(0)
data = [(rng.normal(size=(1, 12, 12)).astype('f') + t, np.int32(t)) for t in rng.randint(0, 3, 60)]
train, test = chainer.datasets.split_dataset(data, 45)
train_iter = chainer.iterators.SerialIterator(train, 9)
test_iter = chainer.iterators.SerialIterator(test, 5, repeat=False, shuffle=False)

gpu = -1
model = LeNet()
if gpu >= 0:
    model.to_gpu(gpu)
optimizer = chainer.optimizers.MomentumSGD(lr=0.05, momentum=0.9)
optimizer.setup(model)
optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(0.0005))

while train_iter.epoch < 3:
    batch = train_iter.next()
    x, t = concat_examples(batch, gpu)
    y = model(x)
    loss = F.softmax_cross_entropy(y, t)
    model.cleargrads()
    loss.backward()
    optimizer.update()
    if train_iter.is_new_epoch:
        print('loss', float(cuda.to_cpu(loss.data)))
        losses, accuracies = [], []
        while True:
            test_batch = test_iter.next()
            x_test, t_test = concat_examples(test_batch, gpu)
            with chainer.using_config('train', False), chainer.using_config('enable_backprop', False):
                y_test = model(x_test)
            losses.append(cuda.to_cpu(F.softmax_cross_entropy(y_test, t_test).array))
            accuracies.append(cuda.to_cpu(F.accuracy(y_test, t_test).array))
            if test_iter.is_new_epoch:
                test_iter.reset()
                break
        print('test', float(np.mean(losses)), float(np.mean(accuracies)))

path = os.path.join(tempfile.mkdtemp(), 'lenet.model')
serializers.save_npz(path, model)
other = LeNet()
serializers.load_npz(path, other)
with chainer.using_config('train', False), chainer.no_backprop_mode():
    x = np.ones((2, 1, 12, 12), 'f')
    print('same', bool((model(x).array == other(x).array).all()))
