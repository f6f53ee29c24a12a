"""A tagger with a conditional random field, and labels without alignment by CTC."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np


class CRF(chainer.Chain):

    def __init__(self, n_vocab, n_pos):
        super(CRF, self).__init__()
        with self.init_scope():
            self.feature = L.EmbedID(n_vocab, n_pos)
            self.crf = L.CRF1d(n_pos)

    def __call__(self, xs, ys):
        return self.crf([self.feature(x) for x in xs], ys, transpose=True)

    def argmax(self, xs):
        return self.crf.argmax([self.feature(x) for x in xs], transpose=True)


np.random.seed(0)
rng = np.random.RandomState(0)
lengths = (6, 4, 3)
xs = [rng.randint(0, 5, n).astype('i') for n in lengths]
ys = [(x % 3).astype('i') for x in xs]
model = CRF(5, 3)
optimizer = chainer.optimizers.AdaGrad(0.2)
optimizer.setup(model)
for _ in range(4):
    optimizer.update(model, xs, ys)
    print('loss', float(model(xs, ys).array))
score, path = model.argmax(xs)
print('score', score.array.tolist(), [p.tolist() for p in path])
loss = F.crf1d(chainer.Variable(np.zeros((3, 3), 'f')), [rng.randn(2, 3).astype('f')] * 2,
               [np.array([0, 1], 'i')] * 2, reduce='no')
print('cost', loss.array.tolist())


class Recognizer(chainer.Chain):

    def __init__(self, n_out):
        super(Recognizer, self).__init__()
        with self.init_scope():
            self.rnn = L.NStepLSTM(1, 4, 6, 0)
            self.out = L.Linear(6, n_out)

    def __call__(self, xs):
        _, _, hs = self.rnn(None, None, xs)
        h = F.stack(hs, axis=1)
        return [self.out(step) for step in h]


blank = 0
frames = [rng.randn(7, 4).astype('f') for _ in range(3)]
labels = np.array([[1, 2, -1], [2, 2, 1], [3, -1, -1]], 'i')
label_length = np.array([2, 3, 1], 'i')
input_length = np.array([7, 7, 5], 'i')
model = Recognizer(4)
optimizer = chainer.optimizers.Adam(0.05)
optimizer.setup(model)
for _ in range(4):
    outputs = model(frames)
    loss = F.connectionist_temporal_classification(outputs, labels, blank, input_length, label_length)
    model.cleargrads()
    loss.backward()
    optimizer.update()
    print('loss', float(loss.array))
best = F.stack(model(frames)).array.argmax(axis=2).T
print('best', best.shape)
