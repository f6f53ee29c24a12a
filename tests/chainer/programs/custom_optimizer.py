"""An optimizer, an update rule and hooks of one's own, several optimizers in one updater, rules for single parameters."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import optimizer as optimizer_module
from chainer import training, types
from chainer.backends import cuda

_default_hyperparam = optimizer_module.Hyperparameter()
_default_hyperparam.lr = 0.05
_default_hyperparam.decay = 0.8


class SignRule(optimizer_module.UpdateRule):

    _kernel = None

    def __init__(self, parent_hyperparam=None, lr=None, decay=None):
        super(SignRule, self).__init__(parent_hyperparam or _default_hyperparam)
        if lr is not None:
            self.hyperparam.lr = lr
        if decay is not None:
            self.hyperparam.decay = decay

    def init_state(self, param):
        xp = chainer.backend.get_array_module(param.data)
        with cuda.get_device_from_array(param.data):
            self.state['m'] = xp.zeros_like(param.data)

    def update_core_cpu(self, param):
        grad = param.grad
        if grad is None:
            return
        hp = self.hyperparam
        m = self.state['m']
        m *= hp.decay
        m += (1 - hp.decay) * grad
        param.data -= hp.lr * np.sign(m) / (self.t ** 0.5)

    def update_core_gpu(self, param):
        if SignRule._kernel is None:
            SignRule._kernel = cuda.elementwise('T g, T lr', 'T p', 'p -= lr * g', 'sign')
        SignRule._kernel(param.grad, self.hyperparam.lr, param.data)


class Sign(optimizer_module.GradientMethod):

    def __init__(self, lr=_default_hyperparam.lr, decay=_default_hyperparam.decay):
        super(Sign, self).__init__()
        self.hyperparam.lr = lr
        self.hyperparam.decay = decay

    lr = optimizer_module.HyperparameterProxy('lr')
    decay = optimizer_module.HyperparameterProxy('decay')

    def create_update_rule(self):
        return SignRule(self.hyperparam)


class WeightClipping(object):
    """An old hook: of the optimizer, before the update."""

    name = 'WeightClipping'

    def __init__(self, threshold):
        self.threshold = threshold

    def __call__(self, opt):
        for param in opt.target.params():
            xp = cuda.get_array_module(param.data)
            with cuda.get_device_from_array(param.data):
                param.data = xp.clip(param.data, -self.threshold, self.threshold)


class Scaled(object):
    """A hook of the rule."""

    name = 'Scaled'
    call_for_each_param = True
    timing = 'pre'

    def __init__(self, rate):
        self.rate = rate

    def __call__(self, rule, param):
        if param.grad is not None:
            param.grad *= self.rate


class Pair(chainer.Chain):

    def __init__(self):
        super(Pair, self).__init__()
        with self.init_scope():
            self.a = L.Linear(3, 4)
            self.b = L.Linear(4, 2)

    def forward(self, x, t):
        y = self.b(F.tanh(self.a(x)))
        loss = F.softmax_cross_entropy(y, t)
        chainer.report({'loss': loss}, self)
        return loss


np.random.seed(0)
rng = np.random.RandomState(0)
x, t = rng.randn(16, 3).astype('f'), rng.randint(0, 2, 16).astype('i')
model = Pair()
optimizer = Sign(lr=0.03)
print(optimizer.setup(model) is optimizer, optimizer.lr, model.a.W.update_rule.hyperparam.decay)
optimizer.add_hook(WeightClipping(0.9))
optimizer.add_hook(Scaled(0.5), 'half')
model.b.b.update_rule.hyperparam.lr = 0.3
model.a.b.update_rule = chainer.optimizers.Adam(0.01).create_update_rule()
model.a.W.update_rule.add_hook(chainer.optimizer_hooks.WeightDecay(0.01))
for _ in range(5):
    optimizer.update(model, x, t)
    print('loss', float(model(x, t).array))
print(optimizer.t, model.a.W.update_rule.t, sorted(model.a.W.update_rule.state), sorted(model.a.b.update_rule.state))
print('largest', float(max(abs(p.array).max() for p in model.params())) < 1)
optimizer.remove_hook('half')
try:
    optimizer.remove_hook('half')
except KeyError:
    print('no such hook')
hyperparam = model.b.b.update_rule.hyperparam
print(sorted(hyperparam.get_dict().items()), hyperparam.parent is optimizer.hyperparam, repr(optimizer.hyperparam)[:14])
target = {}
serializer = chainer.serializers.DictionarySerializer(target)
optimizer.serialize(serializer)
print(sorted(target))

model = Pair()
optimizers = {'a': Sign(), 'b': chainer.optimizers.MomentumSGD(0.1)}
optimizers['a'].setup(model.a)
optimizers['b'].setup(model.b)


class TwoStep(training.updaters.StandardUpdater):

    def update_core(self):
        batch = self._iterators['main'].next()
        in_arrays = self.converter(batch, self.device)
        loss = model(*in_arrays)
        for optimizer in self._optimizers.values():
            optimizer.target.cleargrads()
        loss.backward()
        for name in sorted(self._optimizers):
            self._optimizers[name].update()
        loss.unchain_backward()


iterator = chainer.iterators.SerialIterator(chainer.datasets.TupleDataset(x, t), 8)
updater = TwoStep({'main': iterator}, optimizers)
for _ in range(4):
    updater.update()
print('loss', float(model(x, t).array), updater.iteration, sorted(updater.get_all_optimizers()), updater.is_new_epoch,
      updater.epoch_detail)
updater.connect_trainer(None)
updater.finalize()
optimizer = chainer.optimizers.SGD(0.1)
optimizer.setup(model)
updater = training.StandardUpdater(iterator, optimizer, loss_func=lambda *args: model(*args) * 2)
updater.update()
print('loss', float(model(x, t).array))
print(isinstance(_default_hyperparam, optimizer_module.Hyperparameter), types.TYPE_CHECKING)
