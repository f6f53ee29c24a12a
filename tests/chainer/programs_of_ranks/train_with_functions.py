#!/usr/bin/env python
"""Batch normalization over two ranks, and their communication inside of a graph: forward and backward.

    $ train_with_functions.py --communicator naive --epoch 2
    $ train_with_functions.py --communicator naive --functions
"""
import argparse

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training
from chainer.training import extensions
import chainermn
import chainermn.functions as MF
from chainermn.links import MultiNodeBatchNormalization
import numpy as np


class Block(chainer.Chain):

    def __init__(self, comm, n_in, n_out, stride=1):
        super(Block, self).__init__()
        w = chainer.initializers.HeNormal()
        with self.init_scope():
            self.conv = L.Convolution2D(n_in, n_out, 3, stride, 1, initialW=w, nobias=True)
            self.bn = MultiNodeBatchNormalization(n_out, comm)

    def __call__(self, x):
        return F.relu(self.bn(self.conv(x)))


class Net(chainer.Chain):

    def __init__(self, comm):
        super(Net, self).__init__()
        with self.init_scope():
            self.b1 = Block(comm, 1, 3)
            self.b2 = Block(comm, 3, 4, 2)
            self.fc = L.Linear(None, 3)
            self.bn = MultiNodeBatchNormalization(3, comm, decay=.8, eps=1e-4, use_beta=False)

    def __call__(self, x):
        return self.bn(self.fc(F.average(self.b2(self.b1(x)), axis=(2, 3))))


def show(comm, what, value):
    for rank, found in enumerate(comm.gather_obj(value) or []):
        print(what, 'rank', rank, found)


def data(n, seed):
    rng = np.random.RandomState(seed)
    t = rng.randint(0, 3, n).astype(np.int32)
    x = rng.normal(size=(n, 1, 6, 6)).astype(np.float32)
    x[np.arange(n), 0, :, t] += 1.5
    return chainer.datasets.TupleDataset(x, t)


def train(comm, args):
    model = L.Classifier(Net(comm))
    optimizer = chainermn.create_multi_node_optimizer(
        chainer.optimizers.MomentumSGD(lr=.1, momentum=.9), comm, double_buffering=False)
    optimizer.setup(model)
    for param in model.params():
        if param.name not in ('beta', 'gamma'):
            param.update_rule.add_hook(chainer.optimizer_hooks.WeightDecay(1e-3))
    train, test = (data(50, 1), data(21, 2)) if comm.rank == 0 else (None, None)
    train = chainermn.scatter_dataset(train, comm, shuffle=True, seed=0)
    test = chainermn.scatter_dataset(test, comm)
    iterator = chainer.iterators.SerialIterator(train, args.batchsize)
    test_iterator = chainer.iterators.SerialIterator(test, args.batchsize, repeat=False, shuffle=False)
    updater = training.updaters.StandardUpdater(iterator, optimizer)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), args.out)
    trainer.extend(extensions.ExponentialShift('lr', .5), trigger=(1, 'epoch'))
    trainer.extend(chainermn.create_multi_node_evaluator(extensions.Evaluator(test_iterator, model), comm))
    trainer.extend(chainermn.extensions.AllreducePersistent(model, comm), trigger=(1, 'epoch'))
    log_interval = 1, 'epoch'
    if comm.rank == 0:
        trainer.extend(extensions.LogReport(trigger=log_interval))
        trainer.extend(extensions.observe_lr(), trigger=log_interval)
        trainer.extend(extensions.PrintReport(
            ['epoch', 'main/loss', 'validation/main/loss', 'main/accuracy', 'validation/main/accuracy', 'lr']),
            trigger=log_interval)
    trainer.run()
    for name, link in sorted(model.namedlinks()):
        if isinstance(link, MultiNodeBatchNormalization):
            show(comm, name, (link.avg_mean.tolist(), link.avg_var.tolist(), int(link.N)))
    for name, param in sorted(model.namedparams()):
        show(comm, name, (float(abs(param.array).sum()), float(param.grad.sum())))
    chainer.serializers.save_npz('model_of_rank{}.npz'.format(comm.rank), model)
    with np.load('model_of_rank{}.npz'.format(comm.rank)) as f:
        show(comm, 'saved', sorted((key, f[key].dtype.name, f[key].shape) for key in f.files))
    bn = MultiNodeBatchNormalization(2, comm)
    bn(np.arange(12, dtype=np.float32).reshape(6, 2) * (comm.rank + 1))
    show(comm, 'one step', (bn.avg_mean.tolist(), bn.avg_var.tolist(), bn.gamma.shape, bn.beta.array.tolist()))
    copied = chainermn.links.create_mnbn_model(chainer.Sequential(L.BatchNormalization(4), F.relu), comm)
    show(comm, 'converted', type(copied[0]).__name__)


def functions(comm):
    other = 1 - comm.rank
    x = chainer.Variable((np.arange(6).reshape(2, 3) + comm.rank).astype(np.float32))
    w = chainer.Parameter(np.ones((2, 3), np.float32) * (comm.rank + 1))

    def after(what, loss):
        x.cleargrad()
        w.cleargrad()
        loss.backward()
        show(comm, what, (float(loss.array) if loss.array.size == 1 else loss.shape,
                          None if x.grad is None else x.grad.tolist(), None if w.grad is None else w.grad.tolist()))

    h = F.tanh(x * .3) * w
    ys = MF.allgather(comm, h)
    show(comm, 'allgather', [type(ys).__name__] + [y.array.tolist() for y in ys])
    after('allgather', F.sum(F.concat(ys, axis=0) ** 2) * (comm.rank + 1))

    ys = MF.alltoall(comm, (x * w, x + w))
    show(comm, 'alltoall', [type(ys).__name__] + [y.array.tolist() for y in ys])
    after('alltoall', F.sum(ys[0] * ys[1]))

    y = MF.bcast(comm, x * w if comm.rank == 1 else None, root=1)
    show(comm, 'bcast', y.array.tolist())
    after('bcast', F.sum(y ** 2) * (comm.rank + 1))

    ys = MF.gather(comm, x * w, root=1)
    after('gather', F.sum(ys[0] * ys[1]) if comm.rank == 1 else ys)

    y = MF.scatter(comm, (x * w, x - w) if comm.rank == 0 else None, root=0)
    show(comm, 'scatter', y.array.tolist())
    after('scatter', F.sum(y ** 3))

    if comm.rank == 0:
        phi = MF.send(x * w, comm, rank=other)
        show(comm, 'phi', (phi.shape, phi.dtype.name, phi.requires_grad))
        y = MF.recv(comm, rank=other, delegate_variable=phi)
        after('send, recv', F.sum(y))
    else:
        y = MF.recv(comm, rank=other)
        show(comm, 'phi', (y.shape, y.dtype.name, y.requires_grad))
        phi = MF.send(y * x, comm, rank=other)
        after('send, recv', phi)

    if comm.rank == 0:
        phi = MF.send((x, w), comm, other, tag=4)
        z, = MF.pseudo_connect(phi, F.sum(x))
        after('pseudo_connect', z)
    else:
        a, b = MF.recv(comm, other, tag=4)
        after('pseudo_connect', F.sum(a * b + x * w))

    if comm.rank == 0:
        after('raw', MF.send(x * w, comm, other))
    else:
        y = MF.recv(comm, other, force_tuple=True)
        after('raw', F.sum(y[0] ** 2))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--batchsize', '-B', type=int, default=5)
    parser.add_argument('--communicator', default='hierarchical')
    parser.add_argument('--epoch', '-E', type=int, default=2)
    parser.add_argument('--functions', action='store_true')
    parser.add_argument('--out', '-o', default='result')
    args = parser.parse_args()
    comm = chainermn.create_communicator(communicator_name=args.communicator)
    np.random.seed(comm.rank)
    if args.functions:
        functions(comm)
    else:
        train(comm, args)


if __name__ == '__main__':
    main()
