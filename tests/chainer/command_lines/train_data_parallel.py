#!/usr/bin/env python
"""Digits by ParallelUpdater over named devices, with options for two GPUs as programs have them.

    $ train_data_parallel.py --device0 -1 --device1 -1 -e 2
    $ train_data_parallel.py -e 1 --out second -b 40
"""
import argparse

import numpy as np

import chainer
import chainer.links as L
from chainer import training
from chainer.training import extensions

from train_mnist import MLP, digits


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--batchsize', '-b', type=int, default=20)
    parser.add_argument('--epoch', '-e', type=int, default=20)
    parser.add_argument('--out', '-o', default='result')
    parser.add_argument('--resume', '-r', default='')
    parser.add_argument('--unit', '-u', type=int, default=16)
    parser.add_argument('--device0', '-d', type=str, default='-1')
    parser.add_argument('--device1', '-D', type=str, default='-1')
    args = parser.parse_args()
    np.random.seed(0)
    device0 = chainer.get_device(args.device0)
    device1 = chainer.get_device(args.device1)
    print('Devices: {}, {}'.format(device0, device1))
    device0.use()
    predictor = MLP(args.unit, 10)
    predictor(np.zeros((1, 64), np.float32))
    model = L.Classifier(predictor)
    optimizer = chainer.optimizers.Adam()
    optimizer.setup(model)
    train_iter = chainer.iterators.SerialIterator(digits(200, 0), args.batchsize)
    test_iter = chainer.iterators.SerialIterator(digits(60, 1), args.batchsize, repeat=False, shuffle=False)
    updater = training.updaters.ParallelUpdater(
        train_iter, optimizer, devices={'main': device0, 'second': device1})
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
    trainer.extend(extensions.Evaluator(test_iter, model, device=device0))
    trainer.extend(extensions.DumpGraph('main/loss'))
    trainer.extend(extensions.snapshot(), trigger=(args.epoch, 'epoch'))
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PrintReport(
        ['epoch', 'main/loss', 'validation/main/loss', 'main/accuracy', 'validation/main/accuracy', 'elapsed_time']))
    trainer.extend(extensions.ProgressBar())
    if args.resume:
        chainer.serializers.load_npz(args.resume, trainer)
    trainer.run()


if __name__ == '__main__':
    main()
