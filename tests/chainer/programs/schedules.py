"""Every extension that changes a hyperparameter, and the hooks at both times."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions, triggers


class Lookahead(object):
    """A hook after the update."""

    name = 'Lookahead'
    timing = 'post'
    call_for_each_param = False

    def __call__(self, optimizer):
        for param in optimizer.target.params():
            param.array *= 0.99


def run(label, extension, trigger=(1, 'iteration'), optimizer=None, hooks=(), attribute='lr'):
    np.random.seed(0)
    model = L.Classifier(L.Linear(3, 2))
    optimizer = optimizer or chainer.optimizers.MomentumSGD(0.1)
    optimizer.setup(model)
    for hook in hooks:
        optimizer.add_hook(hook)
    rng = np.random.RandomState(0)
    data = chainer.datasets.TupleDataset(rng.randn(12, 3).astype('f'), rng.randint(0, 2, 12).astype('i'))
    updater = training.StandardUpdater(chainer.iterators.SerialIterator(data, 4), optimizer)
    trainer = training.Trainer(updater, (4, 'epoch'), out='/tmp/schedules')
    if extension is not None:
        trainer.extend(extension, trigger=trigger)
    values = []
    trainer.extend(lambda t: values.append(float(getattr(t.updater.get_optimizer('main'), attribute))),
                   name='watch', trigger=(1, 'iteration'), priority=-500)
    trainer.run()
    print(label, values)
    print('  loss', float(trainer.observation['main/loss'].array))


run('none', None)
run('ExponentialShift', extensions.ExponentialShift('lr', 0.5, init=0.2, target=0.01), (2, 'iteration'))
run('LinearShift', extensions.LinearShift('lr', (0.3, 0.1), (3, 8)))
run('InverseShift', extensions.InverseShift('lr', 0.1, 0.75))
run('PolynomialShift', extensions.PolynomialShift('lr', 0.5, 12))
run('MultistepShift', extensions.MultistepShift('lr', 0.1, [3, 7], 0.2))
run('StepShift', extensions.StepShift('lr', 0.5, 4))
run('WarmupShift', extensions.WarmupShift('lr', 0.01, 5, 0.1))
run('momentum', extensions.ExponentialShift('momentum', 0.9), (1, 'epoch'), attribute='momentum')
run('Adam alpha', extensions.ExponentialShift('alpha', 0.5), triggers.ManualScheduleTrigger([1, 3], 'epoch'),
    chainer.optimizers.Adam(0.1), attribute='alpha')
run('once', extensions.ExponentialShift('lr', 0.1), triggers.OnceTrigger())
run('own trigger', extensions.ExponentialShift('lr', 0.1), lambda trainer: trainer.updater.iteration in (5, 9))
run('noise', None, hooks=[chainer.optimizer_hooks.GradientNoise(0.3)])
run('post', None, hooks=[Lookahead()])
run('decay, clipping', None, hooks=[chainer.optimizer_hooks.WeightDecay(0.1), chainer.optimizer_hooks.GradientClipping(0.2)])
run('lars', None, hooks=[chainer.optimizer_hooks.GradientLARS()])
run('Eve', None, optimizer=chainer.optimizers.NesterovAG(0.05))
