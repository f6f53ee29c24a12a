#!/usr/bin/env python
"""Graphs in classes by convolutions over neighbours: a converter that pads, an evaluator and a link hook of the program's.

    $ train_gcn.py --device -1 --epoch 2 --conv-layers 2
    $ train_gcn.py -g -1 -e 1 --unit-num 6 --out second
"""
import argparse

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import reporter
from chainer import training
from chainer.dataset.convert import _concat_arrays
from chainer.training import extensions


class GraphConvolution(chainer.Chain):

    def __init__(self, in_channels, out_channels):
        super(GraphConvolution, self).__init__()
        with self.init_scope():
            self.self_weight = L.Linear(in_channels, out_channels)
            self.edge_weight = L.Linear(in_channels, out_channels, nobias=True)
            self.bn = L.BatchNormalization(out_channels)

    def __call__(self, h, adj):
        mb, n, ch = h.shape
        hs = self.self_weight(h, n_batch_axes=2)
        hr = F.matmul(adj, self.edge_weight(h, n_batch_axes=2))
        y = F.reshape(self.bn(F.reshape(hs + hr, (mb * n, -1))), hs.shape)
        return F.relu(y)


class GCN(chainer.Chain):

    def __init__(self, n_type, unit, n_layers, n_class):
        super(GCN, self).__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_type, unit, ignore_label=0)
            self.gconvs = chainer.ChainList(*[GraphConvolution(unit, unit) for _ in range(n_layers)])
            self.mlp = chainer.Sequential(L.Linear(unit, unit), F.tanh, L.Linear(unit, n_class))

    def __call__(self, atoms, adj):
        mask = (atoms != 0).astype(np.float32)[:, :, None]
        h = self.embed(atoms)
        for conv in self.gconvs:
            h = conv(h, adj) * self.xp.broadcast_to(mask, h.shape)
        return self.mlp(F.sum(h, axis=1))


class CountCalls(chainer.LinkHook):

    name = 'CountCalls'

    def __init__(self):
        self.counts = {}

    def forward_preprocess(self, args):
        name = type(args.link).__name__
        self.counts[name] = self.counts.get(name, 0) + 1


class BalancedAccuracy(extensions.Evaluator):

    name = 'val'

    def evaluate(self):
        iterator = self._iterators['main']
        model = self._targets['main']
        iterator.reset()
        ys, ts = [], []
        for batch in iterator:
            atoms, adj, t = self.converter(batch, self.device)
            with chainer.no_backprop_mode(), chainer.using_config('train', False):
                ys.append(model.predictor(atoms, adj).array)
            ts.append(t)
        y, t = np.concatenate(ys).argmax(axis=1), np.concatenate(ts)
        observation = {}
        with reporter.report_scope(observation):
            recalls = [(y[t == c] == c).mean() for c in np.unique(t)]
            reporter.report({'balanced_accuracy': float(np.mean(recalls))}, model)
        return observation


@chainer.dataset.converter()
def concat_mols(batch, device=None):
    columns = list(zip(*batch))
    return tuple([device.send(_concat_arrays(list(c), 0)) for c in columns])


def graphs(n, seed):
    rng = np.random.RandomState(seed)
    made = []
    for _ in range(n):
        size = rng.randint(3, 7)
        adj = np.triu(rng.rand(size, size) < 0.4, 1).astype(np.float32)
        adj += adj.T
        label = np.array(int(adj.sum() > size), np.int32)
        made.append((rng.randint(1, 5, size).astype(np.int32), adj, label))
    return made


def main():
    parser = argparse.ArgumentParser(description='Graph classification')
    parser.add_argument('--conv-layers', '-c', type=int, default=2)
    parser.add_argument('--batchsize', '-b', type=int, default=16)
    parser.add_argument('--device', type=str, default='-1')
    parser.add_argument('--out', '-o', type=str, default='result')
    parser.add_argument('--epoch', '-e', type=int, default=10)
    parser.add_argument('--unit-num', '-u', type=int, default=8)
    parser.add_argument('--gpu', '-g', dest='device', type=int, nargs='?', const=0)
    args = parser.parse_args()

    np.random.seed(0)
    device = chainer.get_device(args.device)
    train, val = graphs(64, 0), graphs(32, 1)
    n_type = max(a.max() for a, _, _ in train) + 1
    model = L.Classifier(GCN(n_type, args.unit_num, args.conv_layers, 2))
    model.to_device(device)
    optimizer = chainer.optimizers.Adam()
    optimizer.setup(model)
    train_iter = chainer.iterators.SerialIterator(train, args.batchsize)
    val_iter = chainer.iterators.SerialIterator(val, args.batchsize, repeat=False, shuffle=False)
    updater = training.StandardUpdater(train_iter, optimizer, device=device, converter=concat_mols)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
    trainer.extend(extensions.Evaluator(val_iter, model, device=device, converter=concat_mols))
    trainer.extend(BalancedAccuracy(val_iter, model, device=device, converter=concat_mols))
    trainer.extend(extensions.FailOnNonNumber())
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PrintReport(
        ['epoch', 'main/loss', 'main/accuracy', 'validation/main/loss', 'val/main/balanced_accuracy',
         'elapsed_time']))
    trainer.run()
    hook = CountCalls()
    with hook, chainer.using_config('train', False):
        model(*concat_mols(val[:2], device))
    print(sorted(hook.counts.items()))


if __name__ == '__main__':
    main()
