"""Word vectors by skip-grams with negative sampling, with an iterator of windows."""
import collections

import chainer
import chainer.functions as F
import chainer.initializers as I
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions


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
        chainer.report({'loss': loss}, self)
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
        self.order = np.random.permutation(len(dataset) - window * 2).astype(np.int32) + window
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


@chainer.dataset.converter()
def convert(batch, device):
    center, contexts = batch
    return device.send(center), device.send(contexts)


np.random.seed(0)
words = np.random.RandomState(1).randint(0, 10, 120)
counts = collections.Counter(words.tolist())
for loss_func in (L.NegativeSampling(5, [counts[w] for w in range(10)], 3), SoftmaxCrossEntropyLoss(5, 10)):
    np.random.seed(1)
    model = SkipGram(10, 5, loss_func)
    optimizer = chainer.optimizers.Adam()
    optimizer.setup(model)
    updater = training.updaters.StandardUpdater(WindowIterator(words, 3, 20), optimizer, converter=convert, device=-1)
    trainer = training.Trainer(updater, (3, 'epoch'), out='/tmp/word2vec')
    log = extensions.LogReport()
    trainer.extend(log)
    trainer.run()
    for entry in log.log:
        print('loss', entry['main/loss'])
