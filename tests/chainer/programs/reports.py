"""What a run writes: tables, logs, plots where there is a library for them, statistics, progress; errors handled."""
import io
import json
import os
import tempfile

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions, triggers


def make(out, stop=(2, 'epoch')):
    np.random.seed(0)
    model = L.Classifier(L.Linear(4, 3))
    optimizer = chainer.optimizers.SGD(0.5).setup(model)
    rng = np.random.RandomState(0)
    data = chainer.datasets.TupleDataset(rng.randn(12, 4).astype('f'), rng.randint(0, 3, 12).astype('i'))
    updater = training.StandardUpdater(chainer.iterators.SerialIterator(data, 3), optimizer)
    return training.Trainer(updater, stop, out=out), model, data


out = tempfile.mkdtemp()
trainer, model, data = make(out)
table = io.StringIO()
trainer.extend(extensions.LogReport(trigger=(2, 'iteration'), postprocess=lambda stats: stats.update(twice=2 * stats['main/loss'])))
trainer.extend(extensions.PrintReport(['epoch', 'iteration', 'main/loss', 'nothing', 'twice'], out=table))
trainer.extend(extensions.Evaluator(chainer.iterators.SerialIterator(data, 5, False, False), model), name='first')
trainer.extend(extensions.Evaluator({'main': chainer.iterators.SerialIterator(data, 5, False, False)}, {'main': model}),
               name='second')
trainer.extend(extensions.observe_value('b', lambda trainer: float(abs(model.predictor.b.array).sum())))
trainer.extend(extensions.ParameterStatistics(model.predictor, {'mean': lambda x: x.mean()}, prefix='p', report_params=True,
                                              report_grads=False), trigger=(1, 'iteration'))
trainer.extend(lambda t: chainer.report({'hits': 2. * t.updater.iteration, 'all': 4}), name='count', trigger=(1, 'iteration'), priority=300)
trainer.extend(extensions.MicroAverage('hits', 'all', 'quotient', (1, 'epoch')))
print(trainer.is_before_training if hasattr(trainer, 'is_before_training') else None)
trainer.run()
print(table.getvalue().replace('\x1b[J', ''))
log = json.load(open(os.path.join(out, 'log')))
print(len(log), sorted(k for k in log[-1] if k != 'elapsed_time'))
for entry in log:
    print('loss', entry['main/loss'], entry['twice'], entry.get('first/main/loss'), entry.get('second/main/loss'), entry.get('b'))
print('statistics', [(k, v) for k, v in sorted(log[-1].items()) if k.startswith('p/')], log[-1].get('quotient'))
print(sorted(os.listdir(out)), trainer.elapsed_time > 0, trainer.updater.epoch)
try:
    trainer.run()
except RuntimeError as error:
    print('twice', type(error).__name__)
try:
    trainer.get_extension('nothing')
except ValueError as error:
    print('absent', type(error).__name__)


class Watch(training.Extension):

    priority = training.PRIORITY_EDITOR

    def __call__(self, trainer):
        if trainer.updater.iteration == 3:
            raise KeyError('mistake')

    def on_error(self, trainer, exc, tb):
        print('on_error', type(exc).__name__, trainer.updater.iteration)

    def finalize(self):
        print('finalize')


trainer, _, _ = make(out, (1, 'epoch'))
trainer.extend(Watch(), trigger=(1, 'iteration'), name='watch')
try:
    trainer.run(show_loop_exception_msg=False)
except KeyError as error:
    print('raised', error)


class Stop(object):

    def __init__(self):
        self.n = 0

    def __call__(self, trainer):
        self.n += 1
        return self.n > 6


trainer, _, _ = make(out, Stop())
seen = []
trainer.extend(lambda t: seen.append(('start', t.updater.iteration)), name='early', call_before_training=True,
               trigger=(3, 'iteration'))
trainer.extend(lambda t: seen.append(('once', t.updater.iteration)), name='once', trigger=triggers.OnceTrigger(True))
trainer.extend(lambda t: seen.append(('half', t.updater.iteration)), name='half', trigger=(0.5, 'epoch'))
trainer.extend(lambda t: seen.append(('schedule', t.updater.epoch_detail)), name='schedule',
               trigger=triggers.ManualScheduleTrigger([0.5, 1], 'epoch'))
trainer.extend(lambda t: seen.append(('min', t.updater.iteration)), name='min',
               trigger=triggers.BestValueTrigger('main/loss', lambda best, new: new < best, trigger=(2, 'iteration')))
trainer.run()
print(seen)
print(training.get_trigger((1, 'epoch')).period, str(training.get_trigger((1, 'epoch'))))
print(extensions.PlotReport.available() in (True, False), extensions.VariableStatisticsPlot.available() in (True, False))
