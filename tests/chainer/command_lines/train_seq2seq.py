#!/usr/bin/env python
"""Translation by an encoder and a decoder of LSTM layers: sequences of their own lengths, a translating extension.

    $ train_seq2seq.py --device -1 --iterations 8
    $ train_seq2seq.py -g -1 --iterations 12 --resume result/snapshot_iter_8
"""
import argparse

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training
from chainer.training import extensions

UNK = 0
EOS = 1


def sequence_embed(embed, xs):
    x_len = [len(x) for x in xs]
    x_section = np.cumsum(x_len[:-1])
    ex = embed(F.concat(xs, axis=0))
    exs = F.split_axis(ex, x_section, 0)
    return exs


class Seq2seq(chainer.Chain):

    def __init__(self, n_layers, n_source_vocab, n_target_vocab, n_units):
        super(Seq2seq, self).__init__()
        with self.init_scope():
            self.embed_x = L.EmbedID(n_source_vocab, n_units)
            self.embed_y = L.EmbedID(n_target_vocab, n_units)
            self.encoder = L.NStepLSTM(n_layers, n_units, n_units, 0.1)
            self.decoder = L.NStepLSTM(n_layers, n_units, n_units, 0.1)
            self.W = L.Linear(n_units, n_target_vocab)
        self.n_layers = n_layers
        self.n_units = n_units

    def forward(self, xs, ys):
        xs = [x[::-1] for x in xs]
        eos = self.xp.array([EOS], np.int32)
        ys_in = [F.concat([eos, y], axis=0) for y in ys]
        ys_out = [F.concat([y, eos], axis=0) for y in ys]
        exs = sequence_embed(self.embed_x, xs)
        eys = sequence_embed(self.embed_y, ys_in)
        batch = len(xs)
        hx, cx, _ = self.encoder(None, None, exs)
        _, _, os = self.decoder(hx, cx, eys)
        concat_os = F.concat(os, axis=0)
        concat_ys_out = F.concat(ys_out, axis=0)
        loss = F.sum(F.softmax_cross_entropy(self.W(concat_os), concat_ys_out, reduce='no')) / batch
        chainer.report({'loss': loss}, self)
        n_words = concat_ys_out.shape[0]
        perp = self.xp.exp(loss.array * batch / n_words)
        chainer.report({'perp': perp}, self)
        return loss

    def translate(self, xs, max_length=100):
        batch = len(xs)
        with chainer.no_backprop_mode(), chainer.using_config('train', False):
            xs = [x[::-1] for x in xs]
            exs = sequence_embed(self.embed_x, xs)
            h, c, _ = self.encoder(None, None, exs)
            ys = self.xp.full(batch, EOS, np.int32)
            result = []
            for i in range(max_length):
                eys = self.embed_y(ys)
                eys = F.split_axis(eys, batch, 0)
                h, c, ys = self.decoder(h, c, eys)
                cys = F.concat(ys, axis=0)
                wy = self.W(cys)
                ys = self.xp.argmax(wy.array, axis=1).astype(np.int32)
                result.append(ys)
        result = chainer.get_device('@numpy').send(self.xp.concatenate([self.xp.expand_dims(x, 0) for x in result]).T)
        outs = []
        for y in result:
            inds = np.argwhere(y == EOS)
            if len(inds) > 0:
                y = y[:inds[0, 0]]
            outs.append(y)
        return outs


@chainer.dataset.converter()
def convert(batch, device):
    def to_device_batch(batch):
        batch_concat = np.concatenate(batch, axis=0)
        sections = np.cumsum([len(x) for x in batch[:-1]], dtype=np.int32)
        concat_dst = device.send(batch_concat)
        return np.split(concat_dst, sections)
    return {'xs': to_device_batch([x for x, _ in batch]), 'ys': to_device_batch([y for _, y in batch])}


def pairs(n, seed):
    rng = np.random.RandomState(seed)
    made = []
    for _ in range(n):
        x = rng.randint(2, 12, rng.randint(2, 6)).astype(np.int32)
        made.append((x, x[::-1].copy()))
    return made


def main():
    parser = argparse.ArgumentParser(description='Chainer example: seq2seq')
    parser.add_argument('--batchsize', '-b', type=int, default=16)
    parser.add_argument('--iterations', '-i', type=int, default=20)
    parser.add_argument('--device', '-d', type=str, default='-1')
    parser.add_argument('--resume', '-r', type=str)
    parser.add_argument('--unit', '-u', type=int, default=12)
    parser.add_argument('--layer', '-l', type=int, default=2)
    parser.add_argument('--log-interval', type=int, default=2)
    parser.add_argument('--validation-interval', type=int, default=4)
    parser.add_argument('--out', '-o', default='result')
    group = parser.add_argument_group('deprecated arguments')
    group.add_argument('--gpu', '-g', dest='device', type=int, nargs='?', const=0)
    args = parser.parse_args()

    np.random.seed(0)
    device = chainer.get_device(args.device)
    device.use()
    train_data, test_data = pairs(64, 0), pairs(16, 1)
    model = Seq2seq(args.layer, 12, 12, args.unit)
    model.to_device(device)
    optimizer = chainer.optimizers.Adam()
    optimizer.setup(model)
    train_iter = chainer.iterators.SerialIterator(train_data, args.batchsize)
    updater = training.updaters.StandardUpdater(train_iter, optimizer, converter=convert, device=device)
    trainer = training.Trainer(updater, (args.iterations, 'iteration'), out=args.out)
    trainer.extend(extensions.LogReport(trigger=(args.log_interval, 'iteration')))
    trainer.extend(extensions.PrintReport(
        ['epoch', 'iteration', 'main/loss', 'main/perp', 'validation/main/loss', 'elapsed_time']),
        trigger=(args.log_interval, 'iteration'))
    trainer.extend(extensions.snapshot(), trigger=(args.validation_interval, 'iteration'))

    @chainer.training.make_extension()
    def translate(trainer):
        source, target = test_data[np.random.choice(len(test_data))]
        result = model.translate([model.xp.array(source)], max_length=6)[0]
        print('# source : ' + ' '.join(map(str, source)))
        print('# result : ' + ' '.join(map(str, result)))
        print('# expect : ' + ' '.join(map(str, target)))

    test_iter = chainer.iterators.SerialIterator(test_data, args.batchsize, repeat=False, shuffle=False)
    trainer.extend(translate, trigger=(args.validation_interval, 'iteration'))
    trainer.extend(
        extensions.Evaluator(test_iter, model, converter=convert, device=device),
        trigger=(args.validation_interval, 'iteration'))
    print('start training')
    if args.resume is not None:
        chainer.serializers.load_npz(args.resume, trainer)
    trainer.run()


if __name__ == '__main__':
    main()
