"""What programs rely on in trainers, evaluators, updaters, triggers, extensions and their snapshots."""
import json
import os
import tempfile

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import reporter as reporter_module
from chainer import training
from chainer.training import extension, extensions, triggers, util
from chainer.training.extensions import evaluator
from chainer.training.triggers import interval_trigger


class Net(chainer.Chain):

    def __init__(self):
        super(Net, self).__init__()
        with self.init_scope():
            self.l1 = L.Linear(4, 5)
            self.unused = L.Linear(None, 3)
            self.l2 = L.Linear(5, 2)

    def forward(self, x):
        return self.l2(F.tanh(self.l1(x)))


class TwoIterators(training.updaters.StandardUpdater):

    def update_core(self):
        optimizer = self.get_optimizer('main')
        x, t = self.converter(self.get_iterator('main').next(), self.device)
        x2, t2 = self.converter(self.get_iterator('other').next(), self.device)
        model = optimizer.target
        loss = model(x, t) + 0.5 * F.softmax_cross_entropy(model.predictor(x2), t2)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        chainer.report({'total': loss}, model)
        chainer.report({'right': 3 + self.iteration, 'all': 8})


class Twice(extensions.Evaluator):

    def evaluate(self):
        iterator = self._iterators['main']
        target = self._targets['main']
        if self.eval_hook:
            self.eval_hook(self)
        iterator.reset()
        summary = reporter_module.DictSummary()
        for batch in iterator:
            observation = {}
            with reporter_module.report_scope(observation):
                x, t = self.converter(batch, self.device)
                with chainer.no_backprop_mode():
                    chainer.report({'sum': F.sum(target.predictor(x))}, target)
            summary.add(observation)
        return summary.compute_mean()


class State(extension.Extension):
    priority = extension.PRIORITY_READER

    def __init__(self):
        self.nothing = None
        self.number, self.text, self.flag, self.array = 0, 'a', False, np.zeros(3)

    def __call__(self, trainer):
        self.number += 1
        self.text += 'b'
        self.flag = not self.flag
        self.array += self.number

    def on_error(self, trainer, exc, tb):
        print('on_error', type(exc).__name__)

    def finalize(self):
        print('finalize', self.number)

    def serialize(self, serializer):
        self.nothing = serializer('nothing', self.nothing)
        self.number = serializer('number', self.number)
        self.text = serializer('text', self.text)
        self.flag = serializer('flag', self.flag)
        self.array = serializer('array', self.array)
        try:
            serializer('not/there' if isinstance(serializer, chainer.serializer.Deserializer) else 'there', 1)
        except KeyError:
            print('KeyError')


class Plain(object):
    trigger = 3, 'iteration'

    def __call__(self, trainer):
        print('plain', trainer.updater.iteration)


def data(n, seed):
    rng = np.random.RandomState(seed)
    return chainer.datasets.TupleDataset(rng.randn(n, 4).astype('f'), rng.randint(0, 2, n).astype('i'))


def make(out, iterations):
    np.random.seed(4)
    model = L.Classifier(Net())
    optimizer = chainer.optimizers.MomentumSGD(0.1)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(1))
    model.predictor.unused.disable_update()
    iterators = {'main': chainer.iterators.SerialIterator(data(18, 0), 4),
                 'other': chainer.iterators.MultithreadIterator(data(10, 1), 4)}
    updater = TwoIterators(iterators, optimizer, device=-1)
    test = chainer.iterators.SerialIterator(data(10, 2), 4, repeat=False, shuffle=False)
    trainer = training.Trainer(updater, (iterations, 'iteration'), out=out)
    trainer.extend(extensions.Evaluator(test, model, device=-1), trigger=(4, 'iteration'))
    trainer.extend(Twice(test, model, eval_hook=lambda e: print('hook', e.name)), name='twice', trigger=(5, 'iteration'))
    trainer.extend(extensions.Evaluator(test, model, eval_func=model.predictor.l1 and (
        lambda x, t: chainer.report({'x': F.mean(x)}, model))), name='val2', trigger=(6, 'iteration'))
    trainer.extend(extensions.StepShift('lr', 0.5, 2, 0.1), trigger=(2, 'iteration'))
    trainer.extend(extensions.PolynomialShift('momentum', 2, 20), trigger=(3, 'iteration'))
    trainer.extend(extensions.observe_lr())
    trainer.extend(extensions.observe_value('momentum', lambda t: t.updater.get_optimizer('main').momentum),
                   trigger=(1, 'iteration'))
    trainer.extend(extensions.MicroAverage('right', 'all', 'ratio', trigger=(5, 'iteration')))
    trainer.extend(extensions.ParameterStatistics(model.predictor.l1, statistics={'mean': lambda x: x.mean()},
                                                  trigger=(5, 'iteration'), prefix='p'))
    trainer.extend(extensions.LogReport(keys=['main/total', 'lr', 'momentum', 'ratio', 'main/accuracy'],
                                        trigger=(5, 'iteration'), filename='log_{iteration}',
                                        postprocess=lambda entry: entry.update(added=1)))
    trainer.extend(extensions.LogReport(trigger=(6, 'iteration'), log_name=None), name='all')
    trainer.extend(extensions.unchain_variables())
    trainer.extend(State())
    trainer.extend(Plain(), name='Plain')
    trainer.extend(lambda t: print('once', t.updater.iteration), name='once', trigger=triggers.OnceTrigger())
    trainer.extend(lambda t: print('manual', t.updater.iteration), name='manual',
                   trigger=triggers.ManualScheduleTrigger([0.5, 1, 2.2], 'epoch'))
    trainer.extend(lambda t: print('max', t.updater.iteration), name='max',
                   trigger=triggers.MaxValueTrigger('main/accuracy', trigger=(3, 'iteration')))
    trainer.extend(lambda t: print('best', t.updater.iteration), name='best', trigger=triggers.BestValueTrigger(
        'main/total', lambda best, new: new < best - 0.01, trigger=(3, 'iteration')))
    trainer.extend(extensions.snapshot(filename='snapshot'), trigger=(6, 'iteration'))
    trainer.extend(extensions.snapshot_object(model, 'model'), trigger=(6, 'iteration'))
    return trainer


def tell(trainer, out):
    print(sorted(name for name in os.listdir(out) if name.startswith('log')))
    for name in ('LogReport', 'all'):
        for entry in trainer.get_extension(name).log:
            print('entry', sorted((k, v) for k, v in entry.items() if k != 'elapsed_time'))
    state = trainer.get_extension('State')
    print(state.number, state.text, state.flag, state.array.tolist(), state.nothing)


out = tempfile.mkdtemp()
trainer = make(out, 7)
trainer.run()
tell(trainer, out)
with np.load(os.path.join(out, 'snapshot'), allow_pickle=True) as f:
    for key in sorted(f.files):
        if not key.endswith('_log'):
            print(key, f[key].dtype, f[key].shape)
    print(f['updater/model:main/predictor/unused/W'], f['extensions/State/nothing'])
again = make(out, 18)
chainer.serializers.load_npz(os.path.join(out, 'snapshot'), again)
print(again.updater.iteration, again.updater.epoch, '%.6f' % again.updater.epoch_detail,
      '%.6f' % again.updater.get_iterator('other').epoch_detail)
again.run()
tell(again, out)
print(again.elapsed_time > 0, again.updater.get_optimizer('main').t)

for label, run in (
    ('twice', again.run),
    ('extension', lambda: again.get_extension('nobody')),
    ('name', lambda: again.extend(State(), name='training')),
    ('key', lambda: triggers.MaxValueTrigger('nobody', trigger=(1, 'iteration'))(again)),
):
    try:
        run()
    except Exception as error:
        print(label, type(error).__name__)

trainer = make(tempfile.mkdtemp(), 4)


def fail(trainer):
    raise ZeroDivisionError('on purpose')


trainer.extend(fail, trigger=(2, 'iteration'))
try:
    trainer.run(show_loop_exception_msg=False)
except ZeroDivisionError as error:
    print('raised', error)
print(evaluator.Evaluator is extensions.Evaluator, util.get_trigger((2, 'epoch')),
      isinstance(util.get_trigger((2, 'epoch')), interval_trigger.IntervalTrigger),
      triggers.IntervalTrigger(3, 'iteration').get_training_length(), extensions.Evaluator.default_name,
      extensions.LogReport().default_name, extensions.Evaluator.trigger, extensions.snapshot().priority)
