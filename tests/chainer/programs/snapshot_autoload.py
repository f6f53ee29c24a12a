"""Snapshots that are found and loaded by the extension itself, old ones removed, and writers."""
import os
import tempfile

import chainer
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions

out = tempfile.mkdtemp()


def make(epochs, **kwargs):
    np.random.seed(2)
    model = L.Classifier(L.Linear(4, 2))
    optimizer = chainer.optimizers.Adam()
    optimizer.setup(model)
    rng = np.random.RandomState(0)
    data = chainer.datasets.TupleDataset(rng.randn(12, 4).astype('f'), rng.randint(0, 2, 12).astype('i'))
    updater = training.StandardUpdater(chainer.iterators.SerialIterator(data, 4), optimizer)
    trainer = training.Trainer(updater, (epochs, 'epoch'), out=out)
    trainer.extend(extensions.LogReport(trigger=(1, 'epoch'), filename='log_{}'.format(epochs)))
    trainer.extend(extensions.snapshot(**kwargs), trigger=(1, 'epoch'))
    return trainer


trainer = make(3, n_retains=2)
trainer.run()
print(sorted(os.listdir(out)))
trainer = make(5, n_retains=2, autoload=True)
trainer.run()
print(sorted(os.listdir(out)), trainer.updater.iteration)
print('loss', [entry['main/loss'] for entry in trainer.get_extension('LogReport').log])
trainer = make(6, filename='fixed', autoload=True, writer=extensions.snapshot_writers.SimpleWriter(
    savefun=chainer.serializers.save_npz, compression=False))
trainer.run()
print(sorted(os.listdir(out)), trainer.updater.epoch)
trainer = make(7, filename='thread_{.updater.epoch}', writer=extensions.snapshot_writers.ThreadWriter(),
               condition=lambda: True)
trainer.run()
print(sorted(name for name in os.listdir(out) if name.startswith('thread')))
trainer = make(1, snapshot_on_error=True, filename='on_error_{.updater.iteration}')


def fail(trainer):
    if trainer.updater.iteration == 2:
        raise ValueError('stop here')


trainer.extend(fail, trigger=(1, 'iteration'))
try:
    trainer.run()
except ValueError as error:
    print('error', error)
print(sorted(name for name in os.listdir(out) if name.startswith('on_error')))
