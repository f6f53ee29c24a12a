"""Learning from rewards: a policy gradient with sampled actions, and Q-learning with a target network."""
import copy

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np

np.random.seed(0)
arms = np.array([0.1, 0.5, 0.9])
policy = L.Linear(1, 3)
optimizer = chainer.optimizers.SGD(0.2)
optimizer.setup(policy)
one = np.ones((1, 1), 'f')
baseline = 0.
for step in range(12):
    logits = policy(one)
    p = F.softmax(logits).array[0].astype('d')
    action = np.random.choice(3, p=p / p.sum())
    reward = float(np.random.rand() < arms[action])
    loss = -F.select_item(F.log_softmax(logits), np.array([action], 'i')) * np.float32(reward - baseline)
    baseline += 0.1 * (reward - baseline)
    policy.cleargrads()
    F.sum(loss).backward()
    optimizer.update()
print('policy', F.softmax(policy(one)).array.tolist(), baseline)


class Q(chainer.Chain):

    def __init__(self):
        super(Q, self).__init__()
        with self.init_scope():
            self.l1 = L.Linear(None, 8)
            self.l2 = L.Linear(8, 2, initialW=chainer.initializers.LeCunNormal(0.1))

    def __call__(self, s):
        return self.l2(F.relu(self.l1(s)))


q = Q()
optimizer = chainer.optimizers.RMSpropGraves(lr=0.01)
optimizer.setup(q)
q(np.zeros((1, 2), 'f'))
target = copy.deepcopy(q)
memory, s = [], np.zeros(2, 'f')
for step in range(40):
    if np.random.rand() < 0.3:
        a = np.random.randint(2)
    else:
        a = int(q(s[None]).array.argmax())
    after = (s + [1 if a else -1, 0.1]).astype('f')
    memory.append((s, a, float(abs(after[0]) < 2), after, abs(after[0]) > 3))
    s = np.zeros(2, 'f') if memory[-1][-1] else after
    if step >= 8:
        batch = [memory[i] for i in np.random.choice(len(memory), 8, replace=False)]
        states, actions, rewards, afters, ends = [np.array(v) for v in zip(*batch)]
        with chainer.no_backprop_mode():
            best = F.max(target(afters), axis=1).array
        y = F.select_item(q(states), actions.astype('i'))
        loss = F.mean(F.huber_loss(y[:, None], (rewards + 0.9 * best * ~ends).astype('f')[:, None], 1.0))
        q.cleargrads()
        loss.backward()
        optimizer.update()
    if step % 10 == 9:
        target.copyparams(q)
        print('loss', float(loss.array))
for source, destination in zip(q.params(), target.params()):
    destination.array[:] = 0.9 * destination.array + 0.1 * source.array
print('target', float(sum(abs(p.array).sum() for p in target.params())))
