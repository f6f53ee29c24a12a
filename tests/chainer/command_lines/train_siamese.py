#!/usr/bin/env python
"""Pairs that are alike by two towers that share weights: a copied chain, contrastive loss, a profile of the layers.

    $ train_siamese.py --gpu -1 --epoch 2
    $ train_siamese.py --epoch 1 --tied --out second
"""
import argparse

import numpy as np

import chainer
import chainer.functions as F
from chainer.functions.connection.convolution_2d import Convolution2DFunction
import chainer.links as L
from chainer import computational_graph
from chainer import cuda
from chainer import training
from chainer.training import extensions


class Tower(chainer.Chain):

    def __init__(self):
        super(Tower, self).__init__(
            conv=L.Convolution2D(None, 4, 3, stride=2, pad=1),
            fc=L.Linear(None, 5),
        )

    def __call__(self, x):
        return self.fc(F.leaky_relu(self.conv(x), slope=np.float64(0.1)))


class Siamese(chainer.Chain):

    def __init__(self, tied):
        super(Siamese, self).__init__()
        with self.init_scope():
            self.left = Tower()
            self.right = self.left if tied else self.left.copy(mode='share')

    def __call__(self, x0, x1, t):
        y0, y1 = self.left(x0), self.right(x1)
        loss = F.contrastive(y0, y1, t, margin=np.float64(1.0))
        chainer.report({'loss': loss}, self)
        return loss


def pairs(n, seed):
    rng = np.random.RandomState(seed)
    x0 = rng.rand(n, 1, 6, 6).astype('f')
    t = rng.randint(0, 2, n).astype('i')
    x1 = np.where(t[:, None, None, None] == 1, x0 + 0.05 * rng.rand(n, 1, 6, 6), rng.rand(n, 1, 6, 6)).astype('f')
    return chainer.datasets.TupleDataset(x0, x1, t)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--gpu', '-g', default=-1, type=int)
    parser.add_argument('--epoch', '-e', default=5, type=int)
    parser.add_argument('--tied', action='store_true')
    parser.add_argument('--out', '-o', default='result')
    args = parser.parse_args()
    np.random.seed(0)
    model = Siamese(args.tied)
    if args.gpu >= 0:
        cuda.get_device(args.gpu).use()
        model.to_gpu()
    optimizer = chainer.optimizers.MomentumSGD(lr=0.05)
    optimizer.setup(model)
    train_iter = chainer.iterators.SerialIterator(pairs(40, 0), 10)
    updater = training.StandardUpdater(train_iter, optimizer, device=args.gpu)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
    trainer.extend(extensions.LogReport(trigger=(2, 'iteration')))
    trainer.extend(extensions.PrintReport(['iteration', 'main/loss']), trigger=(2, 'iteration'))
    trainer.extend(extensions.snapshot_object(model, 'model_{.updater.epoch}'), trigger=(1, 'epoch'))
    trainer.run()
    print('shared', model.left.conv.W.array is model.right.conv.W.array)

    x = chainer.Variable(np.ones((1, 1, 6, 6), 'f'))
    graph = computational_graph.build_computational_graph([model.left(x)])
    for node in graph.nodes:
        if isinstance(node, Convolution2DFunction):
            image, kernel = node.inputs[:2]
            print(node.label, image.shape, kernel.shape, (node.sy, node.sx), (node.ph, node.pw), node.groups)


if __name__ == '__main__':
    main()
