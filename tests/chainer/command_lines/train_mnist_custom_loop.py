#!/usr/bin/env python
"""Digits by a loop of one's own: concat_examples on a device, resumed from the files of model and optimizer.

    $ train_mnist_custom_loop.py --device -1 -e 2
    $ train_mnist_custom_loop.py --gpu -1 -e 1 --resume result
"""
import argparse
import os

import numpy as np

import chainer
from chainer import configuration
from chainer.dataset import convert
import chainer.links as L
from chainer import serializers

from train_mnist import MLP, digits


def main():
    parser = argparse.ArgumentParser(description='Chainer example: MNIST')
    parser.add_argument('--batchsize', '-b', type=int, default=25)
    parser.add_argument('--epoch', '-e', type=int, default=20)
    parser.add_argument('--unit', '-u', type=int, default=16)
    parser.add_argument('--device', '-d', type=str, default='-1')
    parser.add_argument('--out', '-o', default='result')
    parser.add_argument('--resume', '-r', type=str)
    group = parser.add_argument_group('deprecated arguments')
    group.add_argument('--gpu', '-g', dest='device', type=int, nargs='?', const=0)
    args = parser.parse_args()

    np.random.seed(0)
    device = chainer.get_device(args.device)
    model = L.Classifier(MLP(args.unit, 10))
    optimizer = chainer.optimizers.Adam().setup(model)
    if args.resume is not None:
        serializers.load_npz(os.path.join(args.resume, 'mlp.model'), model)
        serializers.load_npz(os.path.join(args.resume, 'mlp.state'), optimizer)
        print('resumed after', optimizer.t)
    model.to_device(device)
    device.use()

    train, test = digits(200, 0), digits(60, 1)
    train_count, test_count = len(train), len(test)
    with chainer.iterators.SerialIterator(train, args.batchsize) as train_iter, \
            chainer.iterators.MultithreadIterator(
                test, args.batchsize, repeat=False, shuffle=False) as test_iter:
        sum_accuracy = 0
        sum_loss = 0
        while train_iter.epoch < args.epoch:
            batch = train_iter.next()
            x, t = convert.concat_examples(batch, device)
            optimizer.update(model, x, t)
            sum_loss += float(model.loss.array) * len(t)
            sum_accuracy += float(model.accuracy.array) * len(t)

            if train_iter.is_new_epoch:
                print('epoch: {}'.format(train_iter.epoch))
                print('train mean loss: {}, accuracy: {}'.format(sum_loss / train_count, sum_accuracy / train_count))
                sum_accuracy = 0
                sum_loss = 0
                with configuration.using_config('train', False):
                    with chainer.using_config('enable_backprop', False):
                        for batch in test_iter:
                            x, t = convert.concat_examples(batch, device)
                            loss = model(x, t)
                            sum_loss += float(loss.array) * len(t)
                            sum_accuracy += float(model.accuracy.array) * len(t)
                test_iter.reset()
                print('test mean  loss: {}, accuracy: {}'.format(sum_loss / test_count, sum_accuracy / test_count))
                sum_accuracy = 0
                sum_loss = 0

        if not os.path.exists(args.out):
            os.mkdir(args.out)
        serializers.save_npz('{}/mlp.model'.format(args.out), model)
        serializers.save_npz('{}/mlp.state'.format(args.out), optimizer)


if __name__ == '__main__':
    main()
