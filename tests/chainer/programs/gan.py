"""A generative adversarial network: an updater of one's own, with two optimizers."""
import json
import os
import tempfile

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import Variable, training
from chainer.training import extensions


class Generator(chainer.Chain):

    def __init__(self, n_hidden):
        super(Generator, self).__init__()
        self.n_hidden = n_hidden
        with self.init_scope():
            w = chainer.initializers.Normal(0.2)
            self.l0 = L.Linear(n_hidden, 4 * 4 * 4, initialW=w)
            self.dc1 = L.Deconvolution2D(4, 4, 4, 2, 1, initialW=w)
            self.dc2 = L.Deconvolution2D(4, 1, 3, 1, 1, initialW=w)
            self.bn0 = L.BatchNormalization(64)
            self.bn1 = L.BatchNormalization(4)

    def make_hidden(self, batchsize):
        return np.random.uniform(-1, 1, (batchsize, self.n_hidden, 1, 1)).astype(np.float32)

    def forward(self, z):
        h = F.reshape(F.relu(self.bn0(self.l0(z))), (len(z), 4, 4, 4))
        h = F.relu(self.bn1(self.dc1(h)))
        return F.sigmoid(self.dc2(h))


class Discriminator(chainer.Chain):

    def __init__(self):
        super(Discriminator, self).__init__()
        w = chainer.initializers.Normal(0.2)
        with self.init_scope():
            self.c0 = L.Convolution2D(1, 4, 3, 1, 1, initialW=w)
            self.c1 = L.Convolution2D(4, 8, 4, 2, 1, initialW=w)
            self.l2 = L.Linear(None, 1, initialW=w)

    def forward(self, x):
        h = F.leaky_relu(self.c0(x))
        h = F.dropout(F.leaky_relu(self.c1(h)), 0.2)
        return self.l2(h)


class GANUpdater(training.updaters.StandardUpdater):

    def __init__(self, *args, **kwargs):
        self.gen, self.dis = kwargs.pop('models')
        super(GANUpdater, self).__init__(*args, **kwargs)

    def loss_dis(self, dis, y_fake, y_real):
        batchsize = len(y_fake)
        loss = F.sum(F.softplus(-y_real)) / batchsize + F.sum(F.softplus(y_fake)) / batchsize
        chainer.report({'loss': loss}, dis)
        return loss

    def loss_gen(self, gen, y_fake):
        loss = F.sum(F.softplus(-y_fake)) / len(y_fake)
        chainer.report({'loss': loss}, gen)
        return loss

    def update_core(self):
        gen_optimizer = self.get_optimizer('gen')
        dis_optimizer = self.get_optimizer('dis')
        batch = self.get_iterator('main').next()
        x_real = Variable(self.converter(batch, self.device)) / 255.
        gen, dis = self.gen, self.dis
        y_real = dis(x_real)
        z = Variable(gen.xp.asarray(gen.make_hidden(len(batch))))
        x_fake = gen(z)
        y_fake = dis(x_fake)
        dis_optimizer.update(self.loss_dis, dis, y_fake, y_real)
        gen_optimizer.update(self.loss_gen, gen, y_fake)


np.random.seed(0)
gen, dis = Generator(6), Discriminator()


def make_optimizer(model, alpha=0.0002, beta1=0.5):
    optimizer = chainer.optimizers.Adam(alpha=alpha, beta1=beta1)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(0.0001), 'hook_dec')
    return optimizer


images = (np.random.RandomState(1).uniform(0, 255, (24, 1, 8, 8))).astype('f')
train_iter = chainer.iterators.SerialIterator(images, 8)
updater = GANUpdater(
    models=(gen, dis), iterator=train_iter,
    optimizer={'gen': make_optimizer(gen), 'dis': make_optimizer(dis)}, device=-1)
out = tempfile.mkdtemp()
trainer = training.Trainer(updater, (3, 'epoch'), out=out)
trainer.extend(extensions.snapshot(filename='snapshot_iter_{.updater.iteration}.npz'), trigger=(6, 'iteration'))
trainer.extend(extensions.snapshot_object(gen, 'gen_iter_{.updater.iteration}.npz'), trigger=(6, 'iteration'))
trainer.extend(extensions.LogReport(trigger=(1, 'iteration')))
trainer.extend(extensions.PrintReport(['epoch', 'iteration', 'gen/loss', 'dis/loss']), trigger=(3, 'iteration'))
trainer.run()
for entry in json.load(open(os.path.join(out, 'log'))):
    print('loss', entry['gen/loss'], entry['dis/loss'])
print(sorted(os.listdir(out)))
