"""Links with add_param, add_persistent, add_link and the arguments of Chain, as before init_scope."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import initializers


class Scale(chainer.Link):

    def __init__(self, size):
        super(Scale, self).__init__()
        self.add_param('gamma', (size,), initializer=initializers.Constant(2))
        self.add_persistent('count', 0)
        self.mean = np.zeros(size, np.float32)
        self.register_persistent('mean')

    def __call__(self, x):
        xp = self.xp
        if chainer.config.train:
            self.count += 1
            self.mean = xp.asarray(0.9 * self.mean + 0.1 * x.data.mean(axis=0), np.float32)
        return (x - self.mean) * F.broadcast_to(self.gamma, x.shape)


class Old(chainer.Chain):

    def __init__(self):
        super(Old, self).__init__(
            l1=L.Linear(4, 6, initialW=initializers.HeNormal()),
            scale=Scale(6),
        )
        self.add_link('l2', L.Linear(6, 1, initial_bias=0.5))

    def __call__(self, x):
        return self.l2(self.scale(F.sigmoid(self.l1(x))))


class Stack(chainer.ChainList):

    def __init__(self):
        super(Stack, self).__init__(Old(), L.Linear(1, 1))
        self.add_link(L.Linear(1, 1, nobias=True))

    def __call__(self, x):
        for link in self:
            x = link(x)
        return x


np.random.seed(3)
model = Stack()
optimizer = chainer.optimizers.Adam(alpha=0.01)
optimizer.setup(model)
optimizer.add_hook(chainer.optimizer.GradientClipping(1.0))
x = np.random.normal(size=(16, 4)).astype('f')
t = np.random.normal(size=(16, 1)).astype('f')


def lossfun(x, t):
    return F.mean_squared_error(model(chainer.Variable(x)), chainer.Variable(t))


for _ in range(6):
    optimizer.update(lossfun, x, t)
    print('loss', float(lossfun(x, t).data))
print(sorted(name for name, _ in model.namedparams()))
print(model[0].scale.count, model[0].scale.mean.tolist())
print([type(link).__name__ for link in model.links()])
model.to_cpu()
