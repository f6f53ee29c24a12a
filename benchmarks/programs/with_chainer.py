"""The workloads with Chainer 7, as its users wrote them."""

from __future__ import annotations

import math

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import Chain, ChainList, Parameter, Variable
from chainer.optimizers import SGD, Adam

from benchmarks.programs import convolutions, initial

BN = {"eps": 1e-5}


def to_numpy(result):
    return result.array if isinstance(result, Variable) else result


def prepared(model):
    for path, parameter in model.namedparams():
        parameter.array[...] = initial.weight(path, parameter.shape)
    return model


def trained(model, optimizer, *batch):
    optimizer.setup(prepared(model))

    def step():
        loss = model(*batch)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step


class Loss(Chain):
    def __init__(self, network):
        super().__init__()
        with self.init_scope():
            self.network = network

    def forward(self, x, t):
        return F.softmax_cross_entropy(self.network(x), t)


class MLP(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1, self.l2, self.l3 = L.Linear(784, 1000), L.Linear(1000, 1000), L.Linear(1000, 10)

    def forward(self, x):
        return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))


def mlp():
    return trained(Loss(MLP()), Adam(), initial.array(100, 784), initial.labels(10, 100))


class LeNet(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv1, self.conv2 = L.Convolution2D(1, 20, 5), L.Convolution2D(20, 50, 5)
            self.l1, self.l2 = L.Linear(800, 500), L.Linear(500, 10)

    def forward(self, x):
        h = F.max_pooling_2d(F.relu(self.conv1(x)), 2, 2)
        h = F.max_pooling_2d(F.relu(self.conv2(h)), 2, 2)
        return self.l2(F.relu(self.l1(h)))


def lenet():
    return trained(Loss(LeNet()), SGD(lr=0.01), initial.array(64, 1, 28, 28), initial.labels(10, 64))


class VGG(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.blocks = ChainList()
            n_in = 3
            for n_out in (64, 128, 256):
                for _ in range(2):
                    self.blocks.append(L.Convolution2D(n_in, n_out, 3, pad=1, nobias=True))
                    self.blocks.append(L.BatchNormalization(n_out, **BN))
                    n_in = n_out
            self.fc = L.Linear(256 * 16, 10)

    def forward(self, x):
        for i in range(0, 12, 4):
            x = F.relu(self.blocks[i + 1](self.blocks[i](x)))
            x = F.relu(self.blocks[i + 3](self.blocks[i + 2](x)))
            x = F.max_pooling_2d(x, 2, 2)
        return self.fc(x)


def vgg():
    return trained(Loss(VGG()), SGD(lr=0.001), initial.array(32, 3, 32, 32), initial.labels(10, 32))


def convolution(n_in, n_out, ksize, stride=1, pad=0):
    return L.Convolution2D(n_in, n_out, ksize, stride, pad, nobias=True)


class Bottleneck(Chain):
    def __init__(self, n_in, width, stride):
        super().__init__()
        with self.init_scope():
            self.conv1, self.bn1 = convolution(n_in, width, 1), L.BatchNormalization(width, **BN)
            self.conv2, self.bn2 = convolution(width, width, 3, stride, 1), L.BatchNormalization(width, **BN)
            self.conv3, self.bn3 = convolution(width, 4 * width, 1), L.BatchNormalization(4 * width, **BN)
            if n_in != 4 * width:
                self.conv4, self.bn4 = convolution(n_in, 4 * width, 1, stride), L.BatchNormalization(4 * width, **BN)

    def forward(self, x):
        h = F.relu(self.bn1(self.conv1(x)))
        h = F.relu(self.bn2(self.conv2(h)))
        h = self.bn3(self.conv3(h))
        return F.relu(h + (self.bn4(self.conv4(x)) if hasattr(self, "bn4") else x))


class ResNet50(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv1, self.bn1 = convolution(3, 64, 7, 2, 3), L.BatchNormalization(64, **BN)
            self.blocks = ChainList()
            n_in = 64
            for stage, count in enumerate((3, 4, 6, 3)):
                for i in range(count):
                    self.blocks.append(Bottleneck(n_in, 64 * 2**stage, 2 if stage and i == 0 else 1))
                    n_in = 256 * 2**stage
            self.fc = L.Linear(2048, 1000)

    def forward(self, x):
        h = F.max_pooling_2d(F.relu(self.bn1(self.conv1(x))), 3, 2, 1, cover_all=False)
        for block in self.blocks:
            h = block(h)
        return self.fc(F.average_pooling_2d(h, h.shape[2:]))


def resnet50():
    return trained(Loss(ResNet50()), SGD(lr=1e-5), initial.array(4, 3, 224, 224), initial.labels(1000, 4))


def inference(batch):
    def build():
        model, x = prepared(ResNet50()), initial.array(batch, 3, 224, 224)

        def step():
            with chainer.using_config("train", False), chainer.no_backprop_mode():
                return model(x)

        return step

    return build


class LoopedLSTM(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(100, 256)
            self.l1, self.l2 = L.StatelessLSTM(256, 256), L.StatelessLSTM(256, 256)
            self.fc = L.Linear(256, 100)

    def forward(self, xs, ts):
        c1 = h1 = c2 = h2 = None
        loss = 0
        for x, t in zip(xs, ts):  # noqa: B905  # as then
            c1, h1 = self.l1(c1, h1, self.embed(x))
            c2, h2 = self.l2(c2, h2, h1)
            loss = loss + F.softmax_cross_entropy(self.fc(h2), t)
        return loss


def lstm_loop():
    return trained(LoopedLSTM(), SGD(lr=0.01), initial.labels(100, 35, 20), initial.labels(100, 35, 20))


class FusedLSTM(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.embed, self.lstm, self.fc = L.EmbedID(100, 256), L.NStepLSTM(2, 256, 256, 0.0), L.Linear(256, 100)

    def forward(self, xs, ts):
        _, _, ys = self.lstm(None, None, [self.embed(x) for x in xs])
        return F.softmax_cross_entropy(self.fc(F.concat(ys, axis=0)), ts)


def lstm_fused():
    xs, ts = initial.labels(100, 35, 20), initial.labels(100, 35, 20)
    return trained(FusedLSTM(), SGD(lr=0.01), list(xs.T.copy()), ts.T.reshape(-1))


class Critic(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1, self.l2, self.l3 = L.Linear(784, 1000), L.Linear(1000, 1000), L.Linear(1000, 1)

    def forward(self, x):
        return self.l3(F.tanh(self.l2(F.tanh(self.l1(x)))))


class GradientPenalty(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.critic = Critic()

    def forward(self, x):
        x = Variable(x)
        y = self.critic(x)
        (gx,) = chainer.grad([F.sum(y)], [x], enable_double_backprop=True)
        norm = F.sqrt(F.sum(gx * gx, axis=1))
        return F.mean((norm - 1) ** 2) + F.mean(y)


def gradient_penalty():
    return trained(GradientPenalty(), SGD(lr=0.01), initial.array(100, 784))


class Block(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.norm1, self.norm2 = L.LayerNormalization(256, eps=1e-5), L.LayerNormalization(256, eps=1e-5)
            self.qkv, self.out = L.Linear(256, 768), L.Linear(256, 256)
            self.fc1, self.fc2 = L.Linear(256, 1024), L.Linear(1024, 256)

    def forward(self, x, shape):
        """Reshape positions to rows, because LayerNormalization accepts only matrices; `shape` is (batch, length)."""
        x = x + self.out(self.attention(self.norm1(x), *shape))
        return x + self.fc2(F.relu(self.fc1(self.norm2(x))))

    def attention(self, x, batch, length):
        units = x.shape[1] // 4
        qkv = F.transpose(self.qkv(x).reshape(batch, length, 3, 4, units), (2, 0, 3, 1, 4))
        q, k, v = F.separate(qkv.reshape(3, batch * 4, length, units))
        scores = F.matmul(q * (1 / math.sqrt(units)), k, transb=True)
        before = np.broadcast_to(np.tri(length, dtype=bool), scores.shape)
        scores = F.where(before, scores, np.full(scores.shape, -np.inf, np.float32))
        mixed = F.matmul(F.softmax(scores, axis=2), v).reshape(batch, 4, length, units)
        return F.transpose(mixed, (0, 2, 1, 3)).reshape(batch * length, 4 * units)


class Transformer(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.tokens = L.EmbedID(1000, 256)
            self.places = Parameter(np.zeros((128, 256), np.float32))
            self.blocks = ChainList(*[Block() for _ in range(4)])
            self.norm, self.head = L.LayerNormalization(256, eps=1e-5), L.Linear(256, 1000)

    def forward(self, x, t):
        h = self.tokens(x)
        h = (h + F.broadcast_to(self.places, h.shape)).reshape(-1, 256)
        for block in self.blocks:
            h = block(h, x.shape)
        return F.softmax_cross_entropy(self.head(self.norm(h)), t)


def transformer():
    return trained(Transformer(), Adam(), initial.labels(1000, 8, 128), initial.labels(1000, 8, 128).reshape(-1))


class Arrays(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            for i in range(50):
                setattr(self, "W%d" % i, Parameter(np.zeros((500, 1000), np.float32)))  # noqa: UP031  # as then


def adam():
    model, optimizer = prepared(Arrays()), Adam()
    optimizer.setup(model)
    for parameter in model.params():
        parameter.grad = initial.array(*parameter.shape)

    def step():
        optimizer.update()
        return model.W0

    return step


def overhead(size, backward):
    def build():
        x, w_array, b_array = initial.chain(size)
        w, b = Variable(w_array), Variable(b_array)

        def forward():
            y = Variable(x)
            for _ in range(initial.CHAIN_LENGTH):
                y = y * w + b
            return y

        def both():
            w.cleargrad()
            b.cleargrad()
            y = forward()
            y.grad = x
            y.backward()
            return w.grad

        return both if backward else forward

    return build


def convolution_alone(case, backward):
    def build():
        x, W, b = (Variable(np.ascontiguousarray(array)) for array in convolutions.arrays(case))
        geometry = {"stride": case.stride, "pad": case.pad, "dilate": case.dilate, "groups": case.groups}

        def forward():
            return F.convolution_nd(x, W, b, **geometry)

        seed = np.ones_like(forward().array)

        def both():
            for variable in (x, W, b):
                variable.cleargrad()
            y = forward()
            y.grad = seed
            y.backward()
            return x.grad, W.grad, b.grad

        return both if backward else forward

    return build


PROGRAMS = {
    "": {
        "mlp": mlp,
        "lenet": lenet,
        "vgg": vgg,
        "resnet50": resnet50,
        "resnet50_inference_1": inference(1),
        "resnet50_inference_8": inference(8),
        "lstm_loop": lstm_loop,
        "lstm_fused": lstm_fused,
        "gradient_penalty": gradient_penalty,
        "transformer": transformer,
        "adam": adam,
        **initial.chains(overhead),
        **convolutions.programs(convolution_alone),
    }
}
