"""The workloads with PyTorch: the same network, written for speed: merged matrices, a cache made once."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.programs import initial
from benchmarks.programs.language import sizes

SIZE = sizes.UNITS // sizes.HEADS


def rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(sizes.UNITS, eps=1e-5), nn.RMSNorm(sizes.UNITS, eps=1e-5)
        self.qkv = nn.Linear(sizes.UNITS, 3 * sizes.UNITS, bias=False)
        self.out = nn.Linear(sizes.UNITS, sizes.UNITS, bias=False)
        self.gate_up = nn.Linear(sizes.UNITS, 2 * sizes.HIDDEN, bias=False)
        self.down = nn.Linear(sizes.HIDDEN, sizes.UNITS, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, cache, start: int) -> Tensor:
        rows, length, units = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(rows, length, 3, sizes.HEADS, SIZE).permute(2, 0, 3, 1, 4)
        q, k = rotated(q, cos, sin), rotated(k, cos, sin)
        if cache is not None:
            keys, values = cache
            keys[:, :, start : start + length], values[:, :, start : start + length] = k, v
            k, v = keys[:, :, : start + length], values[:, :, : start + length]
        y = F.scaled_dot_product_attention(q, k, v, is_causal=length > 1)
        x = x + self.out(y.transpose(1, 2).reshape(rows, length, units))
        gate, up = self.gate_up(self.norm2(x)).chunk(2, dim=-1)
        return x + self.down(F.silu(gate) * up)


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(sizes.TOKENS, sizes.UNITS)
        self.blocks = nn.ModuleList(Block() for _ in range(sizes.LAYERS))
        self.norm = nn.RMSNorm(sizes.UNITS, eps=1e-5)
        angles = torch.arange(sizes.CONTEXT)[:, None] * 10000.0 ** (-2 * torch.arange(SIZE // 2) / SIZE)
        self.cos, self.sin = angles.cos(), angles.sin()
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                path = "/" + name.replace(".weight", "/W").replace(".", "/")
                parameter.copy_(torch.from_numpy(sizes.weight(path, tuple(parameter.shape))))

    def features(self, text: Tensor, cache=None, start: int = 0) -> Tensor:
        x = self.tokens(text)
        angles = self.cos[start : start + text.shape[1]], self.sin[start : start + text.shape[1]]
        for i, block in enumerate(self.blocks):
            x = block(x, *angles, None if cache is None else cache[i], start)
        return self.norm(x)

    def cache(self):
        shape = 1, sizes.HEADS, sizes.CONTEXT, SIZE
        return [(torch.empty(shape), torch.empty(shape)) for _ in self.blocks]


def generate():
    network, text = Network().eval(), torch.from_numpy(initial.labels(sizes.TOKENS, sizes.NUMBER))

    @torch.inference_mode()
    def step():
        cache, new, start, drawn = network.cache(), text[None], 0, []
        for _ in range(sizes.NUMBER):
            features = network.features(new, cache, start)
            start += new.shape[1]
            token = F.linear(features[:, -1], network.tokens.weight).argmax(dim=-1)
            drawn.append(token.item())
            new = token[None]
        return torch.tensor(drawn, dtype=torch.float32)

    return step


def prefill():
    network, text = Network().eval(), torch.from_numpy(initial.labels(sizes.TOKENS, 1, sizes.CONTEXT))

    @torch.inference_mode()
    def step():
        return F.linear(network.features(text, network.cache()), network.tokens.weight)

    return step


def train(best: bool):
    network, text = Network(), torch.from_numpy(initial.labels(sizes.TOKENS, 4, sizes.CONTEXT))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3, fused=best)
    targets = text[:, 1:].reshape(-1).long()

    def step():
        scores = F.linear(network.features(text[:, :-1]), network.tokens.weight)
        loss = F.cross_entropy(scores.reshape(-1, sizes.TOKENS), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return step


def attention():
    arrays = torch.from_numpy(initial.array(3, 1, 8, sizes.LENGTH, 64))

    def step():
        variables = [x.clone().requires_grad_() for x in arrays]
        y = F.scaled_dot_product_attention(*variables, is_causal=True)
        (y * y).sum().backward()
        return variables[0].grad

    return step


def vocabulary():
    x = torch.from_numpy(initial.array(sizes.LENGTH, sizes.UNITS))
    W = torch.from_numpy(sizes.weight("/W", (sizes.TOKENS, sizes.UNITS)))
    t = torch.from_numpy(initial.labels(sizes.TOKENS, sizes.LENGTH)).long()

    def step():
        variables = x.detach().requires_grad_(), W.detach().requires_grad_()
        F.cross_entropy(F.linear(*variables), t).backward()
        return variables[0].grad

    return step


def to_numpy(result):
    return result.detach().numpy()


PROGRAMS = {
    "": {
        "language/generate": generate,
        "language/prefill": prefill,
        "language/train": lambda: train(False),
        "language/attention": attention,
        "language/vocabulary": vocabulary,
    },
    "best": {"language/train": lambda: train(True)},
}
