"""Writes a trainer's snapshot with None in it, and goes on: ``momentum.py write|read FILE``.

``momentum.npz`` and ``momentum.txt`` are what Chainer 7.8.1 has written and printed by ``write``; ``read`` goes on from
the file and prints the same.
"""
import sys
import tempfile

import chainer
import chainer.links as L
import numpy as np
from chainer import serializers, training
from chainer.training import extensions


class Net(chainer.Chain):

    def __init__(self):
        super(Net, self).__init__()
        with self.init_scope():
            self.l = L.Linear(2, 2)
            self.unused = L.Linear(None, 2)

    def forward(self, x):
        return self.l(x)


class Memory(training.Extension):

    def __init__(self):
        self.nothing, self.text, self.number = None, '', 0.0

    def __call__(self, trainer):
        self.text += 'é'
        self.number += 0.5

    def serialize(self, serializer):
        self.nothing = serializer('nothing', self.nothing)
        self.text = serializer('text', self.text)
        self.number = serializer('number', self.number)


def main(action, path):
    np.random.seed(0)
    model = L.Classifier(Net())
    optimizer = chainer.optimizers.MomentumSGD(0.5).setup(model)
    model.predictor.unused.disable_update()
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-2))
    rng = np.random.RandomState(0)
    data = chainer.datasets.TupleDataset(rng.randn(7, 2).astype('f'), rng.randint(0, 2, 7).astype('i'))
    iterator = chainer.iterators.SerialIterator(data, 3, shuffle=False)
    trainer = training.Trainer(training.StandardUpdater(iterator, optimizer), (6, 'iteration'), tempfile.mkdtemp())
    log = extensions.LogReport(trigger=(2, 'iteration'))
    trainer.extend(log)
    trainer.extend(Memory())
    trainer.extend(extensions.LinearShift('lr', (0.5, 0.1), (1, 5)))
    if action == 'write':
        trainer.extend(lambda t: t.updater.iteration == 3 and serializers.save_npz(path, t), name='save', priority=-1)
    else:
        trainer.extend(lambda t: None, name='save', priority=-1)
        serializers.load_npz(path, trainer)
    trainer.run()
    memory = trainer.get_extension('Memory')
    print(memory.nothing, len(memory.text), memory.number, model.predictor.unused.W.array is None)
    print(optimizer.t, optimizer.lr, [float(abs(p.array).sum()) for p in model.predictor.l.params()])
    for entry in log.log:
        print('log', entry['iteration'], entry['epoch'], entry['main/loss'])


if __name__ == '__main__':
    main(*sys.argv[1:])
