#!/usr/bin/env python
"""Control by a Q network: replayed experience, a target network that is copied, a loop of the program's.

    $ train_dqn.py --gpu -1 --steps 60 --double
    $ train_dqn.py --gpu -1 --steps 40 --load result/agent
"""
import argparse
import collections
import copy
import os

import numpy as np

import chainer
from chainer import cuda
import chainer.functions as F
import chainer.links as L
from chainer import serializers


class Corridor(object):
    """Walk to the right end."""

    def __init__(self, length=6):
        self.length = length

    def observe(self):
        x = np.zeros(self.length, dtype=np.float32)
        x[self.place] = 1
        return x

    def reset(self):
        self.place = 0
        return self.observe()

    def step(self, action):
        self.place = max(0, min(self.length - 1, self.place + (1 if action == 1 else -1)))
        done = self.place == self.length - 1
        return self.observe(), float(done), done


class QFunction(chainer.Chain):

    def __init__(self, obs_size, n_actions, n_units=16):
        super(QFunction, self).__init__()
        with self.init_scope():
            self.l0 = L.Linear(obs_size, n_units)
            self.l1 = L.Linear(n_units, n_units)
            self.l2 = L.Linear(n_units, n_actions, initialW=chainer.initializers.HeNormal(1e-3))

    def __call__(self, x):
        h = F.relu(self.l0(x))
        h = F.relu(self.l1(h))
        return self.l2(h)


def action(Q, obs, epsilon, n_actions):
    if np.random.rand() < epsilon:
        return np.random.randint(n_actions)
    obs = Q.xp.asarray(obs[None], dtype=np.float32)
    with chainer.no_backprop_mode():
        q = Q(obs).data[0]
    return int(q.argmax())


def update(Q, target_Q, opt, samples, gamma, double):
    xp = Q.xp
    obs = xp.asarray([s[0] for s in samples], dtype=np.float32)
    acts = xp.asarray([s[1] for s in samples], dtype=np.int32)
    reward = xp.asarray([s[2] for s in samples], dtype=np.float32)
    done = xp.asarray([s[3] for s in samples], dtype=np.float32)
    obs_next = xp.asarray([s[4] for s in samples], dtype=np.float32)
    y = F.select_item(Q(obs), acts)
    with chainer.no_backprop_mode():
        if double:
            next_q = F.select_item(target_Q(obs_next), F.argmax(Q(obs_next), axis=1))
        else:
            next_q = F.max(target_Q(obs_next), axis=1)
    target = reward + gamma * (1 - done) * next_q
    loss = F.mean(F.huber_loss(y, target.array, np.float64(1.0), reduce='no'))
    Q.cleargrads()
    loss.backward()
    opt.update()
    return loss


def main():
    parser = argparse.ArgumentParser(description='Chainer example: DQN')
    parser.add_argument('--gpu', '-g', type=int, default=-1)
    parser.add_argument('--steps', type=int, default=100)
    parser.add_argument('--batch-size', '-b', type=int, default=16)
    parser.add_argument('--target-interval', type=int, default=10)
    parser.add_argument('--unit', '-u', type=int, default=16)
    parser.add_argument('--double', action='store_true')
    parser.add_argument('--load', default='')
    parser.add_argument('--out', default='result')
    args = parser.parse_args()

    np.random.seed(0)
    env = Corridor()
    Q = QFunction(env.length, 2, args.unit)
    if args.gpu >= 0:
        cuda.get_device_from_id(args.gpu).use()
        Q.to_gpu(args.gpu)
    if args.load:
        serializers.load_npz(args.load, Q)
    target_Q = copy.deepcopy(Q)
    opt = chainer.optimizers.RMSpropGraves(lr=1e-2)
    opt.setup(Q)
    opt.add_hook(chainer.optimizer.GradientClipping(1.0))
    buf = collections.deque(maxlen=50)
    obs, total, losses = env.reset(), 0, []
    for step in range(args.steps):
        a = action(Q, obs, 0.5, 2)
        obs_next, reward, done = env.step(a)
        total += reward
        buf.append((obs, a, reward, done, obs_next))
        obs = env.reset() if done else obs_next
        if len(buf) >= args.batch_size:
            chosen = np.random.choice(len(buf), args.batch_size, replace=False)
            losses.append(float(update(Q, target_Q, opt, [buf[i] for i in chosen], 0.9, args.double).data))
        if step % args.target_interval == 0:
            target_Q.copyparams(Q)
        if step % 20 == 19:
            print('step', step + 1, 'reward', total, 'loss', np.mean(losses[-20:]))
    if not os.path.exists(args.out):
        os.makedirs(args.out)
    serializers.save_npz(os.path.join(args.out, 'agent'), Q)
    print('dtype', Q.l0.W.dtype)


if __name__ == '__main__':
    main()
