#!/usr/bin/env python
"""Word vectors: skip-gram and continuous bags of words, with three losses.

    $ train_word2vec.py --device -1 --model skipgram --out-type ns -e 2
    $ train_word2vec.py -g -1 --model cbow --out-type hsm -e 1
    $ train_word2vec.py --model skipgram --out-type original -e 1 --test
"""
import argparse
import collections
import os

import numpy as np

import chainer
import chainer.functions as F
import chainer.initializers as I
import chainer.links as L
from chainer import reporter
from chainer import training
from chainer.training import extensions


class ContinuousBoW(chainer.Chain):

    def __init__(self, n_vocab, n_units, loss_func):
        super(ContinuousBoW, self).__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_vocab, n_units, initialW=I.Uniform(1. / n_units))
            self.loss_func = loss_func

    def forward(self, x, contexts):
        e = self.embed(contexts)
        h = F.sum(e, axis=1) * (1. / contexts.shape[1])
        loss = self.loss_func(h, x)
        reporter.report({'loss': loss}, self)
        return loss


class SkipGram(chainer.Chain):

    def __init__(self, n_vocab, n_units, loss_func):
        super(SkipGram, self).__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_vocab, n_units, initialW=I.Uniform(1. / n_units))
            self.loss_func = loss_func

    def forward(self, x, contexts):
        e = self.embed(contexts)
        batch_size, n_context, n_units = e.shape
        x = F.broadcast_to(x[:, None], (batch_size, n_context))
        e = F.reshape(e, (batch_size * n_context, n_units))
        x = F.reshape(x, (batch_size * n_context,))
        loss = self.loss_func(e, x)
        reporter.report({'loss': loss}, self)
        return loss


class SoftmaxCrossEntropyLoss(chainer.Chain):

    def __init__(self, n_in, n_out):
        super(SoftmaxCrossEntropyLoss, self).__init__()
        with self.init_scope():
            self.out = L.Linear(n_in, n_out, initialW=0)

    def forward(self, x, t):
        return F.softmax_cross_entropy(self.out(x), t)


class WindowIterator(chainer.dataset.Iterator):

    def __init__(self, dataset, window, batch_size, repeat=True):
        self.dataset = np.array(dataset, np.int32)
        self.window = window
        self.batch_size = batch_size
        self._repeat = repeat
        self.order = np.random.permutation(len(dataset) - window * 2).astype(np.int32)
        self.order += window
        self.current_position = 0
        self.epoch = 0
        self.is_new_epoch = False

    def __next__(self):
        if not self._repeat and self.epoch > 0:
            raise StopIteration
        i = self.current_position
        i_end = i + self.batch_size
        position = self.order[i:i_end]
        w = np.random.randint(self.window - 1) + 1
        offset = np.concatenate([np.arange(-w, 0), np.arange(1, w + 1)])
        pos = position[:, None] + offset[None, :]
        contexts = self.dataset.take(pos)
        center = self.dataset.take(position)
        if i_end >= len(self.order):
            np.random.shuffle(self.order)
            self.epoch += 1
            self.is_new_epoch = True
            self.current_position = 0
        else:
            self.is_new_epoch = False
            self.current_position = i_end
        return center, contexts

    @property
    def epoch_detail(self):
        return self.epoch + float(self.current_position) / len(self.order)

    def serialize(self, serializer):
        self.current_position = serializer('current_position', self.current_position)
        self.epoch = serializer('epoch', self.epoch)
        self.is_new_epoch = serializer('is_new_epoch', self.is_new_epoch)
        if self.order is not None:
            serializer('order', self.order)


@chainer.dataset.converter()
def convert(batch, device):
    center, contexts = batch
    return device.send(center), device.send(contexts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--device', '-d', type=str, default='-1')
    parser.add_argument('--unit', '-u', default=8, type=int)
    parser.add_argument('--window', '-w', default=3, type=int)
    parser.add_argument('--batchsize', '-b', type=int, default=50)
    parser.add_argument('--epoch', '-e', default=20, type=int)
    parser.add_argument('--model', '-m', choices=['skipgram', 'cbow'], default='skipgram')
    parser.add_argument('--negative-size', default=5, type=int)
    parser.add_argument('--out-type', '-o', choices=['hsm', 'ns', 'original'], default='hsm')
    parser.add_argument('--out', default='result')
    parser.add_argument('--resume', '-r', type=str)
    parser.add_argument('--snapshot-interval', type=int)
    parser.add_argument('--test', dest='test', action='store_true')
    parser.set_defaults(test=False)
    group = parser.add_argument_group('deprecated arguments')
    group.add_argument('--gpu', '-g', dest='device', type=int, nargs='?', const=0)
    args = parser.parse_args()
    if args.snapshot_interval is None:
        args.snapshot_interval = args.epoch
    args.out = os.path.join(args.out, args.model + '_' + args.out_type)

    np.random.seed(0)
    device = chainer.get_device(args.device)
    device.use()
    rng = np.random.RandomState(1)
    train = np.r_[np.arange(40), rng.zipf(1.5, 260) % 40].astype(np.int32)
    val = (rng.zipf(1.5, 150) % 40).astype(np.int32)
    counts = collections.Counter(train)
    counts.update(collections.Counter(val))
    n_vocab = max(train.max(), val.max()) + 1
    if args.test:
        train, val = train[:100], val[:100]
    print('n_vocab: %d' % n_vocab)
    print('data length: %d' % len(train))

    if args.out_type == 'hsm':
        HSM = L.BinaryHierarchicalSoftmax
        tree = HSM.create_huffman_tree(counts)
        loss_func = HSM(args.unit, tree)
        loss_func.W.array[...] = 0
    elif args.out_type == 'ns':
        cs = [counts[w] for w in range(len(counts))]
        loss_func = L.NegativeSampling(args.unit, cs, args.negative_size)
        loss_func.W.array[...] = 0
    else:
        loss_func = SoftmaxCrossEntropyLoss(args.unit, n_vocab)
    kind = SkipGram if args.model == 'skipgram' else ContinuousBoW
    model = kind(n_vocab, args.unit, loss_func)
    model.to_device(device)

    optimizer = chainer.optimizers.Adam()
    optimizer.setup(model)
    train_iter = WindowIterator(train, args.window, args.batchsize)
    val_iter = WindowIterator(val, args.window, args.batchsize, repeat=False)
    updater = training.updaters.StandardUpdater(train_iter, optimizer, converter=convert, device=device)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
    trainer.extend(extensions.Evaluator(val_iter, model, converter=convert, device=device))
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PrintReport(['epoch', 'main/loss', 'validation/main/loss', 'elapsed_time']))
    trainer.extend(extensions.ProgressBar())
    trainer.extend(
        extensions.snapshot(filename='snapshot_epoch_{.updater.epoch}'), trigger=(args.snapshot_interval, 'epoch'))
    if args.resume is not None:
        chainer.serializers.load_npz(args.resume, trainer)
    trainer.run()

    with open(os.path.join(args.out, 'word2vec.model'), 'w') as f:
        f.write('%d %d\n' % (n_vocab, args.unit))
        w = device.send(model.embed.W.array)
        for i, wi in enumerate(w[:3]):
            v = ' '.join(map('{:.4f}'.format, wi))
            f.write('%d %s\n' % (i, v))
    print(open(os.path.join(args.out, 'word2vec.model')).read().splitlines()[0])


if __name__ == '__main__':
    main()
