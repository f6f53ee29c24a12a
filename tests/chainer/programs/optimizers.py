"""All optimizers, their hyperparameters and hooks, and updates in all ways of asking for them."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import optimizer_hooks, optimizers

rng = np.random.RandomState(0)
x, t = rng.randn(20, 4).astype('f'), rng.randn(20, 1).astype('f')


def train(optimizer, hooks=()):
    np.random.seed(1)
    model = chainer.Sequential(L.Linear(4, 6), F.tanh, L.Linear(6, 1))
    optimizer.setup(model)
    for hook in hooks:
        optimizer.add_hook(hook)
    for _ in range(5):
        optimizer.update(lambda: F.mean_squared_error(model(x), t))
    return float(F.mean_squared_error(model(x), t).array)


for make in (
    lambda: optimizers.SGD(0.1), lambda: optimizers.MomentumSGD(0.1), lambda: optimizers.NesterovAG(0.1),
    lambda: optimizers.CorrectedMomentumSGD(0.1), lambda: optimizers.Adam(0.01), lambda: optimizers.AdaDelta(),
    lambda: optimizers.AdaGrad(0.1), lambda: optimizers.RMSprop(0.01), lambda: optimizers.RMSpropGraves(0.01),
    lambda: optimizers.SMORMS3(0.01), lambda: optimizers.MSVAG(0.1), lambda: optimizers.AdamW(0.01),
    lambda: optimizers.AMSGrad(0.01), lambda: optimizers.AdaBound(0.01), lambda: optimizers.AMSBound(0.01),
):
    optimizer = make()
    print('loss', type(optimizer).__name__, train(optimizer))
for hook in (
    optimizer_hooks.WeightDecay(0.1), optimizer_hooks.Lasso(0.1), optimizer_hooks.GradientClipping(0.1),
    optimizer_hooks.GradientHardClipping(-0.01, 0.01), optimizer_hooks.GradientLARS(),
):
    print('loss', hook.name, train(optimizers.SGD(0.1), [hook]))

adam = optimizers.Adam(alpha=0.1)
model = L.Linear(2, 2, initialW=1)
adam.setup(model)
model.W.update_rule.hyperparam.alpha = 0.5
model.b.update_rule.enabled = False
adam.alpha = 0.2
model.W.grad, model.b.grad = np.ones((2, 2), 'f'), np.ones(2, 'f')
adam.update()
print(model.W.array.tolist(), model.b.array.tolist(), adam.t, round(adam.lr, 6), sorted(model.W.update_rule.state))
adam.new_epoch()
print(adam.epoch, adam.hyperparam.beta1, adam.target is model)
adam.remove_hook if hasattr(adam, 'remove_hook') else None
for name, param in sorted(model.namedparams()):
    print(name, param.update_rule.enabled)
