"""The workloads with PyTorch: default, ``best`` (faster layout and optimizer), ``compiled`` and ``bf16``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.programs import convolutions, initial


def prepared(model: nn.Module, best: bool = False) -> nn.Module:
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(torch.from_numpy(weight(name, tuple(parameter.shape))))
    return model.to(memory_format=torch.channels_last) if best else model


def weight(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Initial value of the parameter that PyTorch calls `name`: same as in Renga, which has another name for it."""
    *parents, last = name.split(".")
    path = "".join(f"/{parent}" for parent in parents)
    if len(shape) == 1:
        return initial.weight(f"{path}/{'gamma' if last == 'weight' else 'b'}", shape)
    if last in ("weight_ih", "weight_hh"):  # of LSTMCell
        return initial.by_gate(initial.weight(f"{path}/{'upward' if last == 'weight_ih' else 'lateral'}/W", shape))
    if last.startswith(("weight_ih_l", "weight_hh_l")):  # in an LSTM the layer's number comes last
        first = 0 if last.startswith("weight_ih") else 4
        gate = (shape[0] // 4, shape[1])
        return np.concatenate([initial.weight(f"{path}/{last[-1]}/w{j}", gate) for j in range(first, first + 4)])
    return initial.weight(f"{path}/{'W' if last == 'weight' else last}", shape)


def to_numpy(result: Tensor) -> np.ndarray:
    return result.detach().numpy()


def trained(model: nn.Module, optimizer, best: bool, *batch):
    prepared(model, best)
    return Training(model, optimizer(model.parameters(), best), [images(b, best) for b in batch])


@dataclass
class Training:
    """A training step: call it, and it returns the loss."""

    model: Callable[..., Tensor]
    optimizer: torch.optim.Optimizer
    batch: list[Tensor]

    def __call__(self) -> Tensor:
        self.optimizer.zero_grad()
        loss = self.model(*self.batch)
        loss.backward()
        self.optimizer.step()
        return loss


def compiled(build):
    """The best program, with forward and backward passes compiled by `torch.compile`."""

    def built() -> Training:
        training = build(True)
        training.model = torch.compile(training.model)
        return training

    return built


class Autocast(nn.Module):
    """The output of a model, with products and convolutions in bfloat16."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, *batch):
        with torch.autocast("cpu", torch.bfloat16):
            return self.model(*batch)


def autocast(build):
    """The best program, with mixed precision."""

    def built() -> Training:
        training = build(True)
        training.model = Autocast(training.model)
        return training

    return built


def images(array, best: bool) -> Tensor:
    batch = torch.from_numpy(array)
    if not batch.is_floating_point():
        return batch.to(torch.int64)
    return batch.contiguous(memory_format=torch.channels_last) if best and batch.dim() == 4 else batch


def sgd(parameters, best: bool, lr: float = 0.01):
    return torch.optim.SGD(parameters, lr=lr, fused=best or None)


def adam_optimizer(parameters, best: bool):
    return torch.optim.Adam(parameters, fused=best or None)


class Loss(nn.Module):
    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        return F.cross_entropy(self.network(x), t)


class MLP(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(784, 1000), nn.Linear(1000, 1000), nn.Linear(1000, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))


def mlp(best: bool):
    return trained(Loss(MLP()), adam_optimizer, best, initial.array(100, 784), initial.labels(10, 100))


class LeNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 20, 5), nn.Conv2d(20, 50, 5)
        self.l1, self.l2 = nn.Linear(800, 500), nn.Linear(500, 10)

    def forward(self, x: Tensor) -> Tensor:
        h = F.max_pool2d(F.relu(self.conv1(x)), 2, 2)
        h = F.max_pool2d(F.relu(self.conv2(h)), 2, 2)
        return self.l2(F.relu(self.l1(h.flatten(1))))


def lenet(best: bool):
    return trained(Loss(LeNet()), sgd, best, initial.array(64, 1, 28, 28), initial.labels(10, 64))


class VGG(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList()
        n_in = 3
        for n_out in (64, 128, 256):
            self.blocks.append(nn.Conv2d(n_in, n_out, 3, padding=1, bias=False))
            self.blocks.append(nn.BatchNorm2d(n_out))
            self.blocks.append(nn.Conv2d(n_out, n_out, 3, padding=1, bias=False))
            self.blocks.append(nn.BatchNorm2d(n_out))
            n_in = n_out
        self.fc = nn.Linear(256 * 16, 10)

    def forward(self, x: Tensor) -> Tensor:
        for i in range(0, 12, 4):
            x = F.relu(self.blocks[i + 1](self.blocks[i](x)))
            x = F.relu(self.blocks[i + 3](self.blocks[i + 2](x)))
            x = F.max_pool2d(x, 2, 2)
        return self.fc(x.flatten(1))


def vgg(best: bool):
    return trained(Loss(VGG()), partial(sgd, lr=0.001), best, initial.array(32, 3, 32, 32), initial.labels(10, 32))


def convolution(n_in: int, n_out: int, ksize: int, stride: int = 1, pad: int = 0) -> nn.Conv2d:
    return nn.Conv2d(n_in, n_out, ksize, stride, pad, bias=False)


class Bottleneck(nn.Module):
    def __init__(self, n_in: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv1, self.bn1 = convolution(n_in, width, 1), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = convolution(width, width, 3, stride, 1), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = convolution(width, 4 * width, 1), nn.BatchNorm2d(4 * width)
        if n_in != 4 * width:
            self.conv4, self.bn4 = convolution(n_in, 4 * width, 1, stride), nn.BatchNorm2d(4 * width)

    def forward(self, x: Tensor) -> Tensor:
        h = F.relu(self.bn1(self.conv1(x)))
        h = F.relu(self.bn2(self.conv2(h)))
        h = self.bn3(self.conv3(h))
        return F.relu(h + (self.bn4(self.conv4(x)) if hasattr(self, "bn4") else x))


class ResNet50(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.bn1 = convolution(3, 64, 7, 2, 3), nn.BatchNorm2d(64)
        self.blocks = nn.ModuleList()
        n_in = 64
        for stage, count in enumerate((3, 4, 6, 3)):
            for i in range(count):
                self.blocks.append(Bottleneck(n_in, 64 * 2**stage, 2 if stage and i == 0 else 1))
                n_in = 256 * 2**stage
        self.fc = nn.Linear(2048, 1000)

    def forward(self, x: Tensor) -> Tensor:
        h = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 3, 2, 1)
        for block in self.blocks:
            h = block(h)
        return self.fc(h.mean((2, 3)))


def resnet50(best: bool):
    optimizer = partial(sgd, lr=1e-5)
    return trained(Loss(ResNet50()), optimizer, best, initial.array(4, 3, 224, 224), initial.labels(1000, 4))


def inference(batch: int):
    def build(best: bool):
        model, x = prepared(ResNet50(), best).eval(), images(initial.array(batch, 3, 224, 224), best)

        @torch.inference_mode()
        def step():
            return model(x)

        return step

    return build


class LoopedLSTM(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(100, 256)
        self.l1, self.l2 = nn.LSTMCell(256, 256), nn.LSTMCell(256, 256)
        for cell in (self.l1, self.l2):  # one bias is learned, as with the others
            cell.bias_hh.requires_grad_(False)
        self.fc = nn.Linear(256, 100)

    def forward(self, xs: Tensor, ts: Tensor) -> Tensor:
        s1 = s2 = None
        loss = 0
        for x, t in zip(xs, ts, strict=True):
            s1 = self.l1(self.embed(x), s1)
            s2 = self.l2(s1[0], s2)
            loss = loss + F.cross_entropy(self.fc(s2[0]), t)
        return loss


def lstm_loop(best: bool):
    return trained(LoopedLSTM(), sgd, best, initial.labels(100, 35, 20), initial.labels(100, 35, 20))


class FusedLSTM(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed, self.lstm, self.fc = nn.Embedding(100, 256), nn.LSTM(256, 256, 2), nn.Linear(256, 100)

    def forward(self, xs: Tensor, ts: Tensor) -> Tensor:
        ys, _ = self.lstm(self.embed(xs))
        return F.cross_entropy(self.fc(ys).flatten(0, 1), ts.flatten())


def lstm_fused(best: bool):
    return trained(FusedLSTM(), sgd, best, initial.labels(100, 35, 20), initial.labels(100, 35, 20))


class Critic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(784, 1000), nn.Linear(1000, 1000), nn.Linear(1000, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.l3(torch.tanh(self.l2(torch.tanh(self.l1(x)))))


class GradientPenalty(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.critic = Critic()

    def forward(self, x: Tensor) -> Tensor:
        x = x.detach().requires_grad_()
        y = self.critic(x)
        (gx,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        norm = torch.sqrt((gx * gx).sum(1))
        return ((norm - 1) ** 2).mean() + y.mean()


def gradient_penalty(best: bool):
    return trained(GradientPenalty(), sgd, best, initial.array(100, 784))


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(256), nn.LayerNorm(256)
        self.qkv, self.out = nn.Linear(256, 768), nn.Linear(256, 256)
        self.fc1, self.fc2 = nn.Linear(256, 1024), nn.Linear(1024, 256)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, units = x.shape
        q, k, v = self.qkv(self.norm1(x)).reshape(batch, length, 3, 4, units // 4).permute(2, 0, 3, 1, 4)
        x = x + self.out(self.mixed(q, k, v).transpose(1, 2).reshape(batch, length, units))
        return x + self.fc2(self.activation(self.fc1(self.norm2(x))))

    def activation(self, x: Tensor) -> Tensor:
        return F.relu(x)

    def mixed(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


class Transformer(nn.Module):
    def __init__(self, block: type[Block] = Block) -> None:
        super().__init__()
        self.tokens = nn.Embedding(1000, 256)
        self.places = nn.Parameter(torch.zeros(128, 256))
        self.blocks = nn.ModuleList([block() for _ in range(4)])
        self.norm, self.head = nn.LayerNorm(256), nn.Linear(256, 1000)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        h = self.tokens(x) + self.places
        for block in self.blocks:
            h = block(h)
        return F.cross_entropy(self.head(self.norm(h)).flatten(0, 1), t)


def transformer(best: bool, block: type[Block] = Block):
    ts = initial.labels(1000, 8, 128).reshape(-1)
    return trained(Transformer(block), adam_optimizer, best, initial.labels(1000, 8, 128), ts)


class Arrays(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        for i in range(50):
            setattr(self, f"W{i}", nn.Parameter(torch.zeros(500, 1000)))


def adam(best: bool):
    model = prepared(Arrays())
    optimizer = adam_optimizer(model.parameters(), best)
    for parameter in model.parameters():
        parameter.grad = torch.from_numpy(initial.array(*parameter.shape))

    def step():
        optimizer.step()
        return model.W0

    return step


def overhead(size: int, backward: bool):
    def build(best: bool):
        x, w, b = (torch.from_numpy(array) for array in initial.chain(size))
        seed = x.clone()
        w.requires_grad_()
        b.requires_grad_()

        def forward() -> Tensor:
            y = x
            for _ in range(initial.CHAIN_LENGTH):
                y = y * w + b
            return y

        def both() -> Tensor:
            w.grad = b.grad = None
            forward().backward(seed)
            return w.grad

        return both if backward else forward

    return build


def convolution_alone(case: convolutions.Case, backward: bool):
    def build(best: bool):
        memory = torch.contiguous_format
        if best and len(case.x) > 3:
            memory = torch.channels_last if len(case.x) == 4 else torch.channels_last_3d
        x, W, b = (torch.from_numpy(np.ascontiguousarray(a)) for a in convolutions.arrays(case))
        x = x.contiguous(memory_format=memory).requires_grad_()
        W = W.contiguous(memory_format=memory).requires_grad_()
        b.requires_grad_()
        convolve = getattr(F, f"conv{len(case.x) - 2}d")

        def forward() -> Tensor:
            return convolve(x, W, b, case.stride, case.pad, case.dilate, case.groups)

        seed = torch.ones_like(forward())

        def both() -> tuple[Tensor, Tensor, Tensor]:
            x.grad = W.grad = b.grad = None
            forward().backward(seed)
            return x.grad, W.grad, b.grad

        return both if backward else forward

    return build


BUILDERS = {
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
    **convolutions.programs(convolution_alone),
}
PROGRAMS = {
    "": {name: lambda build=build: build(False) for name, build in {**BUILDERS, **initial.chains(overhead)}.items()},
    "best": {name: lambda build=build: build(True) for name, build in BUILDERS.items()},  # overhead: no better variant
}
# Loops over characters are left out, because they compile for many minutes, and gradients of gradients are refused.
COMPILED = "mlp", "lenet", "vgg", "resnet50", "transformer"
PROGRAMS["compiled"] = {name: compiled(BUILDERS[name]) for name in COMPILED}
PROGRAMS["bf16"] = {name: autocast(BUILDERS[name]) for name in COMPILED}
