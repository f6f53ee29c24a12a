"""A run that is stopped, saved, and gone on with: it equals one that was not stopped."""
import os
import tempfile

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions


def make(out, epochs):
    np.random.seed(11)
    model = L.Classifier(chainer.Sequential(L.Linear(6, 8), L.BatchNormalization(8), F.relu, L.Linear(8, 3)))
    optimizer = chainer.optimizers.Adam(0.02)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-3))
    rng = np.random.RandomState(0)
    data = chainer.datasets.TupleDataset(rng.randn(40, 6).astype('f'), rng.randint(0, 3, 40).astype('i'))
    iterator = chainer.iterators.SerialIterator(data, 8, shuffle=False)
    updater = training.StandardUpdater(iterator, optimizer)
    trainer = training.Trainer(updater, (epochs, 'epoch'), out=out)
    log = extensions.LogReport(trigger=(1, 'epoch'))
    trainer.extend(log)
    trainer.extend(extensions.snapshot(), trigger=(1, 'epoch'))
    trainer.extend(extensions.snapshot_object(model, 'model_iter_{.updater.iteration}'), trigger=(1, 'epoch'))
    return trainer, model, log


whole_out, cut_out = tempfile.mkdtemp(), tempfile.mkdtemp()
trainer, model, log = make(whole_out, 4)
trainer.run()
for entry in log.log:
    print('loss', entry['main/loss'])

trainer, _, _ = make(cut_out, 2)
trainer.run()
trainer, resumed, log = make(cut_out, 4)
chainer.serializers.load_npz(os.path.join(cut_out, 'snapshot_iter_10'), trainer)
print('resumed at', trainer.updater.iteration, trainer.updater.epoch)
trainer.run()
for entry in log.log:
    print('loss', entry['main/loss'])
print('same', all((a.array == b.array).all() for a, b in zip(model.params(), resumed.params())))

loaded = make(tempfile.mkdtemp(), 1)[1]
chainer.serializers.load_npz(os.path.join(whole_out, 'model_iter_20'), loaded)
print('same', all((a.array == b.array).all() for a, b in zip(model.params(), loaded.params())))
with np.load(os.path.join(whole_out, 'model_iter_20')) as f:
    print(sorted(f.files))
with np.load(os.path.join(whole_out, 'snapshot_iter_20'), allow_pickle=True) as f:
    print(sorted(f.files))
