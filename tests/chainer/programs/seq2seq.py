"""A sequence to sequence model over lists of sequences of any length."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np

EOS = 1


def sequence_embed(embed, xs):
    x_len = [len(x) for x in xs]
    x_section = np.cumsum(x_len[:-1])
    ex = embed(F.concat(xs, axis=0))
    return F.split_axis(ex, x_section, 0)


class Seq2seq(chainer.Chain):

    def __init__(self, n_layers, n_vocab, n_units):
        super(Seq2seq, self).__init__()
        with self.init_scope():
            self.embed_x = L.EmbedID(n_vocab, n_units)
            self.embed_y = L.EmbedID(n_vocab, n_units)
            self.encoder = L.NStepLSTM(n_layers, n_units, n_units, 0.1)
            self.decoder = L.NStepLSTM(n_layers, n_units, n_units, 0.1)
            self.W = L.Linear(n_units, n_vocab)

    def forward(self, xs, ys):
        xs = [x[::-1] for x in xs]
        eos = self.xp.array([EOS], np.int32)
        ys_in = [F.concat([eos, y], axis=0) for y in ys]
        ys_out = [F.concat([y, eos], axis=0) for y in ys]
        exs = sequence_embed(self.embed_x, xs)
        eys = sequence_embed(self.embed_y, ys_in)
        hx, cx, _ = self.encoder(None, None, exs)
        _, _, os = self.decoder(hx, cx, eys)
        concat_os = F.concat(os, axis=0)
        concat_ys_out = F.concat(ys_out, axis=0)
        loss = F.sum(F.softmax_cross_entropy(self.W(concat_os), concat_ys_out, reduce='no')) / len(xs)
        chainer.report({'loss': loss.array}, self)
        chainer.report({'perp': self.xp.exp(loss.array * len(xs) / concat_ys_out.shape[0])}, self)
        return loss

    def translate(self, xs, max_length=5):
        batch = len(xs)
        with chainer.no_backprop_mode(), chainer.using_config('train', False):
            exs = sequence_embed(self.embed_x, [x[::-1] for x in xs])
            h, c, _ = self.encoder(None, None, exs)
            ys = self.xp.full(batch, EOS, np.int32)
            result = []
            for _ in range(max_length):
                eys = F.split_axis(self.embed_y(ys), batch, 0)
                h, c, ys = self.decoder(h, c, eys)
                wy = self.W(F.concat(ys, axis=0))
                ys = self.xp.argmax(wy.array, axis=1).astype(np.int32)
                result.append(ys)
        return np.stack([chainer.cuda.to_cpu(r) for r in result]).T


np.random.seed(4)
rng = np.random.RandomState(0)
pairs = []
for _ in range(12):
    s = rng.randint(2, 9, rng.randint(2, 6)).astype(np.int32)
    pairs.append((s, s[::-1].copy()))
model = Seq2seq(2, 9, 10)
optimizer = chainer.optimizers.Adam()
optimizer.setup(model)
for _ in range(4):
    xs, ys = zip(*pairs)
    loss = model(list(xs), list(ys))
    model.cleargrads()
    loss.backward()
    optimizer.update()
    print('loss', float(loss.array))
print(model.translate([p[0] for p in pairs[:2]]).shape)
bi = L.NStepBiGRU(1, 4, 3, 0.0)
h, ys = bi(None, [np.ones((n, 4), 'f') for n in (3, 2)])
print(h.shape, [y.shape for y in ys], float(F.sum(ys[0]).array))
