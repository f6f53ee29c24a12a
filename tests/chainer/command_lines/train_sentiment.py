#!/usr/bin/env python
"""The tone of sentences, by a network that follows their trees: a converter that gives lists, an evaluator of its own.

    $ train_sentiment.py --device -1 --epoch 2
    $ train_sentiment.py -g -1 -e 1 --label 3 --epocheval 1 --test
"""
import argparse
import collections

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import reporter
from chainer import training
from chainer.training import extensions


def random_tree(rng, depth, n_label):
    if depth == 0 or rng.rand() < 0.3:
        word = rng.randint(10)
        return {'label': word % n_label, 'node': word}
    left, right = random_tree(rng, depth - 1, n_label), random_tree(rng, depth - 1, n_label)
    return {'label': (left['label'] + right['label']) % n_label, 'node': (left, right)}


class RecursiveNet(chainer.Chain):

    def traverse(self, node, evaluate=None, root=True):
        if isinstance(node['node'], int) or np.isscalar(node['node']):
            word = self.xp.array([node['node']], np.int32)
            loss = 0
            v = self.leaf(word)
        else:
            left_node, right_node = node['node']
            left_loss, left = self.traverse(left_node, evaluate=evaluate, root=False)
            right_loss, right = self.traverse(right_node, evaluate=evaluate, root=False)
            v = self.node(left, right)
            loss = left_loss + right_loss
        y = self.label(v)
        label = self.xp.array([node['label']], np.int32)
        t = chainer.Variable(label)
        loss += F.softmax_cross_entropy(y, t)
        predict = y.array.argmax(axis=1)[0]
        if predict == node['label']:
            evaluate['correct_node'] += 1
        evaluate['total_node'] += 1
        if root:
            if predict == node['label']:
                evaluate['correct_root'] += 1
            evaluate['total_root'] += 1
        return loss, v

    def __init__(self, n_vocab, n_units, n_label):
        super(RecursiveNet, self).__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_vocab, n_units)
            self.l = L.Linear(n_units * 2, n_units)
            self.w = L.Linear(n_units, n_label)

    def leaf(self, x):
        return self.embed(x)

    def node(self, left, right):
        return F.tanh(self.l(F.concat((left, right))))

    def label(self, v):
        return self.w(v)

    def forward(self, x):
        accum_loss = 0.0
        result = collections.defaultdict(lambda: 0)
        for tree in x:
            loss, _ = self.traverse(tree, evaluate=result)
            accum_loss += loss
        reporter.report({'loss': accum_loss}, self)
        reporter.report({'total': result['total_node']}, self)
        reporter.report({'correct': result['correct_node']}, self)
        return accum_loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--device', '-d', type=str, default='-1')
    parser.add_argument('--epoch', '-e', default=400, type=int)
    parser.add_argument('--unit', '-u', default=8, type=int)
    parser.add_argument('--batchsize', '-b', type=int, default=10)
    parser.add_argument('--label', '-l', type=int, default=5)
    parser.add_argument('--epocheval', '-p', type=int, default=1)
    parser.add_argument('--test', dest='test', action='store_true')
    parser.set_defaults(test=False)
    group = parser.add_argument_group('deprecated arguments')
    group.add_argument('--gpu', '-g', dest='device', type=int, nargs='?', const=0)
    args = parser.parse_args()

    np.random.seed(0)
    device = chainer.get_device(args.device)
    device.use()
    n_epoch = args.epoch
    epoch_per_eval = args.epocheval
    rng = np.random.RandomState(7)
    train_data = [random_tree(rng, 3, args.label) for _ in range(10 if args.test else 30)]
    test_data = [random_tree(rng, 3, args.label) for _ in range(10)]
    train_iter = chainer.iterators.SerialIterator(train_data, args.batchsize)
    test_iter = chainer.iterators.SerialIterator(test_data, args.batchsize, repeat=False, shuffle=False)

    model = RecursiveNet(10, args.unit, args.label)
    model.to_device(device)
    optimizer = chainer.optimizers.AdaGrad(lr=0.1)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(0.0001))

    def _convert(batch, _):
        return batch

    updater = chainer.training.StandardUpdater(train_iter, optimizer, device=device, converter=_convert)
    trainer = chainer.training.Trainer(updater, (n_epoch, 'epoch'))
    trainer.extend(
        extensions.Evaluator(test_iter, model, device=device, converter=_convert), trigger=(epoch_per_eval, 'epoch'))
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.MicroAverage('main/correct', 'main/total', 'main/accuracy'))
    trainer.extend(extensions.MicroAverage(
        'validation/main/correct', 'validation/main/total', 'validation/main/accuracy'))
    trainer.extend(extensions.PrintReport(
        ['epoch', 'main/loss', 'validation/main/loss', 'main/accuracy', 'validation/main/accuracy', 'elapsed_time']))
    trainer.run()


if __name__ == '__main__':
    main()
