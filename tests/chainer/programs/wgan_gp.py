"""A critic with a gradient penalty: gradients of gradients within an updater, several updates a step, samples drawn."""
import os
import tempfile

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions


class Net(chainer.ChainList):

    def __init__(self, *sizes):
        super(Net, self).__init__(*[L.Linear(a, b, initialW=chainer.initializers.HeNormal()) for a, b in zip(sizes, sizes[1:])])

    def __call__(self, x):
        for link in list(self)[:-1]:
            x = F.leaky_relu(link(x), 0.1)
        return self[-1](x)


class Updater(chainer.training.StandardUpdater):

    def __init__(self, *args, **kwargs):
        self.generator, self.critic = kwargs.pop('models')
        self.n_critic, self.lam = kwargs.pop('n_critic'), kwargs.pop('lam')
        super(Updater, self).__init__(*args, **kwargs)

    def noise(self, n):
        return self.generator.xp.random.normal(size=(n, 2)).astype(np.float32)

    def update_core(self):
        xp = self.generator.xp
        for i in range(self.n_critic):
            x_real = self.converter(self.get_iterator('main').next(), self.device)
            n = len(x_real)
            x_fake = self.generator(self.noise(n))
            e = xp.random.uniform(0., 1., (n, 1)).astype('f')
            x_mid = chainer.Variable(e * x_real + (1 - e) * x_fake.array)
            y_real, y_fake, y_mid = self.critic(x_real), self.critic(chainer.Variable(x_fake.array)), self.critic(x_mid)
            grad, = chainer.grad([y_mid], [x_mid], enable_double_backprop=True)
            norm = F.sqrt(F.batch_l2_norm_squared(grad))
            penalty = self.lam * F.mean_squared_error(norm, xp.ones_like(norm.array))
            loss = F.mean(y_fake - y_real) + penalty
            self.critic.cleargrads()
            loss.backward()
            self.get_optimizer('critic').update()
            chainer.reporter.report({'loss': loss, 'penalty': penalty, 'distance': -F.mean(y_fake - y_real)}, self.critic)
        loss = -F.mean(self.critic(self.generator(self.noise(n))))
        self.generator.cleargrads()
        self.critic.cleargrads()
        loss.backward()
        self.get_optimizer('generator').update()
        chainer.report({'loss': loss}, self.generator)


def out_generated(generator, seed, folder):
    @training.make_extension(trigger=(1, 'epoch'))
    def write(trainer):
        state = np.random.get_state()
        np.random.seed(seed)
        z = generator.xp.asarray(np.random.normal(size=(3, 2)).astype('f'))
        np.random.set_state(state)
        with chainer.using_config('train', False), chainer.using_config('enable_backprop', False):
            x = generator(z)
        np.save(os.path.join(folder, 'sample_{}.npy'.format(trainer.updater.epoch)), chainer.cuda.to_cpu(x.array))
    return write


np.random.seed(0)
generator, critic = Net(2, 8, 2), Net(2, 8, 8, 1)
optimizers = {'generator': chainer.optimizers.Adam(1e-2, beta1=0., beta2=0.9), 'critic': chainer.optimizers.Adam(1e-2, beta1=0.)}
optimizers['generator'].setup(generator)
optimizers['critic'].setup(critic)
data = np.random.RandomState(0).normal(2, 0.3, (32, 2)).astype('f')
out = tempfile.mkdtemp()
updater = Updater(chainer.iterators.SerialIterator(data, 8), optimizers, models=(generator, critic), n_critic=2, lam=10, device=-1)
trainer = training.Trainer(updater, (12, 'iteration'), out=out)
log = extensions.LogReport(trigger=(2, 'iteration'), keys=['generator/loss', 'critic/loss', 'critic/penalty', 'critic/distance'])
trainer.extend(log)
trainer.extend(out_generated(generator, 4, out))
trainer.run()
for entry in log.log:
    print('loss', entry['generator/loss'], entry['critic/loss'], entry['critic/penalty'], entry['critic/distance'])
print(sorted(os.listdir(out)))
print('sample', np.load(os.path.join(out, 'sample_3.npy')).ravel().tolist())
