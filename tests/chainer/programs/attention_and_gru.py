"""Gated recurrent units in every form, a bidirectional LSTM, attention written by hand."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np


class Attention(chainer.Chain):

    def __init__(self, n):
        super(Attention, self).__init__()
        with self.init_scope():
            self.w_enc = L.Linear(n, n)
            self.w_dec = L.Linear(n, n, nobias=True)
            self.score = L.Linear(n, 1)

    def __call__(self, enc, lengths, h):
        batch, steps, n = enc.shape
        e = F.reshape(self.w_enc(F.reshape(enc, (-1, n))), (batch, steps, n))
        d = F.broadcast_to(F.expand_dims(self.w_dec(h), 1), e.shape)
        score = F.reshape(self.score(F.reshape(F.tanh(e + d), (-1, n))), (batch, steps))
        mask = self.xp.arange(steps)[None, :] < self.xp.array(lengths)[:, None]
        score = F.where(mask, score, self.xp.full(score.shape, -1e9, 'f'))
        a = F.softmax(score)
        return F.reshape(F.batch_matmul(a, enc, transa=True), (batch, n)), a


class Tagger(chainer.Chain):

    def __init__(self, n_vocab, n, n_class):
        super(Tagger, self).__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_vocab, n, ignore_label=-1)
            self.rnn = L.NStepBiLSTM(1, n, n, 0.2)
            self.attend = Attention(2 * n)
            self.cell = L.StatefulGRU(2 * n, 2 * n)
            self.out = L.Linear(2 * n, n_class)

    def __call__(self, xs):
        exs = F.split_axis(self.embed(F.concat(xs, axis=0)), np.cumsum([len(x) for x in xs])[:-1], 0)
        _, _, ys = self.rnn(None, None, exs)
        enc = F.pad_sequence(ys)
        self.cell.reset_state()
        context = F.mean(enc, axis=1)
        for _ in range(2):
            h = self.cell(context)
            context, self.weights = self.attend(enc, [len(x) for x in xs], h)
        return self.out(context)


np.random.seed(0)
rng = np.random.RandomState(0)
xs = [rng.randint(0, 7, n).astype('i') for n in (5, 3, 4, 2, 6)]
ts = np.array([0, 1, 0, 1, 0], 'i')
model = Tagger(7, 4, 2)
optimizer = chainer.optimizers.Adam(alpha=0.02)
optimizer.setup(model)
optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(1))
for _ in range(5):
    loss = F.softmax_cross_entropy(model(xs), ts)
    model.cleargrads()
    loss.backward()
    optimizer.update()
    print('loss', float(loss.array))
with chainer.using_config('train', False):
    print('prediction', F.softmax(model(xs)).array.tolist())
    print('weights', model.weights.array.sum(axis=1).tolist(), float(model.weights.array[3, 2:].sum()))

x = rng.randn(3, 4).astype('f')
for link in (L.StatefulGRU(4, 5), L.StatefulMGU(4, 5), L.StatefulZoneoutLSTM(4, 5, 0.3, 0.2),
             L.StatefulPeepholeLSTM(4, 5), L.LSTM(4, 5, forget_bias_init=2)):
    link(x)
    y = link(x)
    link.cleargrads()
    F.sum(y).backward()
    print(type(link).__name__, float(F.sum(y).array), float(sum(abs(p.grad).sum() for p in link.params())))
gru, mgu = L.StatelessGRU(4, 5), L.StatelessMGU(4, 5)
h = chainer.Variable(np.zeros((3, 5), 'f'))
print('GRU', float(F.sum(gru(h, x)).array), float(F.sum(mgu(h, x)).array))
c, h = L.StatelessLSTM(4, 5)(None, None, x)
print('LSTM', float(F.sum(c).array), float(F.sum(h).array))
for link in (L.NStepGRU(2, 4, 3, 0), L.NStepRNNTanh(1, 4, 3, 0), L.NStepRNNReLU(1, 4, 3, 0), L.NStepBiRNNTanh(1, 4, 3, 0)):
    hy, ys = link(None, [rng.randn(n, 4).astype('f') for n in (2, 4, 1)])
    print(type(link).__name__, hy.shape, [float(F.sum(y).array) for y in ys])
