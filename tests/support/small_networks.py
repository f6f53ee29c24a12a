"""Small networks, their training steps, and batches for them."""

from __future__ import annotations

import numpy as np

import renga.functions as F
import renga.links as L
from renga import Chain, Parameter, Variable, grad

GENERATOR = np.random.default_rng(0)


def floats(*shape):
    return GENERATOR.standard_normal(shape).astype(np.float32)


def labels(classes, *shape):
    return GENERATOR.integers(0, classes, shape).astype(np.int32)


class MLP(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1, self.l2 = L.Linear(6, 9), L.Linear(9, 4)

    def forward(self, x, t):
        return F.softmax_cross_entropy(self.l2(F.relu(self.l1(x))), t)


class LeNet(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv1, self.conv2 = L.Convolution2D(1, 3, 5), L.Convolution2D(3, 5, 5)
            self.l1, self.l2 = L.Linear(80, 20), L.Linear(20, 10)

    def forward(self, x, t):
        h = F.max_pooling_2d(F.relu(self.conv1(x)), 2, 2)
        h = F.max_pooling_2d(F.relu(self.conv2(h)), 2, 2)
        return F.softmax_cross_entropy(self.l2(F.relu(self.l1(h))), t)


class Normalized(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv, self.bn, self.fc = L.Convolution2D(1, 4, 3), L.BatchNormalization(4), L.Linear(256, 10)

    def forward(self, x, t):
        return F.softmax_cross_entropy(self.fc(F.relu(self.bn(self.conv(x)))), t)


class Dropped(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1, self.l2 = L.Linear(6, 40), L.Linear(40, 4)

    def forward(self, x, t):
        h = F.relu(self.l1(x))
        return F.softmax_cross_entropy(self.l2(F.dropout_add(F.dropout(h, 0.4), h, 0.4)), t)


class Looped(Chain):
    """A recurrent network as a Python loop over rows of its arguments, with states of zeros made in each call."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.embed, self.lstm, self.fc = L.EmbedID(11, 8), L.StatelessLSTM(8, 8), L.Linear(8, 11)

    def forward(self, xs, ts):
        c = h = None
        loss = 0
        for x, t in zip(xs, ts, strict=True):
            c, h = self.lstm(c, h, self.embed(x))
            loss = loss + F.softmax_cross_entropy(self.fc(h), t)
        return loss


class Transformer(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.tokens, self.norm = L.EmbedID(13, 16), L.LayerNormalization(16)
            self.places = Parameter(np.zeros((5, 16), np.float32))
            self.qkv, self.fc = L.Linear(16, 48), L.Linear(16, 13)

    def forward(self, x, t):
        h = self.tokens(x)
        h = h + F.broadcast_to(self.places, h.shape)
        qkv = self.qkv(self.norm(h), n_batch_axes=2).reshape(3, 5, 3, 4, 4).transpose(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], causal=True)
        h = h + mixed.transpose(0, 2, 1, 3).reshape(3, 5, 16)
        return F.softmax_cross_entropy(self.fc(h, n_batch_axes=2).reshape(-1, 13), t.reshape(-1))


class GradientPenalty(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1, self.l2 = L.Linear(6, 8), L.Linear(8, 1)

    def forward(self, x):
        x = Variable(x)
        y = self.l2(F.tanh(self.l1(x)))
        (gx,) = grad([y], [x], enable_double_backprop=True)
        return F.mean((F.sqrt(F.sum(gx * gx, axis=1)) - 1) ** 2) + F.mean(y)


def training(model, optimizer):
    optimizer.setup(model)

    def step(*batch):
        loss = model(*batch)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step


def state(model):
    """Parameters, their gradients, and persistent values."""
    found = {path: p.array.copy() for path, p in model.namedparams()}
    found |= {path + "'": p.grad.copy() for path, p in model.namedparams() if p.grad is not None}
    for path, link in model.namedlinks():
        found |= {f"{path}.{name}": np.array(vars(link)[name]) for name in link._persistent}
    return found


def called(step, *args, times=6):
    results = [step(*args) for _ in range(times)]
    return results[-1]
