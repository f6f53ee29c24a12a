#!/usr/bin/env python
"""What ranks see of each other's results: generic evaluators, aggregated observations, shared batches, snapshots of sets.

    $ train_with_extensions.py --communicator naive --epoch 2 --batchsize 8
    $ train_with_extensions.py --communicator naive --epoch 3 --batchsize 8
    $ train_with_extensions.py --communicator naive --epoch 2 --shared --out shared
"""
import argparse
import os

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training
from chainer.training import extensions
import chainermn
from chainermn.extensions import GenericMultiNodeEvaluator
import numpy as np


class Net(chainer.Chain):

    def __init__(self):
        super(Net, self).__init__()
        with self.init_scope():
            self.l1 = L.Linear(5, 8)
            self.l2 = L.Linear(8, 1)

    def forward(self, x, t):
        loss = F.mean_squared_error(self.predict(x), t)
        # What is aggregated is an array: ChainerMN needs ChainerX for a variable.
        chainer.report({'loss': loss.array, 'size': len(x)}, self)
        return loss

    def predict(self, x):
        return self.l2(F.relu(self.l1(x)))[:, 0]


def data(n, seed):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(n, 5)).astype(np.float32)
    return chainer.datasets.TupleDataset(x, (x[:, 0] - 2 * x[:, 3]).astype(np.float32))


class Errors(GenericMultiNodeEvaluator):
    """The median of errors, which is no mean of means: each batch gives what `kind` says."""

    def __init__(self, kind, *args, **kwargs):
        super(Errors, self).__init__(*args, **kwargs)
        self.kind = kind
        self.name = 'errors_' + kind

    def calc_local(self, x, t):
        y = self._targets['main'].predict(x)
        error = abs(y.array - t)
        return {
            'float': lambda: float(error.max()),
            'int': lambda: len(x),
            'bool': lambda: bool(error.max() > 1),
            'numpy': lambda: error.max(),
            'integer': lambda: np.int64(error.argmax()),
            'array': lambda: error,
            'zero': lambda: 0.0,
            'tuple': lambda: (float(error.max()), len(x)),
            'list': lambda: error.tolist(),
            'dict': lambda: {'sum': float(error.sum()), 'n': len(x)},
            'text': lambda: 'batch of %d' % len(x),
            'variable': lambda: F.max(y),
        }[self.kind]()

    def aggregate(self, results):
        if self.comm.rank == 0:  # what two ranks print has no order
            types = sorted({type(result).__name__ for result in results})
            print(self.kind, self.name, self.default_name, types, len(results))
            print([getattr(result, 'array', getattr(result, 'tolist', lambda: result)()) for result in results])
        if self.kind == 'tuple':
            value = sum(error * n for error, n in results) / sum(n for _, n in results)
        elif self.kind == 'dict':
            value = sum(r['sum'] for r in results) / sum(r['n'] for r in results)
        elif self.kind in ('float', 'int', 'bool', 'numpy', 'zero', 'integer'):
            value = sum(results) / len(results)
        else:
            value = len(results)
        chainer.reporter.report({'errors/' + self.kind: value})
        return value


def evaluators(comm, model, test):
    kinds = ['float', 'int', 'bool', 'numpy', 'integer', 'array', 'zero', 'tuple', 'list', 'dict', 'text', 'variable']
    for number, kind in enumerate(kinds):
        iterator = chainer.iterators.SerialIterator(test, 4, repeat=False, shuffle=False)
        yield Errors(kind, comm, iterator, model, root=number % 2 if kind == 'dict' else 0, device=-1)


def spread(collected):
    values = [float(getattr(value, 'array', value)) for of_rank in collected for value in of_rank]
    return max(values) - min(values)


def train(comm, args):
    model = Net()
    optimizer = chainermn.create_multi_node_optimizer(chainer.optimizers.Adam(.01), comm).setup(model)
    train, test = (data(48, 0), data(23, 1)) if comm.rank == 0 else (None, None)
    train = chainermn.scatter_dataset(train, comm, shuffle=True, seed=10)
    test = chainermn.scatter_dataset(test, comm, force_equal_length=False)
    print_in_order(comm, 'examples', len(train), len(test))
    iterator = chainer.iterators.SerialIterator(train, args.batchsize)
    updater = training.StandardUpdater(iterator, optimizer)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
    seen = []
    for evaluator in evaluators(comm, model, test):
        trainer.extend(evaluator, trigger=(1, 'epoch'))
    trainer.extend(lambda trainer: seen.append(float(trainer.observation['main/loss'])), name='seen')
    trainer.extend(chainermn.extensions.ObservationAggregator(comm, 'main/loss'), name='mean')
    if args.epoch == 2:
        trainer.extend(chainermn.extensions.ObservationAggregator(
            comm, 'main/size', 'sizes', comm_trigger=(2, 'iteration'), aggregator=lambda xs: [len(x) for x in xs]),
            name='sizes')
    trainer.extend(chainermn.extensions.ObservationAggregator(
        comm, 'main/loss', aggregated_key='spread', aggregator=spread), name='spread')
    if comm.rank == 0:
        trainer.extend(lambda trainer: print('sizes', trainer.observation.pop('sizes', None)), name='print_sizes',
                       trigger=(1, 'iteration'), priority=150)
        trainer.extend(extensions.LogReport())
        trainer.extend(extensions.PrintReport(['epoch', 'main/loss', 'spread', 'errors/float', 'errors/tuple']))
    snapshot = extensions.snapshot(n_retains=2, autoload=True)
    trainer.extend(chainermn.extensions.multi_node_snapshot(comm, snapshot, [0]), trigger=(1, 'epoch'))
    trainer.run()
    print_in_order(comm, 'seen', seen, updater.iteration, updater.epoch)
    print_in_order(comm, 'observed', sorted(
        (key, float(getattr(value, 'array', value))) for key, value in trainer.observation.items()
        if key != 'sizes'))
    print_in_order(comm, *[float(abs(p.array).sum()) for _, p in sorted(model.namedparams())])
    # Outside of a trainer, the caller gets what is made of all on the root.
    evaluator = GenericMultiNodeEvaluator(
        comm, chainer.iterators.SerialIterator(test, 4, repeat=False, shuffle=False),
        lambda x, t: float(F.sum(model.predict(x)).array), progress_hook=lambda batch: print('done', len(batch)))
    print_in_order(comm, 'default', evaluator(trainer), evaluator.trigger, evaluator.name, evaluator.default_name)
    print_in_order(comm, sorted(os.listdir(args.out)))


class Encoder(chainer.Chain):

    def __init__(self, comm):
        super(Encoder, self).__init__()
        with self.init_scope():
            ranks = {'rank_in': None, 'rank_out': 1} if comm.rank == 0 else {'rank_in': 0, 'rank_out': None}
            self.rnn = chainermn.links.create_multi_node_n_step_rnn(L.NStepGRU(1, 3, 4, .0), comm, **ranks)
            self.out = L.Linear(4, 1)
        self.comm = comm

    def forward(self, x, t):
        hy, ys, delegate = self.rnn([row.reshape(-1, 3) for row in self.xp.asarray(x)])
        if self.comm.rank == 0:
            return delegate
        loss = F.mean_squared_error(self.out(hy[0])[:, 0], t.astype(np.float32))
        chainer.report({'loss': loss}, self)
        return loss


def shared(comm, args):
    rng = np.random.RandomState(0)
    x = rng.normal(size=(10, 6)).astype(np.float32)
    pairs = [(row, np.int32(row.sum() > 0)) for row in x]
    print_in_order(comm, 'pairs')
    iterator = chainermn.iterators.create_multi_node_iterator(
        chainer.iterators.SerialIterator(pairs, 4, shuffle=True) if comm.rank == 0 else None, comm)
    model = Encoder(comm)
    optimizer = chainer.optimizers.Adam(.05).setup(model)
    updater = training.StandardUpdater(iterator, optimizer)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
    if comm.rank == 1:
        trainer.extend(extensions.LogReport())
        trainer.extend(extensions.PrintReport(['epoch', 'iteration', 'main/loss']))
    trainer.run()
    print_in_order(comm, updater.epoch, updater.iteration, iterator.current_position, iterator.is_new_epoch,
                   iterator.epoch_detail)
    print_in_order(comm, *[(n, p.grad is None or float(p.grad.sum())) for n, p in sorted(model.namedparams())])
    for name, dataset in (
            ('numbers', np.arange(5, dtype=np.float32)), ('rows', np.arange(10, dtype=np.float32).reshape(5, 2)),
            ('pairs', [(np.float32(i), np.int32(i)) for i in range(5)]),
            ('arrays', [(np.full((2,), i, np.float32), np.int32(i)) for i in range(5)])):
        for shuffle in (False, True):
            it = chainermn.iterators.create_multi_node_iterator(
                chainer.iterators.SerialIterator(dataset, 2, repeat=False, shuffle=shuffle), comm, rank_master=1)
            batches = list(it)
            print_in_order(comm, name, [
                [tuple(np.asarray(part).tolist() for part in each) if isinstance(each, tuple)
                 else np.asarray(each).tolist() for each in batch] for batch in batches],
                [type(part).__name__ for part in batches[0][0]] if isinstance(batches[0][0], tuple) else None)


def print_in_order(comm, *what):
    for rank, words in enumerate(comm.gather_obj(what) or []):
        print('rank', rank, *words)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--batchsize', '-b', type=int, default=8)
    parser.add_argument('--communicator', default='hierarchical')
    parser.add_argument('--epoch', '-e', type=int, default=2)
    parser.add_argument('--shared', action='store_true')
    parser.add_argument('--out', '-o', default='result')
    args = parser.parse_args()
    comm = chainermn.create_communicator(args.communicator)
    np.random.seed(comm.rank)
    (shared if args.shared else train)(comm, args)


if __name__ == '__main__':
    main()
