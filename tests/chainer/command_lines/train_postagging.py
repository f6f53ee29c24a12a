#!/usr/bin/env python
"""Parts of speech by a conditional random field behind an LSTM that reads both ways.

    $ train_postagging.py --device -1 -e 2
    $ train_postagging.py --gpu -1 -e 3 --resume result/snapshot_iter_8
"""
import argparse

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import reporter
from chainer import training
from chainer.training import extensions


class CRF(chainer.Chain):

    def __init__(self, n_vocab, n_unit, n_pos):
        super(CRF, self).__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_vocab, n_unit)
            self.lstm = L.NStepBiLSTM(1, n_unit, n_unit, 0)
            self.feature = L.Linear(n_unit * 2, n_pos)
            self.crf = L.CRF1d(n_pos, initial_cost=0.1)

    def encode(self, xs):
        sections = np.cumsum([len(x) for x in xs[:-1]])
        es = F.split_axis(self.embed(F.concat(xs, axis=0)), sections, 0)
        _, _, hs = self.lstm(None, None, es)
        return F.split_axis(self.feature(F.concat(hs, axis=0)), sections, 0)

    def forward(self, xs, ys):
        inds = self.xp.argsort(self.xp.array([-x.shape[0] for x in xs])).astype(np.int32)
        xs = [xs[i] for i in inds]
        ys = [ys[i] for i in inds]
        hs = F.transpose_sequence(self.encode(xs))
        ts = F.transpose_sequence(ys)
        loss = self.crf(hs, ts)
        reporter.report({'loss': loss}, self)
        _, predict = self.crf.argmax(hs)
        predict = F.transpose_sequence(predict)
        correct = 0
        total = 0
        for y, p in zip(ys, predict):
            correct += int(self.xp.sum(y == p.array)) if isinstance(p, chainer.Variable) else int((y == p).sum())
            total += len(y)
        reporter.report({'correct': correct}, self)
        reporter.report({'total': total}, self)
        return loss


@chainer.dataset.converter()
def convert(batch, device):
    sentences = [device.send(sentence) for sentence, _ in batch]
    poses = [device.send(pos) for _, pos in batch]
    return {'xs': sentences, 'ys': poses}


def sentences(n, seed):
    rng = np.random.RandomState(seed)
    made = []
    for _ in range(n):
        words = rng.randint(0, 12, rng.randint(2, 8)).astype(np.int32)
        made.append((words, (words % 4).astype(np.int32)))
    return made


def main():
    parser = argparse.ArgumentParser(description='Chainer example: POS-tagging')
    parser.add_argument('--batchsize', '-b', type=int, default=8)
    parser.add_argument('--epoch', '-e', type=int, default=20)
    parser.add_argument('--device', '-d', type=str, default='-1')
    parser.add_argument('--out', '-o', default='result')
    parser.add_argument('--resume', '-r', type=str)
    group = parser.add_argument_group('deprecated arguments')
    group.add_argument('--gpu', '-g', dest='device', type=int, nargs='?', const=0)
    args = parser.parse_args()

    np.random.seed(0)
    data = sentences(40, 0)
    n_vocab = max([x.max() for x, _ in data]) + 1
    n_pos = max([y.max() for _, y in data]) + 1
    train_data, test_data = chainer.datasets.split_dataset_random(data, len(data) * 8 // 10, seed=0)
    print('# of train data: %d' % len(train_data))
    print('# of vocabs: %d' % n_vocab)
    print('# of pos: %d' % n_pos)
    model = CRF(n_vocab, 6, n_pos)
    device = chainer.get_device(args.device)
    device.use()
    model.to_device(device)
    optimizer = chainer.optimizers.Adam()
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(0.0001))
    train_iter = chainer.iterators.SerialIterator(train_data, args.batchsize)
    test_iter = chainer.iterators.SerialIterator(test_data, args.batchsize, repeat=False, shuffle=False)
    updater = training.updaters.StandardUpdater(train_iter, optimizer, converter=convert, device=device)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
    evaluator = extensions.Evaluator(test_iter, model, device=device, converter=convert)
    trainer.extend(evaluator, trigger=(4, 'iteration'))
    trainer.extend(extensions.LogReport(trigger=(4, 'iteration')), trigger=(4, 'iteration'))
    trainer.extend(extensions.MicroAverage('main/correct', 'main/total', 'main/accuracy'))
    trainer.extend(
        extensions.MicroAverage('validation/main/correct', 'validation/main/total', 'validation/main/accuracy'))
    trainer.extend(
        extensions.PrintReport(['epoch', 'main/loss', 'validation/main/loss', 'main/accuracy',
                                'validation/main/accuracy', 'elapsed_time']), trigger=(4, 'iteration'))
    trainer.extend(extensions.snapshot(), trigger=(8, 'iteration'))
    trainer.extend(extensions.ProgressBar(update_interval=10))
    if args.resume is not None:
        chainer.serializers.load_npz(args.resume, trainer)
    trainer.run()


if __name__ == '__main__':
    main()
