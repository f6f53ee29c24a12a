"""The workloads with Renga's Llama, as its users write them."""

from __future__ import annotations

from typing import Any

import numpy as np

import renga.functions as F
from benchmarks.programs import initial
from benchmarks.programs.language import sizes
from renga import Variable, no_backprop_mode, using_config
from renga.language import Cache, Llama
from renga.optimizers import Adam


def network() -> Any:
    model = Llama(sizes.TOKENS, sizes.UNITS, sizes.LAYERS, sizes.HEADS, n_hidden=sizes.HIDDEN, context=sizes.CONTEXT)
    for path, parameter in model.namedparams():
        parameter.array[...] = sizes.weight(path, parameter.shape)
    return model


def generate():
    model, text = network(), initial.labels(sizes.TOKENS, sizes.NUMBER)

    def step() -> Any:
        return np.array(list(model.generate(text, sizes.NUMBER, temperature=0)), np.float32)

    return step


def prefill():
    model, text = network(), initial.labels(sizes.TOKENS, 1, sizes.CONTEXT)

    def step() -> Any:
        with no_backprop_mode(), using_config("train", False):
            return model(text, Cache(sizes.CONTEXT))

    return step


def train():
    model, optimizer = network(), Adam(alpha=1e-3)
    optimizer.setup(model)
    text = initial.labels(sizes.TOKENS, 4, sizes.CONTEXT)

    def step() -> Any:
        loss = model.loss(text[:, :-1], text[:, 1:])
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step


def attention():
    arrays = initial.array(3, 1, 8, sizes.LENGTH, 64)

    def step() -> Any:
        query, key, value = (Variable(x) for x in arrays)
        y = F.scaled_dot_product_attention(query, key, value, causal=True)
        F.sum(y * y).backward()
        return query.grad

    return step


def vocabulary():
    x, W = initial.array(sizes.LENGTH, sizes.UNITS), sizes.weight("/W", (sizes.TOKENS, sizes.UNITS))
    t = initial.labels(sizes.TOKENS, sizes.LENGTH)

    def step() -> Any:
        variables = Variable(x), Variable(W)
        F.linear_softmax_cross_entropy(*variables, t).backward()
        return variables[0].grad

    return step


def to_numpy(result: Any) -> np.ndarray:
    return result.array if isinstance(result, Variable) else result


PROGRAMS: dict[str, dict[str, Any]] = {
    "": {
        "language/generate": generate,
        "language/prefill": prefill,
        "language/train": train,
        "language/attention": attention,
        "language/vocabulary": vocabulary,
    },
    "compiled": {},
}
