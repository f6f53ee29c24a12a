"""Reporters, scopes and summaries."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np


class Inner(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l = L.Linear(3, 3)

    def forward(self, x):
        y = F.relu(self.l(x))
        chainer.report({'activity': F.mean(y), 'size': y.size}, self)
        return y


class Outer(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.a, self.b = Inner(), Inner()
            self.rest = chainer.ChainList(Inner(), Inner())

    def forward(self, x):
        h = self.b(self.a(x))
        for link in self.rest:
            h = link(h)
        loss = F.sum(h ** 2)
        chainer.report({'loss': loss}, self)
        chainer.report({'free': 1})
        return loss


np.random.seed(0)
model = Outer()
reporter = chainer.Reporter()
reporter.add_observer('main', model)
reporter.add_observers('main', model.namedlinks(skipself=True))
summary = chainer.DictSummary()
for i in range(3):
    observation = {}
    with reporter.scope(observation):
        model(np.random.normal(size=(2, 3)).astype('f'))
    with reporter:
        chainer.report({'outside': i})
    summary.add(observation)
    print(sorted(observation))
    print('loss', float(observation['main/loss'].array), float(observation['main/rest/1/activity'].array))
means = summary.compute_mean()
print('means', [(k, float(v)) for k, v in sorted(means.items())])
print('statistics', sorted(summary.make_statistics())[:4])
one = chainer.reporter.Summary()
for v in (1., 2., 4.):
    one.add(v)
print(float(one.compute_mean()), [float(v) for v in one.make_statistics()])
with reporter:
    inner = {}
    with chainer.report_scope(inner):
        chainer.report({'x': 1})
    try:
        chainer.report({'x': 1}, L.Linear(1, 1))
    except KeyError as error:
        print('refused', type(error).__name__)
print(inner)
