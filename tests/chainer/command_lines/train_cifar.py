#!/usr/bin/env python
"""Pictures in classes by blocks of convolutions: batch normalization, dropout, shifts of the learning rate, the best model kept.

    $ train_cifar.py --device -1 --epoch 3 --learnrate 0.05
    $ train_cifar.py --gpu -1 -e 4 -l 0.1 --early-stopping main/loss --out second
"""
import argparse

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training
from chainer.training import extensions
from chainer.training import triggers


class Block(chainer.Chain):

    def __init__(self, out_channels, ksize, pad=1):
        super(Block, self).__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(None, out_channels, ksize, pad=pad, nobias=True)
            self.bn = L.BatchNormalization(out_channels)

    def forward(self, x):
        h = self.conv(x)
        h = self.bn(h)
        return F.relu(h)


class VGG(chainer.Chain):

    def __init__(self, class_labels=10):
        super(VGG, self).__init__()
        with self.init_scope():
            self.block1_1 = Block(4, 3)
            self.block1_2 = Block(4, 3)
            self.block2_1 = Block(8, 3)
            self.fc1 = L.Linear(None, 16, nobias=True)
            self.bn_fc1 = L.BatchNormalization(16)
            self.fc2 = L.Linear(None, class_labels, nobias=True)

    def forward(self, x):
        h = self.block1_1(x)
        h = F.dropout(h, ratio=0.3)
        h = self.block1_2(h)
        h = F.max_pooling_2d(h, ksize=2, stride=2)
        h = self.block2_1(h)
        h = F.max_pooling_2d(h, ksize=2, stride=2)
        h = F.dropout(h, ratio=0.5)
        h = self.fc1(h)
        h = self.bn_fc1(h)
        h = F.relu(h)
        h = F.dropout(h, ratio=0.5)
        return self.fc2(h)


def images(n, seed, n_class):
    rng = np.random.RandomState(seed)
    label = rng.randint(0, n_class, n).astype(np.int32)
    image = rng.uniform(0, 1, (n, 3, 8, 8)).astype(np.float32)
    image[np.arange(n), label % 3] += 0.5
    return chainer.datasets.TupleDataset(image, label)


def main():
    parser = argparse.ArgumentParser(description='Chainer CIFAR example:')
    parser.add_argument('--dataset', default='cifar10', help='cifar10 or cifar100')
    parser.add_argument('--batchsize', '-b', type=int, default=16)
    parser.add_argument('--learnrate', '-l', type=float, default=0.05)
    parser.add_argument('--epoch', '-e', type=int, default=300)
    parser.add_argument('--device', '-d', type=str, default='-1')
    parser.add_argument('--out', '-o', default='result')
    parser.add_argument('--test', action='store_true')
    parser.add_argument('--resume', '-r', type=str)
    parser.add_argument('--early-stopping', type=str)
    group = parser.add_argument_group('deprecated arguments')
    group.add_argument('--gpu', '-g', dest='device', type=int, nargs='?', const=0)
    args = parser.parse_args()

    np.random.seed(0)
    device = chainer.get_device(args.device)
    device.use()
    class_labels = {'cifar10': 10, 'cifar100': 100}[args.dataset]
    train, test = images(64, 0, class_labels), images(32, 1, class_labels)
    model = L.Classifier(VGG(class_labels))
    model.to_device(device)
    optimizer = chainer.optimizers.MomentumSGD(args.learnrate)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(5e-4))
    train_iter = chainer.iterators.SerialIterator(train, args.batchsize)
    test_iter = chainer.iterators.SerialIterator(test, args.batchsize, repeat=False, shuffle=False)
    stop_trigger = (args.epoch, 'epoch')
    if args.early_stopping:
        stop_trigger = triggers.EarlyStoppingTrigger(
            monitor=args.early_stopping, verbose=True, max_trigger=(args.epoch, 'epoch'))
    updater = training.updaters.StandardUpdater(train_iter, optimizer, device=device)
    trainer = training.Trainer(updater, stop_trigger, out=args.out)
    trainer.extend(extensions.Evaluator(test_iter, model, device=device))
    trainer.extend(extensions.ExponentialShift('lr', 0.5), trigger=(2, 'epoch'))
    trainer.extend(extensions.DumpGraph('main/loss'))
    trainer.extend(extensions.snapshot(filename='snapshot_iter_{.updater.iteration}'), trigger=(3, 'epoch'))
    trainer.extend(
        extensions.snapshot_object(model, 'best_accuracy.npz'),
        trigger=triggers.MaxValueTrigger('validation/main/accuracy'))
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.observe_lr())
    trainer.extend(extensions.PrintReport(
        ['epoch', 'main/loss', 'validation/main/loss', 'main/accuracy', 'validation/main/accuracy', 'lr',
         'elapsed_time']))
    trainer.extend(extensions.ProgressBar())
    if args.resume is not None:
        chainer.serializers.load_npz(args.resume, trainer)
    trainer.run()


if __name__ == '__main__':
    main()
