"""Workloads that autograd supports: it has no convolutions, and no optimizer that updates in place."""

from __future__ import annotations

import autograd.numpy as np
import numpy
from autograd import make_vjp
from autograd.extend import vspace

from benchmarks.programs import initial


def to_numpy(result):
    return result


def weights(*shapes):
    """Parameters of linear layers, by Renga's paths."""
    found = {}
    for path, n_in, n_out in shapes:
        found[f"{path}/W"] = initial.weight(f"{path}/W", (n_out, n_in))
        found[f"{path}/b"] = initial.weight(f"{path}/b", (n_out,))
    return found


def linear(p, path, x):
    return np.dot(x, p[f"{path}/W"].T) + p[f"{path}/b"]


def cross_entropy(y, t):
    y = y - np.max(y, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(y), axis=1)) - y[numpy.arange(len(t)), t])


def value_and_gradient(loss, parameters):
    backward, value = make_vjp(loss)(parameters)
    return value, backward(vspace(value).ones())


def mlp():
    p = weights(("/network/l1", 784, 1000), ("/network/l2", 1000, 1000), ("/network/l3", 1000, 10))
    x, t = initial.array(100, 784), initial.labels(10, 100)
    m = {path: numpy.zeros_like(array) for path, array in p.items()}
    v = {path: numpy.zeros_like(array) for path, array in p.items()}
    steps = 0

    def loss(p):
        h = np.maximum(linear(p, "/network/l1", x), 0)
        h = np.maximum(linear(p, "/network/l2", h), 0)
        return cross_entropy(linear(p, "/network/l3", h), t)

    def step():
        nonlocal steps
        steps += 1
        value, gradients = value_and_gradient(loss, p)
        rate = 0.001 * (1 - 0.999**steps) ** 0.5 / (1 - 0.9**steps)
        for path, g in gradients.items():
            m[path] += 0.1 * (g - m[path])
            v[path] += 0.001 * (g * g - v[path])
            p[path] -= rate * m[path] / (numpy.sqrt(v[path]) + 1e-8)
        return value

    return step


def gradient_penalty():
    p = weights(("/critic/l1", 784, 1000), ("/critic/l2", 1000, 1000), ("/critic/l3", 1000, 1))
    x, ones = initial.array(100, 784), numpy.ones((100, 1), numpy.float32)

    def critic(p, x):
        h = np.tanh(linear(p, "/critic/l1", x))
        return linear(p, "/critic/l3", np.tanh(linear(p, "/critic/l2", h)))

    def loss(p):
        backward, y = make_vjp(lambda x: critic(p, x))(x)
        gx = backward(ones)
        norm = np.sqrt(np.sum(gx * gx, axis=1))
        return np.mean((norm - 1) ** 2) + np.mean(y)

    def step():
        value, gradients = value_and_gradient(loss, p)
        for path, g in gradients.items():
            p[path] -= 0.01 * g
        return value

    return step


def overhead(size, backward):
    def build():
        x, w, b = initial.chain(size)

        def chain(parameters):
            w, b = parameters
            y = x
            for _ in range(initial.CHAIN_LENGTH):
                y = y * w + b
            return y

        def both():
            gradient, _ = make_vjp(chain)((w, b))
            return gradient(x)[0]

        return both if backward else lambda: chain((w, b))

    return build


PROGRAMS = {
    "": {
        "mlp": mlp,
        "gradient_penalty": gradient_penalty,
        **{f"overhead_{size}": overhead(size, True) for size in (1, 32)},
    }
}
