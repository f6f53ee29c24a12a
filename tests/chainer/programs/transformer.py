"""Attention in heads, a mask, positions, label smoothing and warm up by hand, in the way of Chainer 4."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import initializers, reporter


class Rows(chainer.Chain):
    """A linear map of (batch, units, length)."""

    def __init__(self, *args, **kwargs):
        super(Rows, self).__init__()
        with self.init_scope():
            self.conv = L.ConvolutionND(1, *args, ksize=1, initialW=initializers.Uniform(0.3), **kwargs)

    def __call__(self, x):
        return self.conv(x)


class Heads(chainer.Chain):

    def __init__(self, n_units, h):
        super(Heads, self).__init__()
        with self.init_scope():
            self.qkv = Rows(n_units, 3 * n_units, nobias=True)
            self.finish = Rows(n_units, n_units, nobias=True)
        self.h, self.scale = h, 1. / (n_units // h) ** 0.5

    def __call__(self, x, mask):
        q, k, v = F.split_axis(self.qkv(x), 3, axis=1)
        batch = x.shape[0]
        q, k, v = [F.concat(F.split_axis(s, self.h, axis=1), axis=0) for s in (q, k, v)]
        a = F.batch_matmul(q, k, transa=True) * self.scale
        mask = self.xp.concatenate([mask] * self.h, axis=0)
        a = F.softmax(F.where(mask, a, self.xp.full(a.shape, -np.inf, 'f')), axis=2)
        a = F.dropout(a, 0.1)
        c = F.matmul(v, F.transpose(a, (0, 2, 1)))
        return self.finish(F.concat(F.split_axis(c, self.h, axis=0), axis=1)) if batch else x


class Layer(chainer.Chain):

    def __init__(self, n_units, h):
        super(Layer, self).__init__()
        with self.init_scope():
            self.attention = Heads(n_units, h)
            self.w1, self.w2 = Rows(n_units, n_units * 2), Rows(n_units * 2, n_units)
            self.ln1, self.ln2 = L.LayerNormalization(n_units, eps=1e-6), L.LayerNormalization(n_units, eps=1e-6)

    def normalize(self, ln, x):
        batch, units, length = x.shape
        y = ln(F.reshape(F.transpose(x, (0, 2, 1)), (batch * length, units)))
        return F.transpose(F.reshape(y, (batch, length, units)), (0, 2, 1))

    def __call__(self, e, mask):
        e = self.normalize(self.ln1, e + F.dropout(self.attention(e, mask), 0.1))
        return self.normalize(self.ln2, e + F.dropout(self.w2(F.leaky_relu(self.w1(e))), 0.1))


class Model(chainer.Chain):

    def __init__(self, n_vocab, n_units=8, h=2, n_layers=2):
        super(Model, self).__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_vocab, n_units, ignore_label=-1)
            self.layers = chainer.ChainList(*[Layer(n_units, h) for _ in range(n_layers)])
        self.n_units, self.n_vocab = n_units, n_vocab

    def positions(self, length):
        p = np.arange(length)[None, :] / 10000 ** (np.arange(0, self.n_units, 2) / self.n_units)[:, None]
        return np.concatenate([np.sin(p), np.cos(p)]).astype('f')[None]

    def __call__(self, x):
        length = x.shape[1]
        e = F.transpose(self.embed(x), (0, 2, 1)) * self.n_units ** 0.5
        e = F.dropout(e + self.xp.asarray(self.positions(length)), 0.1)
        mask = (x[:, None, :] >= 0) & self.xp.tri(length, dtype=bool)[None]
        for layer in self.layers:
            e = layer(e, mask)
        y = F.linear(F.reshape(F.transpose(e, (0, 2, 1)), (-1, self.n_units)), self.embed.W)
        t = np.concatenate([x[:, 1:], np.full((len(x), 1), -1, 'i')], axis=1).ravel()
        loss = F.softmax_cross_entropy(y, t, normalize=True)
        log_prob = F.log_softmax(y)
        smooth = -F.sum(F.where(np.broadcast_to((t >= 0)[:, None], y.shape), log_prob, np.zeros(y.shape, 'f'))) / (
            (t >= 0).sum() * self.n_vocab)
        loss = 0.9 * loss + 0.1 * smooth
        reporter.report({'loss': loss, 'accuracy': F.accuracy(y, t, ignore_label=-1)}, self)
        return loss


np.random.seed(0)
model = Model(9)
optimizer = chainer.optimizers.Adam(alpha=5e-5, beta1=0.9, beta2=0.98, eps=1e-9)
optimizer.setup(model)
rng = np.random.RandomState(0)
x = rng.randint(0, 9, (4, 6)).astype('i')
x[1, 4:] = -1
for step in range(1, 7):
    optimizer.alpha = 8 ** -0.5 * min(step ** -0.5, step * 4 ** -1.5) * 0.2
    observation = {}
    r = chainer.Reporter()
    r.add_observer('main', model)
    with r.scope(observation):
        optimizer.update(model, x)
    print('loss', float(observation['main/loss'].array), float(observation['main/accuracy'].array), float(optimizer.alpha))
print(sorted(n for n, _ in model.namedparams())[:4], model.count_params())
