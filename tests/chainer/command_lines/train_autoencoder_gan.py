#!/usr/bin/env python
"""A network with a penalty on gradients, two optimizers in a loop of the program's, files in HDF5 or npz, an old device.

    $ train_autoencoder_gan.py --gpu -1 --iters 6
    $ train_autoencoder_gan.py --gpu -1 --iters 4 --resume result/model.npz --lam 0
"""
import argparse
import os

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import cuda, link_hooks, optimizers, serializers
from chainer.functions.math import basic_math


class Encoder(chainer.Chain):

    def __init__(self, n_z):
        super(Encoder, self).__init__()
        with self.init_scope():
            self.bn = L.BatchRenormalization(12)
            self.l1 = L.Maxout(12, 8, 2)
            self.l2 = L.Linear(8, n_z)
            self.act = L.PReLU()

    def forward(self, x):
        return self.l2(self.act(self.l1(self.bn(x))))


class Critic(chainer.Chain):

    def __init__(self, n_z):
        super(Critic, self).__init__()
        with self.init_scope():
            self.l1 = L.Linear(n_z, 8)
            self.l2 = L.Linear(8, 1)
        self.l1.add_hook(link_hooks.WeightStandardization())

    def forward(self, z):
        return self.l2(F.elu(self.l1(z), alpha=np.float64(0.7)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--gpu', type=int, default=-1)
    parser.add_argument('--iters', type=int, default=10)
    parser.add_argument('--n_z', type=int, default=3)
    parser.add_argument('--lam', type=float, default=10.0)
    parser.add_argument('--out', default='result')
    parser.add_argument('--resume', default='')
    args = parser.parse_args()
    np.random.seed(0)
    xp = np
    enc, dec, critic = Encoder(args.n_z), L.Linear(args.n_z, 12), Critic(args.n_z)
    models = chainer.Chain(enc=enc, dec=dec, critic=critic)
    if args.resume:
        serializers.load_npz(args.resume, models)
    if args.gpu >= 0:
        cuda.get_device_from_id(args.gpu).use()
        models.to_gpu()
        xp = cuda.cupy
    opt_ae = optimizers.AdaBound(alpha=0.01)
    opt_ae.setup(chainer.ChainList(enc, dec))
    opt_critic = optimizers.RMSprop(lr=0.005)
    opt_critic.setup(critic)
    data = np.random.RandomState(5).rand(64, 12).astype(np.float32)
    for i in range(args.iters):
        x = chainer.Variable(xp.asarray(data[np.random.permutation(64)[:16]]))
        z = enc(x)
        prior = chainer.Variable(xp.random.randn(*z.shape).astype(np.float32))
        eps = xp.random.uniform(0, 1, (len(x), 1)).astype(np.float32)
        z_mid = chainer.Variable((eps * z.array + (1 - eps) * prior.array))
        grad, = chainer.grad([critic(z_mid)], [z_mid], enable_double_backprop=True)
        norm = F.sqrt(F.batch_l2_norm_squared(grad) + 1e-8)
        penalty = args.lam * F.mean_squared_error(norm, xp.ones_like(norm.array))
        loss_critic = F.mean(critic(z.array)) - F.mean(critic(prior)) + penalty
        critic.cleargrads()
        loss_critic.backward()
        opt_critic.update()

        reconstruction = F.mean_squared_error(dec(z), x)
        loss = reconstruction - 0.1 * F.mean(critic(z))
        enc.cleargrads()
        dec.cleargrads()
        loss.backward()
        opt_ae.update()
        if i % 2 == 1:
            print(i + 1, float(reconstruction.array), float(loss_critic.data), float(penalty.data))
    y = basic_math.Add().apply((reconstruction, loss_critic))[0]
    print(isinstance(y.creator, basic_math.Add), float(y.array))
    if not os.path.isdir(args.out):
        os.makedirs(args.out)
    models.to_cpu()
    serializers.save_npz(os.path.join(args.out, 'model.npz'), models)
    serializers.save_hdf5(os.path.join(args.out, 'model.h5'), models)
    other = Encoder(args.n_z)
    serializers.load_npz(os.path.join(args.out, 'model.npz'), other, path='enc/')
    print(bool((other.l2.W.array == enc.l2.W.array).all()), sorted(n for n, _ in models.namedparams()))


if __name__ == '__main__':
    main()
