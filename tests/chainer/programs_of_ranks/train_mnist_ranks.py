#!/usr/bin/env python
"""Digits by two ranks with the options of published programs: Trainer, multi-node evaluator, reports of rank 0, a resumed run.

    $ train_mnist_ranks.py --communicator naive --epoch 2 --batchsize 20
    $ train_mnist_ranks.py --communicator naive --epoch 4 --batchsize 20 --resume result/snapshot_iter_6
    $ train_mnist_ranks.py --communicator flat --device -1 --epoch 9 --batchsize 20 --out second --stop early
"""
from __future__ import print_function

import argparse
import os

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training
from chainer.training import extensions
import chainermn
from mpi4py import MPI
import numpy as np


class MLP(chainer.Chain):

    def __init__(self, n_units, n_out):
        super(MLP, self).__init__(
            l1=L.Linear(784 // 16, n_units),
            l2=L.Linear(n_units, n_units),
            l3=L.Linear(n_units, n_out))

    def __call__(self, x):
        h1 = F.relu(self.l1(x))
        h2 = F.relu(self.l2(h1))
        return self.l3(h2)


def get_mnist(n_train, n_test):
    rng = np.random.RandomState(0)
    prototypes = rng.uniform(size=(10, 49)).astype(np.float32)
    sets = []
    for n in (n_train, n_test):
        t = rng.randint(0, 10, n).astype(np.int32)
        x = prototypes[t] + .3 * rng.normal(size=(n, 49)).astype(np.float32)
        sets.append(chainer.datasets.TupleDataset(x, t))
    return sets


def main():
    parser = argparse.ArgumentParser(description='ChainerMN: MNIST')
    parser.add_argument('--batchsize', '-b', type=int, default=100)
    parser.add_argument('--communicator', type=str, default='pure_nccl')
    parser.add_argument('--epoch', '-e', type=int, default=20)
    parser.add_argument('--gpu', '-g', action='store_true')
    parser.add_argument('--device', type=str, default='-1')
    parser.add_argument('--out', '-o', default='result')
    parser.add_argument('--resume', '-r', default='')
    parser.add_argument('--unit', '-u', type=int, default=16)
    parser.add_argument('--stop', default='epoch')
    args = parser.parse_args()

    if args.gpu:
        comm = chainermn.create_communicator('pure_nccl')
        device = comm.intra_rank
    else:
        if args.communicator != 'naive' and MPI.COMM_WORLD.Get_rank() == 0:
            print('Warning: only naive communicator supports CPU-only execution')
        comm = chainermn.create_communicator('naive')
        device = chainer.get_device(args.device)
        device.use()
    np.random.seed(comm.rank + 1)

    if comm.mpi_comm.rank == 0:
        print('==========================================')
        print('Num process (COMM_WORLD): {}'.format(MPI.COMM_WORLD.Get_size()))
        print('Using {} communicator'.format(args.communicator))
        print('Num unit: {}'.format(args.unit))
        print('Num Minibatch-size: {}'.format(args.batchsize))
        print('Num epoch: {}'.format(args.epoch))
        print('==========================================')

    model = L.Classifier(MLP(args.unit, 10))
    if device != -1 and args.gpu:
        model.to_gpu()
    else:
        model.to_device(device)

    optimizer = chainermn.create_multi_node_optimizer(chainer.optimizers.Adam(alpha=.01), comm)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer.WeightDecay(0.0001))
    optimizer.add_hook(chainer.optimizer.GradientClipping(5.))

    if comm.rank == 0:
        train, test = get_mnist(201, 61)
    else:
        train, test = None, None
    train = chainermn.scatter_dataset(train, comm, shuffle=True, seed=3)
    test = chainermn.scatter_dataset(test, comm, shuffle=True, seed=4)

    train_iter = chainer.iterators.SerialIterator(train, args.batchsize)
    test_iter = chainer.iterators.SerialIterator(test, args.batchsize, repeat=False, shuffle=False)

    stop_trigger = (args.epoch, 'epoch')
    if args.stop == 'early':
        stop_trigger = chainermn.extensions.MultiNodeEarlyStoppingTrigger(
            comm, monitor='validation/main/accuracy', patients=1, check_trigger=(1, 'epoch'),
            max_trigger=(args.epoch, 'epoch'))
    updater = training.StandardUpdater(train_iter, optimizer, device=device)
    trainer = training.Trainer(updater, stop_trigger, out=args.out)

    evaluator = extensions.Evaluator(test_iter, model, device=device)
    evaluator = chainermn.create_multi_node_evaluator(evaluator, comm)
    trainer.extend(evaluator)
    trainer.extend(extensions.ExponentialShift('alpha', .9), trigger=(1, 'epoch'))

    if comm.rank == 0:
        trainer.extend(extensions.observe_lr())
        trainer.extend(extensions.dump_graph('main/loss'))
        trainer.extend(extensions.snapshot(), trigger=(1, 'epoch'))
        trainer.extend(extensions.snapshot_object(model, 'model_{.updater.epoch}.npz'), trigger=(2, 'epoch'))
        trainer.extend(extensions.LogReport())
        trainer.extend(extensions.PrintReport(
            ['epoch', 'main/loss', 'validation/main/loss', 'main/accuracy', 'validation/main/accuracy', 'lr',
             'elapsed_time']))
        trainer.extend(extensions.ProgressBar())

    if args.resume:
        chainer.serializers.load_npz(args.resume, trainer)

    trainer.run()

    weights = comm.gather_obj([float(abs(p.array).sum()) for _, p in sorted(model.namedparams())])
    losses = comm.gather_obj(sorted((k, float(getattr(v, 'array', v))) for k, v in trainer.observation.items()))
    if comm.rank == 0:
        print('iterations', updater.iteration, 'epoch', updater.epoch, 'at', updater.epoch_detail)
        for rank, (of_rank, observed) in enumerate(zip(weights, losses)):
            print('rank', rank, *of_rank)
            for entry in observed:
                print('rank', rank, *entry)
        print(sorted(os.listdir(args.out)))


if __name__ == '__main__':
    main()
