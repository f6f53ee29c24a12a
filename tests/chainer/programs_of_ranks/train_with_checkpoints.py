#!/usr/bin/env python
"""A run of two ranks that is ended before its time, and goes on from its checkpoints; another without a Trainer.

    $ train_with_checkpoints.py --communicator naive --epoch 4 --end-after 7 --out out
    $ train_with_checkpoints.py --communicator naive --epoch 4 --out out
    $ train_with_checkpoints.py --custom --iterations 4
    $ train_with_checkpoints.py --custom --iterations 7
"""
import argparse
import os
import sys

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training
from chainer.training import extensions
import chainermn
from mpi4py import MPI
import numpy as np


class Net(chainer.Chain):

    def __init__(self):
        super(Net, self).__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(1, 4, ksize=3)
            self.bn = L.BatchNormalization(4)
            self.fc = L.Linear(None, 3)

    def forward(self, x):
        h = F.max_pooling_2d(F.relu(self.bn(self.conv(x))), 2)
        return self.fc(F.dropout(h, .2))


def data():
    rng = np.random.RandomState(7)
    t = rng.randint(0, 3, 60).astype(np.int32)
    x = rng.normal(size=(60, 1, 6, 6)).astype(np.float32)
    x[np.arange(60), 0, t] += 1
    return chainer.datasets.TupleDataset(x, t)


class EndAfter(training.Extension):
    """What the time limit of a batch system does."""

    trigger = 1, 'iteration'
    priority = -1000

    def __init__(self, iteration):
        self.iteration = iteration

    def __call__(self, trainer):
        if trainer.updater.iteration == self.iteration:
            print_in_order(chainermn.create_communicator('naive'), 'ended after', self.iteration)
            MPI.Finalize()
            os._exit(0)


def print_in_order(comm, *what):
    for rank, words in enumerate(comm.gather_obj(what) or []):
        print('rank', rank, *words)
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--batchsize', type=int, default=10)
    parser.add_argument('--communicator', default='naive')
    parser.add_argument('--epoch', type=int, default=3)
    parser.add_argument('--end-after', type=int, default=0)
    parser.add_argument('--iterations', type=int, default=4)
    parser.add_argument('--custom', action='store_true')
    parser.add_argument('--out', default='result')
    args = parser.parse_args()
    comm = chainermn.create_communicator(args.communicator)
    np.random.seed(comm.rank)

    model = L.Classifier(Net())
    optimizer = chainermn.create_multi_node_optimizer(chainer.optimizers.MomentumSGD(lr=.05), comm)
    optimizer.setup(model)
    train = chainermn.scatter_dataset(data() if comm.rank == 0 else None, comm, shuffle=True, seed=0)
    train_iter = chainer.iterators.SerialIterator(train, args.batchsize)
    updater = training.StandardUpdater(train_iter, optimizer)

    if args.custom:
        checkpointer = chainermn.create_multi_node_checkpointer(
            name='custom', comm=comm, path=args.out)
        checkpointer.maybe_load(updater, optimizer)
        print_in_order(comm, 'begins with', updater.iteration)
        while updater.iteration < args.iterations:
            updater.update()
            checkpointer.save(updater, updater.iteration)
        stats = checkpointer.get_stats()
        print_in_order(comm, 'ends with', updater.iteration, train_iter.epoch, isinstance(stats, str))
    else:
        trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
        trainer.extend(extensions.LinearShift('lr', (.05, .01), (2, 10)))
        if comm.rank == 0:
            trainer.extend(extensions.LogReport(trigger=(3, 'iteration')))
            trainer.extend(extensions.PrintReport(['iteration', 'main/loss', 'main/accuracy']),
                           trigger=(3, 'iteration'))
        # After the reports: ChainerMN forgets this iteration's otherwise.
        checkpointer = chainermn.create_multi_node_checkpointer(name='mnist-example', comm=comm)
        trainer.extend(checkpointer, trigger=(2, 'iteration'))
        if args.end_after:
            trainer.extend(EndAfter(args.end_after))
        checkpointer.maybe_load(trainer, optimizer)
        print_in_order(comm, 'begins with', trainer.updater.iteration, optimizer.t, optimizer.lr)
        trainer.run()
    print_in_order(comm, *[float(p.array.sum()) for _, p in sorted(model.namedparams())])
    print_in_order(comm, *model.predictor.bn.avg_mean.tolist())


if __name__ == '__main__':
    main()
