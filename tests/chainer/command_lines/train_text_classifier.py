#!/usr/bin/env python
"""Texts in classes by a recurrent, a convolutional or a bag-of-words encoder; a vocabulary in JSON.

    $ train_text_classifier.py --device -1 --model rnn -e 2
    $ train_text_classifier.py -g -1 --model cnn -e 2 --dropout 0.2
    $ train_text_classifier.py -d @numpy --model bow -e 1 --test
"""
import argparse
import collections
import datetime
import json
import os

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training
from chainer.training import extensions

embed_init = chainer.initializers.Uniform(.25)


def sequence_embed(embed, xs, dropout=0.):
    x_len = [len(x) for x in xs]
    x_section = np.cumsum(x_len[:-1])
    ex = embed(F.concat(xs, axis=0))
    ex = F.dropout(ex, ratio=dropout)
    return F.split_axis(ex, x_section, 0)


def block_embed(embed, x, dropout=0.):
    e = embed(x)
    e = F.dropout(e, ratio=dropout)
    e = F.transpose(e, (0, 2, 1))
    return e[:, :, :, None]


class RNNEncoder(chainer.Chain):

    def __init__(self, n_layers, n_vocab, n_units, dropout=0.1):
        super(RNNEncoder, self).__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_vocab, n_units, initialW=embed_init)
            self.encoder = L.NStepLSTM(n_layers, n_units, n_units, dropout)
        self.out_units = n_units
        self.dropout = dropout

    def forward(self, xs):
        exs = sequence_embed(self.embed, xs, self.dropout)
        last_h, last_c, ys = self.encoder(None, None, exs)
        assert last_h.shape == (self.encoder.n_layers, len(xs), self.out_units)
        return last_h[-1]


class CNNEncoder(chainer.Chain):

    def __init__(self, n_layers, n_vocab, n_units, dropout=0.1):
        out_units = n_units // 3
        super(CNNEncoder, self).__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_vocab, n_units, ignore_label=-1, initialW=embed_init)
            self.cnn_w3 = L.Convolution2D(n_units, out_units, ksize=(3, 1), stride=1, pad=(2, 0), nobias=True)
            self.cnn_w4 = L.Convolution2D(n_units, out_units, ksize=(4, 1), stride=1, pad=(3, 0), nobias=True)
            self.mlp = MLP(n_layers, out_units * 2, dropout)
        self.out_units = out_units * 2
        self.dropout = dropout

    def forward(self, xs):
        x_block = chainer.dataset.convert.concat_examples(xs, padding=-1)
        ex_block = block_embed(self.embed, x_block, self.dropout)
        h_w3 = F.max(self.cnn_w3(ex_block), axis=2)
        h_w4 = F.max(self.cnn_w4(ex_block), axis=2)
        h = F.concat([h_w3, h_w4], axis=1)
        h = F.relu(h)
        h = F.dropout(h, ratio=self.dropout)
        return self.mlp(F.squeeze(h, axis=2))


class MLP(chainer.ChainList):

    def __init__(self, n_layers, n_units, dropout=0.1):
        super(MLP, self).__init__()
        for i in range(n_layers):
            self.add_link(L.Linear(None, n_units))
        self.dropout = dropout
        self.out_units = n_units

    def forward(self, x):
        for i, link in enumerate(self.children()):
            x = F.dropout(x, ratio=self.dropout)
            x = F.relu(link(x))
        return x


class BOWEncoder(chainer.Chain):

    def __init__(self, n_vocab, n_units, dropout=0.1):
        super(BOWEncoder, self).__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_vocab, n_units, ignore_label=-1, initialW=embed_init)
        self.out_units = n_units
        self.dropout = dropout

    def forward(self, xs):
        x_block = chainer.dataset.convert.concat_examples(xs, padding=-1)
        ex_block = block_embed(self.embed, x_block)
        x_len = self.xp.array([len(x) for x in xs], np.int32)[:, None, None]
        h = F.sum(ex_block, axis=2) / x_len
        return F.squeeze(h, axis=2)


class TextClassifier(chainer.Chain):

    def __init__(self, encoder, n_class, dropout=0.1):
        super(TextClassifier, self).__init__()
        with self.init_scope():
            self.encoder = encoder
            self.output = L.Linear(encoder.out_units, n_class)
        self.dropout = dropout

    def forward(self, xs, ys):
        concat_outputs = self.predict(xs)
        concat_truths = F.concat(ys, axis=0)
        loss = F.softmax_cross_entropy(concat_outputs, concat_truths)
        accuracy = F.accuracy(concat_outputs, concat_truths)
        chainer.report({'loss': loss}, self)
        chainer.report({'accuracy': accuracy}, self)
        return loss

    def predict(self, xs, softmax=False, argmax=False):
        concat_encodings = F.dropout(self.encoder(xs), ratio=self.dropout)
        concat_outputs = self.output(concat_encodings)
        if softmax:
            return F.softmax(concat_outputs).array
        elif argmax:
            return self.xp.argmax(concat_outputs.array, axis=1)
        return concat_outputs


@chainer.dataset.converter()
def convert_seq(batch, device=None, with_label=True):
    def to_device_batch(batch):
        if device is None:
            return batch
        return [device.send(x) for x in batch]
    return {'xs': to_device_batch([x for x, _ in batch]), 'ys': to_device_batch([y for _, y in batch])}


def texts(n, seed):
    rng = np.random.RandomState(seed)
    made = []
    for _ in range(n):
        label = rng.randint(3)
        words = rng.randint(0, 6, rng.randint(4, 9)) * 3 + label * rng.randint(0, 2, 1)
        made.append((['w%d' % w for w in words], label))
    return made


def make_vocab(dataset, max_vocab_size=20000, min_freq=2):
    counts = collections.defaultdict(int)
    for tokens, _ in dataset:
        for token in tokens:
            counts[token] += 1
    vocab = {'<eos>': 0, '<unk>': 1}
    for w, c in sorted(counts.items(), key=lambda x: (-x[1], x[0])):
        if len(vocab) >= max_vocab_size or c < min_freq:
            break
        vocab[w] = len(vocab)
    return vocab


def transform(dataset, vocab):
    return [(np.array([vocab.get(w, 1) for w in tokens] + [0], np.int32), np.array([cls], np.int32))
            for tokens, cls in dataset]


def main():
    parser = argparse.ArgumentParser(description='Chainer example: Text Classification')
    parser.add_argument('--batchsize', '-b', type=int, default=16)
    parser.add_argument('--epoch', '-e', type=int, default=30)
    parser.add_argument('--device', '-d', type=str, default='-1')
    parser.add_argument('--out', '-o', default='result')
    parser.add_argument('--resume', '-r', type=str)
    parser.add_argument('--unit', '-u', type=int, default=12)
    parser.add_argument('--layer', '-l', type=int, default=1)
    parser.add_argument('--dropout', type=float, default=0.4)
    parser.add_argument('--model', '-model', default='cnn', choices=['cnn', 'rnn', 'bow'])
    parser.add_argument('--test', dest='test', action='store_true')
    parser.set_defaults(test=False)
    group = parser.add_argument_group('deprecated arguments')
    group.add_argument('--gpu', '-g', dest='device', type=int, nargs='?', const=0)
    args = parser.parse_args()

    np.random.seed(0)
    current_datetime = '{}'.format(datetime.datetime.today())
    device = chainer.get_device(args.device)
    device.use()
    train, test = texts(64, 0), texts(32, 1)
    vocab = make_vocab(train)
    train, test = transform(train, vocab), transform(test, vocab)
    if args.test:
        train, test = train[:32], test[:16]
    n_class = len(set([int(d[1][0]) for d in train]))
    n_vocab = max(max(x.max() for x, _ in train), max(x.max() for x, _ in test)) + 1
    print('# train data: {}'.format(len(train)))
    print('# vocab: {}'.format(n_vocab))
    print('# class: {}'.format(n_class))

    if args.model == 'rnn':
        encoder = RNNEncoder(args.layer, n_vocab, args.unit, args.dropout)
    elif args.model == 'cnn':
        encoder = CNNEncoder(args.layer, n_vocab, args.unit, args.dropout)
    else:
        encoder = BOWEncoder(n_vocab, args.unit, args.dropout)
    model = TextClassifier(encoder, n_class)
    model.to_device(device)
    optimizer = chainer.optimizers.Adam()
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer.WeightDecay(1e-4))
    train_iter = chainer.iterators.SerialIterator(train, args.batchsize)
    test_iter = chainer.iterators.SerialIterator(test, args.batchsize, repeat=False, shuffle=False)
    updater = training.updaters.StandardUpdater(train_iter, optimizer, converter=convert_seq, device=device)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
    trainer.extend(extensions.Evaluator(test_iter, model, converter=convert_seq, device=device))
    record_trigger = training.triggers.MaxValueTrigger('validation/main/accuracy', (1, 'epoch'))
    trainer.extend(extensions.snapshot_object(model, 'best_model.npz'), trigger=record_trigger)
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PrintReport(
        ['epoch', 'main/loss', 'validation/main/loss', 'main/accuracy', 'validation/main/accuracy', 'elapsed_time']))
    trainer.extend(extensions.ProgressBar())
    if not os.path.isdir(args.out):
        os.mkdir(args.out)
    vocab_path = os.path.join(args.out, 'vocab.json')
    with open(vocab_path, 'w') as f:
        json.dump(vocab, f)
    setup = dict(args.__dict__)
    setup['vocab_path'] = vocab_path
    setup['datetime'] = current_datetime
    with open(os.path.join(args.out, 'args.json'), 'w') as f:
        json.dump(setup, f)
    if args.resume is not None:
        chainer.serializers.load_npz(args.resume, trainer)
    trainer.run()
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        print(model.predict([x for x, _ in test[:4]], argmax=True))


if __name__ == '__main__':
    main()
