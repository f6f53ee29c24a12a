#!/usr/bin/env python
"""Models of which two ranks hold parts: an MLP, a branching one, an encoder and a decoder of sequences.

    $ train_model_parallel.py --communicator naive --gpu -1 --epoch 2
    $ train_model_parallel.py --communicator naive --model branch --batchsize 8
    $ train_model_parallel.py --communicator naive --model seq2seq
    $ train_model_parallel.py --communicator naive --model hybrid
"""
import argparse

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training
from chainer.training import extensions
import chainermn
import chainermn.datasets
import chainermn.functions
import numpy as np


class MLP0SubA(chainer.Chain):

    def __init__(self, comm, n_out):
        super(MLP0SubA, self).__init__(l1=L.Linear(12, n_out))

    def __call__(self, x):
        return F.relu(self.l1(x))


class MLP0SubB(chainer.Chain):

    def __init__(self, comm):
        super(MLP0SubB, self).__init__()

    def __call__(self, y):
        return y


class MLP0(chainermn.MultiNodeChainList):

    def __init__(self, comm, n_out):
        super(MLP0, self).__init__(comm=comm)
        self.add_link(MLP0SubA(comm, n_out), rank_in=None, rank_out=1)
        self.add_link(MLP0SubB(comm), rank_in=1, rank_out=None)


class MLP1Sub(chainer.Chain):

    def __init__(self, n_units, n_out):
        super(MLP1Sub, self).__init__(l2=L.Linear(None, n_units), l3=L.Linear(None, n_out))

    def __call__(self, h0):
        return self.l3(F.relu(self.l2(h0)))


class MLP1(chainermn.MultiNodeChainList):

    def __init__(self, comm, n_units, n_out):
        super(MLP1, self).__init__(comm=comm)
        self.add_link(MLP1Sub(n_units, n_out), rank_in=0, rank_out=0)


class Two(chainer.Chain):

    def __init__(self):
        super(Two, self).__init__()
        with self.init_scope():
            self.a = L.Linear(8, 4)
            self.b = L.Linear(8, 4)

    def forward(self, x, y=None):
        return self.a(x) if y is None else self.a(x) * F.sigmoid(self.b(y))


class Branch0(chainermn.MultiNodeChainList):
    """Sends what it makes to itself and to the other, and joins both answers."""

    def __init__(self, comm):
        super(Branch0, self).__init__(comm=comm)
        self.add_link(L.Linear(12, 8), rank_in=None, rank_out=[0, 1])
        self.add_link(L.Linear(8, 8), rank_in=0, rank_out=0)
        self.add_link(Two(), rank_in=[0, 1], rank_out=None)


class Branch1(chainermn.MultiNodeChainList):

    def __init__(self, comm):
        super(Branch1, self).__init__(comm=comm)
        self.add_link(L.Linear(8, 8), rank_in=0, rank_out=0)


class Encoder(chainer.Chain):

    def __init__(self, comm):
        super(Encoder, self).__init__()
        with self.init_scope():
            self.embed = L.EmbedID(9, 5)
            self.rnn = chainermn.links.create_multi_node_n_step_rnn(
                L.NStepLSTM(2, 5, 6, 0.), comm, rank_in=None, rank_out=1)

    def __call__(self, *pairs):
        xs = [self.embed(x[::-1]) for x, _ in zip(pairs[::2], pairs[1::2])]
        _, _, _, delegate = self.rnn(xs)
        return delegate


class Decoder(chainer.Chain):

    def __init__(self, comm):
        super(Decoder, self).__init__()
        with self.init_scope():
            self.embed = L.EmbedID(9, 5)
            self.rnn = chainermn.links.create_multi_node_n_step_rnn(
                L.NStepLSTM(2, 5, 6, 0.), comm, rank_in=0, rank_out=None)
            self.out = L.Linear(6, 9)

    def __call__(self, *pairs):
        ys = pairs[1::2]
        eos = np.zeros(1, np.int32)
        _, _, os, _ = self.rnn([self.embed(np.concatenate([eos, y])) for y in ys])
        loss = F.softmax_cross_entropy(
            self.out(F.concat(os, axis=0)), np.concatenate([np.concatenate([y, eos]) for y in ys]))
        chainer.report({'loss': loss, 'perp': self.xp.exp(loss.array)}, self)
        return loss


def convert(batch, device):
    return tuple(chainer.dataset.to_device(device, array) for pair in batch for array in pair)


def sentences(n):
    rng = np.random.RandomState(2)
    pairs = []
    for _ in range(n):
        x = rng.randint(1, 9, rng.randint(2, 6)).astype(np.int32)
        pairs.append((x, x[::-1].copy()))
    return pairs


def vectors(n):
    rng = np.random.RandomState(1)
    t = rng.randint(0, 4, n).astype(np.int32)
    x = rng.normal(size=(n, 12)).astype(np.float32)
    x[np.arange(n), t] += 2
    return chainer.datasets.TupleDataset(x, t)


def print_parts(comm, model):
    found = comm.gather_obj([
        (name, p.shape, float(abs(p.array).sum()), None if p.grad is None else float(abs(p.grad).sum()))
        for name, p in sorted(model.namedparams())])
    for rank, entries in enumerate(found or []):
        for entry in entries:
            print('rank', rank, *entry)


def train_sequences(comm, args):
    pairs = chainermn.scatter_dataset(sentences(24), comm.split(comm.rank, 0))
    iterator = chainermn.iterators.create_synchronized_iterator(
        chainer.iterators.SerialIterator(pairs, args.batchsize, shuffle=True), comm)
    model = Encoder(comm) if comm.rank == 0 else Decoder(comm)
    optimizer = chainer.optimizers.Adam(.02)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(3.))
    updater = training.StandardUpdater(iterator, optimizer, converter=convert, device=-1)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
    if comm.rank == 1:
        trainer.extend(extensions.LogReport(trigger=(3, 'iteration')))
        trainer.extend(extensions.PrintReport(['epoch', 'iteration', 'main/loss', 'main/perp']),
                       trigger=(3, 'iteration'))
    trainer.run()
    print_parts(comm, model)


def train_hybrid(comm, args):
    """As by hand: model parallel inside of a pair, with a communicator for the data-parallel ones."""
    model_comm = comm.split(comm.rank // 2, comm.rank)
    data_comm = comm.split(comm.rank % 2, comm.rank)
    mine = L.Linear(12, 6) if model_comm.rank == 0 else L.Linear(6, 4)
    optimizer = chainermn.create_multi_node_optimizer(chainer.optimizers.SGD(.1), data_comm)
    optimizer.setup(mine)
    data = vectors(32)
    losses = []
    for i in range(0, 32, 8):
        x, t = chainer.dataset.concat_examples(data[i:i + 8])
        mine.cleargrads()
        if model_comm.rank == 0:
            phi = chainermn.functions.send(F.tanh(mine(x)), model_comm, rank=1)
            phi.backward()
        else:
            h = chainermn.functions.recv(model_comm, rank=0)
            loss = F.softmax_cross_entropy(mine(h), t)
            loss.backward()
            losses.append(float(loss.array))
        optimizer.update()
    print_parts(comm, mine)
    found = comm.gather_obj((data_comm.size, losses))
    if comm.rank == 0:
        print(found)


def train_parts(comm, args):
    if args.model == 'mlp':
        model = L.Classifier(MLP0(comm, 10)) if comm.rank == 0 else MLP1(comm, 10, 4)
    else:
        model = L.Classifier(Branch0(comm)) if comm.rank == 0 else Branch1(comm)
    optimizer = chainer.optimizers.Adam(.02)
    optimizer.setup(model)
    if comm.rank == 0:
        train, test = vectors(40), vectors(20)
    else:
        train, test = vectors(40), vectors(20)
        train = chainermn.datasets.create_empty_dataset(train)
        test = chainermn.datasets.create_empty_dataset(test)
    train_iter = chainer.iterators.SerialIterator(train, args.batchsize, shuffle=False)
    test_iter = chainer.iterators.SerialIterator(test, args.batchsize, repeat=False, shuffle=False)
    updater = training.StandardUpdater(train_iter, optimizer, device=-1)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
    trainer.extend(extensions.Evaluator(test_iter, model, device=-1))
    if comm.rank == 0:
        trainer.extend(extensions.LogReport())
        trainer.extend(extensions.PrintReport(
            ['epoch', 'main/loss', 'validation/main/loss', 'main/accuracy', 'validation/main/accuracy']))
    trainer.run()
    print_parts(comm, model)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--batchsize', '-b', type=int, default=10)
    parser.add_argument('--communicator', default='hierarchical')
    parser.add_argument('--epoch', '-e', type=int, default=2)
    parser.add_argument('--gpu', '-g', type=int, default=-1)
    parser.add_argument('--model', default='mlp')
    parser.add_argument('--out', '-o', default='result')
    args = parser.parse_args()
    comm = chainermn.create_communicator(args.communicator)
    if comm.size != 2:
        raise ValueError('This program can only be executed on exactly 2 processes.')
    np.random.seed(comm.rank)
    if comm.rank == 0:
        print('Using', args.communicator, 'for', args.model)
    {'seq2seq': train_sequences, 'hybrid': train_hybrid}.get(args.model, train_parts)(comm, args)


if __name__ == '__main__':
    main()
