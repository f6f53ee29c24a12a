#!/usr/bin/env python
"""A memory network that answers questions about stories, trained and kept in a file, then asked.

    $ train_memnn.py --device -1 --epoch 3 --model model
    $ train_memnn.py --gpu -1 -e 1 -H 2 --sentence-repr pe
"""
import argparse

import numpy as np

import chainer
import chainer.functions as F
import chainer.initializers
import chainer.links as L
from chainer import training
from chainer.training import extensions


def position_encode(embed, sentences):
    xp = chainer.cuda.get_array_module(sentences)
    e = embed(sentences)
    ndim = e.ndim
    n_words, n_units = e.shape[ndim - 2:]
    length = xp.maximum(xp.sum((sentences != 0).astype(xp.float32), axis=-1), 1)
    length = length.reshape((length.shape + (1, 1)))
    k = xp.arange(1, n_units + 1, dtype=np.float32) / n_units
    i = xp.arange(1, n_words + 1, dtype=np.float32)[:, None]
    coeff = (1 - i / length) - k * (1 - 2.0 * i / length)
    e = coeff * e
    return F.sum(e, axis=ndim - 2)


def bow_encode(embed, sentences):
    e = embed(sentences)
    return F.sum(e, axis=-2)


class Memory(object):

    def __init__(self, A, C, TA, TC, encoder):
        self.A, self.C, self.TA, self.TC = A, C, TA, TC
        self.encoder = encoder

    def register_all(self, sentences):
        self.m = self.encoder(self.A, sentences)
        self.c = self.encoder(self.C, sentences)

    def query(self, u):
        xp = chainer.backends.cuda.get_array_module(u)
        size = self.m.shape[1]
        inds = xp.arange(size - 1, -1, -1, dtype=np.int32)
        tm = self.TA(inds)
        tc = self.TC(inds)
        tm = F.broadcast_to(tm, self.m.shape)
        tc = F.broadcast_to(tc, self.c.shape)
        p = F.softmax(F.matmul(self.m + tm, F.expand_dims(u, -1)))
        o = F.matmul(F.swapaxes(self.c + tc, 2, 1), p)
        o = F.squeeze(o, -1)
        return o + u


class MemNN(chainer.Chain):

    def __init__(self, n_units, n_vocab, encoder, max_memory, hops):
        super(MemNN, self).__init__()
        normal = chainer.initializers.Normal()
        with self.init_scope():
            self.embeds = chainer.ChainList(
                *[L.EmbedID(n_vocab, n_units, initialW=normal) for _ in range(hops + 1)])
            self.temporals = chainer.ChainList(
                *[L.EmbedID(max_memory, n_units, initialW=normal) for _ in range(hops + 1)])
        self.memories = [
            Memory(self.embeds[i], self.embeds[i + 1], self.temporals[i], self.temporals[i + 1], encoder)
            for i in range(hops)]
        self.B = self.embeds[0]
        self.W = lambda u: F.linear(u, self.embeds[-1].W)
        self.encoder = encoder

    def fix_ignore_label(self):
        for embed in self.embeds:
            embed.ignore_label = 0

    def forward(self, sentences, question):
        self.fix_ignore_label()
        for memory in self.memories:
            memory.register_all(sentences)
        u = self.encoder(self.B, question)
        for memory in self.memories:
            u = memory.query(u)
        return self.W(u)


def stories(n, seed, n_people=4, n_places=4, length=4):
    rng = np.random.RandomState(seed)
    made = []
    for _ in range(n):
        where = {}
        sentences = np.zeros((length, 3), np.int32)
        for i in range(length):
            who, place = rng.randint(n_people), rng.randint(n_places)
            where[who] = place
            sentences[i] = [1 + who, 5, 6 + place]
        asked = sorted(where)[rng.randint(len(where))]
        made.append({'sentences': sentences, 'question': np.array([10, 1 + asked, 0], np.int32),
                     'answer': np.array(6 + where[asked], np.int32)})
    return made


@chainer.dataset.converter()
def convert(batch, device):
    return chainer.dataset.concat_examples(batch, device)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--model', '-m', default='')
    parser.add_argument('--batchsize', '-b', type=int, default=16)
    parser.add_argument('--epoch', '-e', type=int, default=100)
    parser.add_argument('--device', '-d', type=str, default='-1')
    parser.add_argument('--unit', '-u', type=int, default=10)
    parser.add_argument('--hop', '-H', type=int, default=3)
    parser.add_argument('--max-memory', type=int, default=6)
    parser.add_argument('--sentence-repr', choices=['bow', 'pe'], default='bow')
    group = parser.add_argument_group('deprecated arguments')
    group.add_argument('--gpu', '-g', dest='device', type=int, nargs='?', const=0)
    args = parser.parse_args()

    np.random.seed(0)
    device = chainer.get_device(args.device)
    device.use()
    train_data, test_data = stories(80, 0), stories(32, 1)
    n_vocab = max(int(max(d['sentences'].max(), d['question'].max())) for d in train_data) + 1
    encoder = {'bow': bow_encode, 'pe': position_encode}[args.sentence_repr]
    memnn = MemNN(args.unit, n_vocab, encoder, args.max_memory, args.hop)
    model = L.Classifier(memnn, label_key='answer')
    opt = chainer.optimizers.Adam()
    model.to_device(device)
    opt.setup(model)
    for embed in memnn.temporals:
        embed.W.array[args.max_memory - 1:] *= 0.5

    train_iter = chainer.iterators.SerialIterator(train_data, args.batchsize)
    test_iter = chainer.iterators.SerialIterator(test_data, args.batchsize, repeat=False, shuffle=False)
    updater = training.StandardUpdater(train_iter, opt, converter=convert, device=device)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'))

    @training.make_extension()
    def fix_ignore_label(trainer):
        memnn.fix_ignore_label()

    trainer.extend(fix_ignore_label)
    trainer.extend(extensions.Evaluator(test_iter, model, converter=convert, device=device))
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PrintReport(
        ['epoch', 'main/loss', 'validation/main/loss', 'main/accuracy', 'validation/main/accuracy']))
    trainer.extend(extensions.ProgressBar(update_interval=10))
    trainer.run()

    if args.model:
        chainer.serializers.save_npz(args.model, model)
        other = L.Classifier(MemNN(args.unit, n_vocab, encoder, args.max_memory, args.hop), label_key='answer')
        chainer.serializers.load_npz(args.model, other)
        batch = convert(test_data[:5], device)
        with chainer.no_backprop_mode():
            print(F.argmax(other.predictor(batch['sentences'], batch['question']), axis=1).array)


if __name__ == '__main__':
    main()
