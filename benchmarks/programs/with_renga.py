"""The workloads with Renga, as its users write them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

import renga.functions as F
import renga.links as L
from benchmarks.programs import convolutions, initial
from renga import Chain, ChainList, Parameter, Variable, grad, no_backprop_mode, using_config
from renga import compile as compile_step
from renga.optimizers import SGD, Adam

BN: dict[str, Any] = {"eps": 1e-5}


def prepared(model: Any) -> Any:
    for path, parameter in model.namedparams():
        parameter.array[...] = initial.weight(path, parameter.shape)
    return model


@dataclass
class Training:
    """A training step: call it, and it returns the loss.

    Attributes:
        model: Computes the loss of a batch.
        optimizer: Updates it.
        batch: Arguments of the model.
    """

    model: Any
    optimizer: Any
    batch: tuple[Any, ...]

    def __call__(self) -> Variable:
        loss = self.model(*self.batch)
        self.model.cleargrads()
        loss.backward()
        self.optimizer.update()
        return loss


def trained(model: Any, optimizer: Any, *batch: Any) -> Training:
    optimizer.setup(prepared(model))
    return Training(model, optimizer, batch)


def to_numpy(result: Any) -> np.ndarray:
    return result.array if isinstance(result, Variable) else result


class Loss(Chain):
    def __init__(self, network: Any) -> None:
        super().__init__()
        with self.init_scope():
            self.network = network

    def forward(self, x: Any, t: Any) -> Variable:
        return F.softmax_cross_entropy(self.network(x), t)


def sgd(lr: float = 0.01) -> Any:
    return SGD(lr=lr)


class MLP(Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.l1, self.l2, self.l3 = L.Linear(784, 1000), L.Linear(1000, 1000), L.Linear(1000, 10)

    def forward(self, x: Any) -> Variable:
        return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))


def mlp():
    return trained(Loss(MLP()), Adam(), initial.array(100, 784), initial.labels(10, 100))


class LeNet(Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.conv1, self.conv2 = L.Convolution2D(1, 20, 5), L.Convolution2D(20, 50, 5)
            self.l1, self.l2 = L.Linear(800, 500), L.Linear(500, 10)

    def forward(self, x: Any) -> Variable:
        h = F.max_pooling_2d(F.relu(self.conv1(x)), 2, 2)
        h = F.max_pooling_2d(F.relu(self.conv2(h)), 2, 2)
        return self.l2(F.relu(self.l1(h)))


def lenet():
    return trained(Loss(LeNet()), sgd(), initial.array(64, 1, 28, 28), initial.labels(10, 64))


class VGG(Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.blocks = ChainList()
            n_in = 3
            for n_out in (64, 128, 256):
                self.blocks.append(L.Convolution2D(n_in, n_out, 3, pad=1, nobias=True))
                self.blocks.append(L.BatchNormalization(n_out, **BN))
                self.blocks.append(L.Convolution2D(n_out, n_out, 3, pad=1, nobias=True))
                self.blocks.append(L.BatchNormalization(n_out, **BN))
                n_in = n_out
            self.fc = L.Linear(256 * 16, 10)

    def forward(self, x: Any) -> Variable:
        for i in range(0, 12, 4):
            x = self.blocks[i + 1](self.blocks[i](x), relu=True)
            x = self.blocks[i + 3](self.blocks[i + 2](x), relu=True)
            x = F.max_pooling_2d(x, 2, 2)
        return self.fc(x)


def vgg():
    return trained(Loss(VGG()), sgd(0.001), initial.array(32, 3, 32, 32), initial.labels(10, 32))


class Bottleneck(Chain):
    def __init__(self, n_in: int, width: int, stride: int) -> None:
        super().__init__()
        with self.init_scope():
            self.conv1, self.bn1 = convolution(n_in, width, 1), L.BatchNormalization(width, **BN)
            self.conv2, self.bn2 = convolution(width, width, 3, stride, 1), L.BatchNormalization(width, **BN)
            self.conv3, self.bn3 = convolution(width, 4 * width, 1), L.BatchNormalization(4 * width, **BN)
            if n_in != 4 * width:
                self.conv4, self.bn4 = convolution(n_in, 4 * width, 1, stride), L.BatchNormalization(4 * width, **BN)

    def forward(self, x: Any) -> Variable:
        h = self.bn1(self.conv1(x), relu=True)
        h = self.bn2(self.conv2(h), relu=True)
        residual = self.bn4(self.conv4(x)) if hasattr(self, "bn4") else x
        return self.bn3(self.conv3(h), relu=True, residual=residual)


def convolution(n_in: int, n_out: int, ksize: int, stride: int = 1, pad: int = 0) -> Any:
    return L.Convolution2D(n_in, n_out, ksize, stride, pad, nobias=True)


class ResNet50(Chain):
    def __init__(self) -> None:
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

    def forward(self, x: Any) -> Variable:
        h = F.max_pooling_2d(self.bn1(self.conv1(x), relu=True), 3, 2, 1, cover_all=False)
        for block in self.blocks:
            h = block(h)
        return self.fc(F.average_pooling_2d(h, h.shape[2:]))


def resnet50():
    return trained(Loss(ResNet50()), sgd(1e-5), initial.array(4, 3, 224, 224), initial.labels(1000, 4))


def inference(batch: int):
    def build():
        model, x = prepared(ResNet50()), initial.array(batch, 3, 224, 224)

        def step() -> Variable:
            with using_config("train", False), no_backprop_mode():
                return model(x)

        return step

    return build


class LoopedLSTM(Chain):
    """Two layers, called once for each character, as usual for truncated backpropagation through time."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(100, 256)
            self.l1, self.l2 = L.StatelessLSTM(256, 256), L.StatelessLSTM(256, 256)
            self.fc = L.Linear(256, 100)

    def forward(self, xs: Any, ts: Any) -> Variable:
        c1 = h1 = c2 = h2 = None
        loss: Any = 0
        for x, t in zip(xs, ts, strict=True):
            c1, h1 = self.l1(c1, h1, self.embed(x))
            c2, h2 = self.l2(c2, h2, h1)
            loss = loss + F.softmax_cross_entropy(self.fc(h2), t)
        return loss


def lstm_loop():
    return trained(LoopedLSTM(), sgd(), initial.labels(100, 35, 20), initial.labels(100, 35, 20))


class FusedLSTM(Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed, self.lstm, self.fc = L.EmbedID(100, 256), L.NStepLSTM(2, 256, 256, 0.0), L.Linear(256, 100)

    def forward(self, xs: Any, ts: Any) -> Variable:
        _, _, ys = self.lstm(None, None, [self.embed(x) for x in xs])
        return F.softmax_cross_entropy(self.fc(F.concat(ys, axis=0)), ts)


def lstm_fused():
    xs, ts = initial.labels(100, 35, 20), initial.labels(100, 35, 20)
    return trained(FusedLSTM(), sgd(), list(xs.T.copy()), ts.T.reshape(-1))


class Critic(Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.l1, self.l2, self.l3 = L.Linear(784, 1000), L.Linear(1000, 1000), L.Linear(1000, 1)

    def forward(self, x: Any) -> Variable:
        return self.l3(F.tanh(self.l2(F.tanh(self.l1(x)))))


class GradientPenalty(Chain):
    """The critic's loss of WGAN-GP (Gulrajani et al. 2017): gradients of a gradient's norm."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.critic = Critic()

    def forward(self, x: Any) -> Variable:
        x = Variable(x)
        y = self.critic(x)
        (gx,) = grad([y], [x], enable_double_backprop=True)
        assert gx is not None
        norm = F.sqrt(F.sum(gx * gx, axis=1))
        return F.mean((norm - 1) ** 2) + F.mean(y)


def gradient_penalty():
    return trained(GradientPenalty(), sgd(), initial.array(100, 784))


class Block(Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.norm1, self.norm2 = L.LayerNormalization(256, eps=1e-5), L.LayerNormalization(256, eps=1e-5)
            self.qkv, self.out = L.Linear(256, 768), L.Linear(256, 256)
            self.fc1, self.fc2 = L.Linear(256, 1024), L.Linear(1024, 256)

    def forward(self, x: Any) -> Variable:
        x = x + self.out(self.attention(self.norm1(x)), n_batch_axes=2)
        return x + self.fc2(self.activation(self.fc1(self.norm2(x), n_batch_axes=2)), n_batch_axes=2)

    def activation(self, x: Any) -> Variable:
        return F.relu(x)

    def attention(self, x: Any) -> Variable:
        batch, length, units = x.shape
        parts = F.split_axis(self.qkv(x, n_batch_axes=2), 3, axis=2)
        q, k, v = [part.reshape(batch, length, 4, units // 4).transpose(0, 2, 1, 3) for part in parts]
        return self.mixed(q, k, v).transpose(0, 2, 1, 3).reshape(batch, length, units)

    def mixed(self, q: Any, k: Any, v: Any) -> Variable:
        return F.scaled_dot_product_attention(q, k, v, causal=True)


class Transformer(Chain):
    def __init__(self, block: type[Block] = Block) -> None:
        super().__init__()
        with self.init_scope():
            self.tokens = L.EmbedID(1000, 256)
            self.places = Parameter(0, (128, 256))
            self.blocks = ChainList(*[block() for _ in range(4)])
            self.norm, self.head = L.LayerNormalization(256, eps=1e-5), L.Linear(256, 1000)

    def forward(self, x: Any, t: Any) -> Variable:
        h = self.tokens(x)
        h = h + F.broadcast_to(self.places, h.shape)
        for block in self.blocks:
            h = block(h)
        y = self.head(self.norm(h), n_batch_axes=2)
        return F.softmax_cross_entropy(y.reshape(-1, 1000), t)


def transformer(block: type[Block] = Block):
    return trained(Transformer(block), Adam(), initial.labels(1000, 8, 128), initial.labels(1000, 8, 128).reshape(-1))


class Arrays(Chain):
    """25 M parameters in 50 matrices."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            for i in range(50):
                setattr(self, f"W{i}", Parameter(np.zeros((500, 1000), np.float32)))


def adam():
    model, optimizer = prepared(Arrays()), Adam()
    optimizer.setup(model)
    for parameter in model.params():
        parameter.grad = initial.array(*parameter.shape)

    def step() -> Any:
        optimizer.update()
        return model.W0.array

    return step


def overhead(size: int, backward: bool):
    def build():
        x, w_array, b_array = initial.chain(size)
        w, b = Variable(w_array), Variable(b_array)

        def forward() -> Variable:
            y = Variable(x)
            for _ in range(initial.CHAIN_LENGTH):
                y = y * w + b
            return y

        def both() -> Any:
            w.cleargrad()
            b.cleargrad()
            y = forward()
            y.grad = x
            y.backward()
            return w.grad

        return both if backward else forward

    return build


def convolution_alone(case: convolutions.Case, backward: bool):
    def build():
        x, W, b = map(Variable, convolutions.arrays(case))
        geometry = {"stride": case.stride, "pad": case.pad, "dilate": case.dilate, "groups": case.groups}

        def forward() -> Variable:
            return F.convolution_nd(x, W, b, **geometry)

        seed = np.ones_like(forward().array)

        def both() -> Any:
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


def compiled(build: Any):
    return lambda: compile_step(build())


PROGRAMS["compiled"] = {
    name: compiled(build)
    for name, build in PROGRAMS[""].items()
    if not name.startswith(("resnet50_inference", "conv")) and not name.endswith("_forward")
}


def in_bfloat16(build: Any):
    """Mixed precision: parameters and data are bfloat16, and updates go through copies in float32."""

    def built() -> Training:
        dtype = np.dtype(import_module("ml_dtypes").bfloat16)
        with using_config("dtype", dtype):
            training = build()
        training.batch = tuple([b.astype(dtype) if b.dtype.kind == "f" else b for b in training.batch])
        training.optimizer.use_fp32_update()
        return training

    return built


PROGRAMS["bf16"] = {
    name: in_bfloat16(PROGRAMS[""][name]) for name in ("mlp", "lenet", "vgg", "resnet50", "transformer")
}
