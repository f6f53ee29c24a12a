"""Extensions of one's own, in all ways of writing them, shifts of learning rates, and triggers."""
import json
import os
import tempfile

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions, triggers


class Counter(training.Extension):
    name = 'counter'
    trigger = 2, 'iteration'
    priority = training.PRIORITY_WRITER

    def __init__(self):
        self.count = 0

    def initialize(self, trainer):
        print('initialized at', trainer.updater.iteration)

    def __call__(self, trainer):
        self.count += 1
        chainer.report({'count': self.count})

    def finalize(self):
        print('finalized after', self.count)

    def serialize(self, serializer):
        self.count = serializer('count', self.count)


@training.make_extension(trigger=(1, 'epoch'), default_name='shout', priority=training.PRIORITY_READER)
def shout(trainer):
    print('epoch', trainer.updater.epoch, '%.6f' % float(trainer.observation['main/loss'].array))


np.random.seed(0)
model = L.Classifier(L.Linear(5, 2), lossfun=F.softmax_cross_entropy)
model.compute_accuracy = False
optimizer = chainer.optimizers.MomentumSGD(0.5)
optimizer.setup(model)
rng = np.random.RandomState(0)
dataset = chainer.datasets.TupleDataset(rng.randn(20, 5).astype('f'), rng.randint(0, 2, 20).astype('i'))
updater = training.StandardUpdater(chainer.iterators.SerialIterator(dataset, 5), optimizer)
out = tempfile.mkdtemp()
trainer = training.Trainer(updater, triggers.EarlyStoppingTrigger(
    monitor='main/loss', patients=2, check_trigger=(1, 'epoch'), max_trigger=(6, 'epoch')), out=out)
trainer.extend(Counter())
trainer.extend(shout)
trainer.extend(lambda t: print('every 10', t.updater.iteration), name='ten', trigger=(10, 'iteration'))
trainer.extend(extensions.ExponentialShift('lr', 0.5), trigger=(1, 'epoch'))
trainer.extend(extensions.LinearShift('momentum', (0.9, 0.5), (4, 12)))
trainer.extend(extensions.observe_lr())
trainer.extend(extensions.observe_value('momentum', lambda t: t.updater.get_optimizer('main').momentum))
trainer.extend(extensions.LogReport(trigger=(2, 'iteration'), log_name='my_log'))
trainer.extend(extensions.FailOnNonNumber())
trainer.extend(lambda t: print('schedule', t.updater.iteration), name='schedule',
               trigger=triggers.ManualScheduleTrigger([3, 7], 'iteration'))
trainer.extend(lambda t: print('best', t.updater.iteration), name='best',
               trigger=triggers.MinValueTrigger('main/loss', trigger=(1, 'epoch')))
trainer.run()
for entry in json.load(open(os.path.join(out, 'my_log'))):
    print('log', entry['main/loss'], entry.get('lr'), entry.get('momentum'), entry['iteration'])
print(type(trainer.get_extension('counter')).__name__, trainer.get_extension('counter').count)
