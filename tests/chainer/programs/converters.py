"""Converters of one's own, padding, and data sets of dictionaries."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import training
from chainer.dataset import convert


@chainer.dataset.converter()
def padded(batch, device):
    xs = [device.send(x) for x, _ in batch]
    t = device.send(np.array([t for _, t in batch], np.int32))
    return {'x': F.pad_sequence(xs, padding=0).array, 't': t}


def by_name(batch, device=None):
    xs = convert.concat_examples([x for x, _ in batch], device, padding=0)
    return {'x': xs[:, :4], 't': np.array([t for _, t in batch], np.int32)}


class Mean(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l = L.Linear(1, 2)

    def forward(self, x, t):
        loss = F.softmax_cross_entropy(self.l(F.mean(x, axis=1, keepdims=True)), t)
        chainer.report({'loss': loss}, self)
        return loss


np.random.seed(0)
rng = np.random.RandomState(1)
data = [(rng.randn(n).astype('f') + n % 2, n % 2) for n in rng.randint(4, 9, 30)]
for converter in (padded, by_name):
    model = Mean()
    optimizer = chainer.optimizers.SGD(0.1).setup(model)
    iterator = chainer.iterators.SerialIterator(data, 10, shuffle=False)
    updater = training.StandardUpdater(iterator, optimizer, converter=converter, device=-1)
    for _ in range(4):
        observation = {}
        reporter = chainer.Reporter()
        reporter.add_observer('main', model)
        with reporter.scope(observation):
            updater.update()
        print('loss', float(observation['main/loss'].array))

dataset = chainer.datasets.DictDataset(x=np.arange(6, dtype='f'), y=np.arange(6, dtype='i'))
batch = convert.concat_examples(dataset[:3])
print({k: v.tolist() for k, v in sorted(batch.items())})
print(convert.concat_examples([np.arange(3), np.arange(5)], padding=-1).tolist())
print(type(convert.to_device(-1, np.zeros(2))).__name__)
