"""A residual network with inception, batch normalization and dropout; trained, stopped, resumed by --resume."""
import argparse
import json
import os
import tempfile

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions, triggers


class ConvBN(chainer.Chain):

    def __init__(self, n_in, n_out, ksize, stride=1, pad=0):
        super(ConvBN, self).__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(n_in, n_out, ksize, stride, pad, initialW=chainer.initializers.HeNormal(),
                                        nobias=True)
            self.bn = L.BatchNormalization(n_out)

    def __call__(self, x):
        return self.bn(self.conv(x))


class Block(chainer.Chain):

    def __init__(self, n_in, n_out, stride):
        super(Block, self).__init__()
        with self.init_scope():
            self.a = ConvBN(n_in, n_out, 3, stride, 1)
            self.b = ConvBN(n_out, n_out, 3, 1, 1)
            if stride != 1:
                self.shortcut = ConvBN(n_in, n_out, 1, stride)
        self.project = stride != 1

    def __call__(self, x):
        h = self.b(F.relu(self.a(x)))
        return F.relu(h + (self.shortcut(x) if self.project else x))


class Stage(chainer.ChainList):

    def __init__(self, n_in, n_out, stride, n):
        super(Stage, self).__init__()
        self.add_link(Block(n_in, n_out, stride))
        for _ in range(n - 1):
            self.add_link(Block(n_out, n_out, 1))

    def __call__(self, x):
        for f in self.children():
            x = f(x)
        return x


class ResNet(chainer.Chain):

    insize = 8

    def __init__(self, n_class=3):
        super(ResNet, self).__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(3, 4, 3, 1, 1)
            self.stage1 = Stage(4, 4, 1, 1)
            self.stage2 = Stage(4, 6, 2, 2)
            self.mixed = L.Inception(6, 2, 2, 3, 1, 2, 2)
            self.fc = L.Linear(None, n_class)

    def __call__(self, x):
        h = F.max_pooling_2d(self.conv1(x), 3, stride=1, pad=1)
        h = self.mixed(self.stage2(self.stage1(h)))
        h = F.average_pooling_2d(h, h.shape[2:])
        return self.fc(F.dropout(F.reshape(h, (len(x), -1)), 0.2))


class TestModeEvaluator(extensions.Evaluator):

    def evaluate(self):
        model = self.get_target('main')
        model.train = False
        with chainer.using_config('train', False):
            result = super(TestModeEvaluator, self).evaluate()
        model.train = True
        return result


def main(arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument('--gpu', '-g', type=int, default=-1)
    parser.add_argument('--resume', '-r')
    parser.add_argument('--out', '-o', default='result')
    parser.add_argument('--epoch', '-E', type=int, default=2)
    args = parser.parse_args(arguments)

    np.random.seed(0)
    rng = np.random.RandomState(0)
    t = rng.randint(0, 3, 32).astype(np.int32)
    x = rng.randn(32, 3, 8, 8).astype(np.float32)
    x[np.arange(32), t] += 1
    train = chainer.datasets.TupleDataset(x[:24], t[:24])
    test = chainer.datasets.TupleDataset(x[24:], t[24:])

    model = L.Classifier(ResNet())
    if args.gpu >= 0:
        chainer.backends.cuda.get_device_from_id(args.gpu).use()
        model.to_gpu()
    optimizer = chainer.optimizers.MomentumSGD(lr=0.02)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(5e-4))
    train_iter = chainer.iterators.SerialIterator(train, 8)
    test_iter = chainer.iterators.SerialIterator(test, 4, repeat=False, shuffle=False)
    updater = training.updaters.StandardUpdater(train_iter, optimizer, device=args.gpu)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), args.out)
    trainer.extend(TestModeEvaluator(test_iter, model, device=args.gpu))
    trainer.extend(extensions.ExponentialShift('lr', 0.5), trigger=(1, 'epoch'))
    trainer.extend(extensions.snapshot_object(model, 'best'), trigger=triggers.MaxValueTrigger('validation/main/accuracy'))
    trainer.extend(extensions.snapshot(filename='snapshot_epoch_{.updater.epoch}'), trigger=(1, 'epoch'))
    trainer.extend(extensions.LogReport(trigger=(1, 'iteration')))
    trainer.extend(extensions.observe_lr(), trigger=(1, 'iteration'))
    trainer.extend(extensions.PrintReport(['epoch', 'iteration', 'main/loss', 'lr']), trigger=(2, 'iteration'))
    if args.resume:
        chainer.serializers.load_npz(args.resume, trainer)
    trainer.run()
    with open(os.path.join(args.out, 'log')) as f:
        for entry in json.load(f):
            print('loss', entry['main/loss'], entry['lr'], entry.get('validation/main/loss'))
    print(sorted(os.listdir(args.out)))


if __name__ == '__main__':
    out = tempfile.mkdtemp()
    main(['--out', out])
    main(['--out', out, '--resume', os.path.join(out, 'snapshot_epoch_1'), '-E', '3'])
