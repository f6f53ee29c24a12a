#!/usr/bin/env python
"""Digits with an old-style function, a FunctionNode and extensions of the program's.

    $ train_custom.py --device -1 --epoch 2
    $ train_custom.py -d @numpy -e 2 --resume result/snapshot_iter_10
"""
import argparse

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import function
from chainer import training
from chainer.training import extension
from chainer.training import extensions
from chainer.utils import type_check

from train_mnist import digits


class Mish(chainer.FunctionNode):

    def check_type_forward(self, in_types):
        type_check.expect(in_types.size() == 1, in_types[0].dtype.kind == 'f')

    def forward_cpu(self, inputs):
        self.retain_inputs((0,))
        x, = inputs
        return x * np.tanh(np.log1p(np.exp(x))),

    def backward(self, indexes, grad_outputs):
        x, = self.get_retained_inputs()
        t = F.tanh(F.softplus(x))
        return grad_outputs[0] * (t + x * (1 - t * t) * F.sigmoid(x)),


class Reverse(function.Function):

    def forward(self, inputs):
        return inputs[0] * 1,

    def backward(self, inputs, grad_outputs):
        return -np.float32(0.5) * grad_outputs[0],


class Net(chainer.Chain):

    def __init__(self, n_units, n_out):
        super(Net, self).__init__()
        with self.init_scope():
            self.l1 = L.Linear(64, n_units)
            self.l2 = L.Linear(n_units, n_units)
            self.l3 = L.Linear(n_units, n_out)

    def features(self, x):
        return F.relu(self.l1(x))

    def __call__(self, x):
        h = Mish().apply((self.l2(self.features(x)),))[0]
        return self.l3(h + Reverse()(h))


class GradientNorm(extension.Extension):

    trigger = (1, 'epoch')
    priority = extension.PRIORITY_WRITER
    default_name = 'norm'

    def __init__(self):
        self.calls = 0

    def initialize(self, trainer):
        print('begins at', trainer.updater.iteration)

    def __call__(self, trainer):
        self.calls += 1
        model = trainer.updater.get_optimizer('main').target
        chainer.report({'norm': np.sqrt(sum(float((p.grad ** 2).sum()) for p in model.params()))})

    def finalize(self):
        print('called', self.calls)

    def serialize(self, serializer):
        self.calls = serializer('calls', self.calls)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--batchsize', '-b', type=int, default=20)
    parser.add_argument('--epoch', '-e', type=int, default=20)
    parser.add_argument('--device', '-d', type=str, default='-1')
    parser.add_argument('--out', '-o', default='result')
    parser.add_argument('--resume', '-r', type=str)
    args = parser.parse_args()
    np.random.seed(0)
    device = chainer.get_device(args.device)
    model = L.Classifier(Net(12, 10))
    model.to_device(device)
    optimizer = chainer.optimizers.NesterovAG(lr=0.05)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.GradientHardClipping(-1, 1))
    train_iter = chainer.iterators.SerialIterator(digits(200, 0), args.batchsize)
    test_iter = chainer.iterators.SerialIterator(digits(60, 1), args.batchsize, repeat=False, shuffle=False)
    updater = training.updaters.StandardUpdater(train_iter, optimizer, device=device)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
    trainer.extend(extensions.Evaluator(test_iter, model, device=device))
    trainer.extend(GradientNorm())
    trainer.extend(extensions.LinearShift('lr', (0.05, 0.01), (5, 15)))
    trainer.extend(extensions.ParameterStatistics(model.predictor, trigger=(1, 'epoch')))
    trainer.extend(extensions.snapshot(), trigger=(1, 'epoch'))
    trainer.extend(extensions.observe_lr())
    trainer.extend(extensions.observe_value('twice', lambda t: t.updater.iteration * 2))
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PrintReport(['epoch', 'main/loss', 'validation/main/loss', 'norm', 'lr', 'twice']))
    if args.resume:
        chainer.serializers.load_npz(args.resume, trainer)
    trainer.run()


if __name__ == '__main__':
    main()
