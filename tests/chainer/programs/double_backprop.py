"""Gradients of gradients: a gradient penalty, and chainer.grad in several ways."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np

np.random.seed(2)
critic = chainer.Sequential(L.Linear(6, 12), F.tanh, L.Linear(12, 12), F.tanh, L.Linear(12, 1))
optimizer = chainer.optimizers.RMSprop(0.01)
optimizer.setup(critic)
for i in range(6):
    real = np.random.normal(size=(10, 6)).astype('f')
    fake = np.random.normal(1, 1, size=(10, 6)).astype('f')
    eps = np.random.uniform(0, 1, (10, 1)).astype('f')
    x_hat = chainer.Variable(eps * real + (1 - eps) * fake)
    y_hat = critic(x_hat)
    g, = chainer.grad([y_hat], [x_hat], enable_double_backprop=True)
    penalty = F.mean_squared_error(F.sqrt(F.batch_l2_norm_squared(g)), np.ones(10, 'f'))
    loss = F.mean(critic(fake)) - F.mean(critic(real)) + 10 * penalty
    critic.cleargrads()
    loss.backward()
    optimizer.update()
    print('loss', float(loss.array), float(penalty.array))

x = chainer.Variable(np.array([0.5, -1.0, 2.0], 'f'))
y = F.sin(x) * x ** 3
gx, = chainer.grad([y], [x], enable_double_backprop=True, grad_outputs=[chainer.Variable(np.ones(3, 'f'))])
ggx, = chainer.grad([gx], [x], enable_double_backprop=True, grad_outputs=[chainer.Variable(np.ones(3, 'f'))])
gggx, = chainer.grad([ggx], [x], grad_outputs=[chainer.Variable(np.ones(3, 'f'))])
print('derivatives', gx.array.tolist(), ggx.array.tolist(), gggx.array.tolist())
other = chainer.Variable(np.zeros(3, 'f'))
print(chainer.grad([y], [x, other], grad_outputs=[chainer.Variable(np.ones(3, 'f'))])[1] is None)
