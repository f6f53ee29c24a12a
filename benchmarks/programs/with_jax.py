"""The workloads with JAX: the whole step, with its update, is one compiled function."""

from __future__ import annotations

import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.programs import convolutions, initial

# Parameters are a dict by Renga's paths, so that initial weights are the same; images and filters have channels last.


def to_numpy(result):
    return np.asarray(result)


def weights(shapes):
    """Renga's initial parameters of these shapes; filters are transposed, so that output channels are last."""
    arrays = {path: initial.weight(path, shape) for path, shape in shapes.items()}
    return {path: jnp.asarray(a.transpose(2, 3, 1, 0) if a.ndim == 4 else a) for path, a in arrays.items()}


def trained(loss, parameters, optimizer, *batch, statistics=None):
    """A training step. `loss` maps parameters, running statistics and a batch to the loss and new statistics."""
    first, update = optimizer
    batch = [jnp.asarray(b.transpose(0, 2, 3, 1) if b.ndim == 4 else b) for b in batch]

    @partial(jax.jit, donate_argnums=0)
    def whole(state, *batch):
        parameters, memory, statistics = state
        gradient = jax.value_and_grad(loss, has_aux=True)
        (value, statistics), gradients = gradient(parameters, statistics, *batch)
        return (*update(parameters, memory, gradients), statistics), value

    state = parameters, first(parameters), statistics or {}

    def step():
        nonlocal state
        state, value = whole(state, *batch)
        return value.block_until_ready()

    return step


def stateless(loss):
    return lambda parameters, statistics, *batch: (loss(parameters, *batch), statistics)


def sgd(lr=0.01):
    def update(parameters, memory, gradients):
        return jax.tree.map(lambda p, g: p - lr * g, parameters, gradients), memory

    return lambda parameters: (), update


def adam_optimizer(alpha=0.001, beta1=0.9, beta2=0.999, eps=1e-8):
    def first(parameters):
        zeros = jax.tree.map(jnp.zeros_like, parameters)
        return jnp.zeros((), jnp.int32), zeros, jax.tree.map(jnp.copy, zeros)

    def update(parameters, memory, gradients):
        t, m, v = memory
        t = t + 1
        m = jax.tree.map(lambda m, g: m + (1 - beta1) * (g - m), m, gradients)
        v = jax.tree.map(lambda v, g: v + (1 - beta2) * (g * g - v), v, gradients)
        rate = alpha * jnp.sqrt(1 - beta2 ** t.astype(jnp.float32)) / (1 - beta1 ** t.astype(jnp.float32))
        parameters = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + eps), parameters, m, v)
        return parameters, (t, m, v)

    return first, update


def linear_shapes(path, n_in, n_out):
    return {f"{path}/W": (n_out, n_in), f"{path}/b": (n_out,)}


def linear(p, path, x):
    return x @ p[f"{path}/W"].T + p[f"{path}/b"]


def convolution(p, path, x, stride=1, pad=0):
    y = lax.conv_general_dilated(
        x, p[f"{path}/W"], (stride, stride), [(pad, pad)] * 2, dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    return y + p[f"{path}/b"] if f"{path}/b" in p else y


def max_pooling(x, ksize, stride, pad=0):
    border = ((0, 0), (pad, pad), (pad, pad), (0, 0))
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, ksize, ksize, 1), (1, stride, stride, 1), border)


def flat(x):
    """Channels first, as Renga's features are in order."""
    return x.transpose(0, 3, 1, 2).reshape(len(x), -1)


def cross_entropy(y, t):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(y), t[..., None], -1))


def mlp():
    shapes = {
        **linear_shapes("/network/l1", 784, 1000),
        **linear_shapes("/network/l2", 1000, 1000),
        **linear_shapes("/network/l3", 1000, 10),
    }

    def loss(p, x, t):
        h = jax.nn.relu(linear(p, "/network/l1", x))
        h = jax.nn.relu(linear(p, "/network/l2", h))
        return cross_entropy(linear(p, "/network/l3", h), t)

    batch = initial.array(100, 784), initial.labels(10, 100)
    return trained(stateless(loss), weights(shapes), adam_optimizer(), *batch)


def lenet():
    shapes = {
        "/network/conv1/W": (20, 1, 5, 5),
        "/network/conv1/b": (20,),
        "/network/conv2/W": (50, 20, 5, 5),
        "/network/conv2/b": (50,),
        **linear_shapes("/network/l1", 800, 500),
        **linear_shapes("/network/l2", 500, 10),
    }

    def loss(p, x, t):
        h = max_pooling(jax.nn.relu(convolution(p, "/network/conv1", x)), 2, 2)
        h = max_pooling(jax.nn.relu(convolution(p, "/network/conv2", h)), 2, 2)
        return cross_entropy(linear(p, "/network/l2", jax.nn.relu(linear(p, "/network/l1", flat(h)))), t)

    return trained(stateless(loss), weights(shapes), sgd(), initial.array(64, 1, 28, 28), initial.labels(10, 64))


def normalized_shapes(path, channels):
    return {f"{path}/gamma": (channels,), f"{path}/beta": (channels,)}


def first_statistics(shapes):
    """Running means and variances for each gamma there is."""
    found = {}
    for path, shape in shapes.items():
        if path.endswith("/gamma"):
            parent = path.removesuffix("/gamma")
            found[f"{parent}/mean"], found[f"{parent}/var"] = jnp.zeros(shape), jnp.ones(shape)
    return found


def normalize(p, statistics, path, x, train=True):
    """Batch normalization; in training it replaces the running statistics."""
    if train:
        mean, var = jnp.mean(x, (0, 1, 2)), jnp.var(x, (0, 1, 2))
        m = x.size // x.shape[-1]
        unbiased = var * (m / (m - 1))
        statistics[f"{path}/mean"] = 0.9 * statistics[f"{path}/mean"] + 0.1 * mean
        statistics[f"{path}/var"] = 0.9 * statistics[f"{path}/var"] + 0.1 * unbiased
    else:
        mean, var = statistics[f"{path}/mean"], statistics[f"{path}/var"]
    scale = p[f"{path}/gamma"] * lax.rsqrt(var + 1e-5)
    return (x - mean) * scale + p[f"{path}/beta"]


def vgg():
    shapes = linear_shapes("/network/fc", 256 * 16, 10)
    n_in, place = 3, 0
    for n_out in (64, 128, 256):
        for _ in range(2):
            shapes[f"/network/blocks/{place}/W"] = (n_out, n_in, 3, 3)
            shapes |= normalized_shapes(f"/network/blocks/{place + 1}", n_out)
            n_in, place = n_out, place + 2

    def loss(p, statistics, x, t):
        statistics = dict(statistics)
        for i in range(0, 12, 2):
            x = convolution(p, f"/network/blocks/{i}", x, pad=1)
            x = jax.nn.relu(normalize(p, statistics, f"/network/blocks/{i + 1}", x))
            if i % 4 == 2:
                x = max_pooling(x, 2, 2)
        return cross_entropy(linear(p, "/network/fc", flat(x)), t), statistics

    batch = initial.array(32, 3, 32, 32), initial.labels(10, 32)
    return trained(loss, weights(shapes), sgd(0.001), *batch, statistics=first_statistics(shapes))


STAGES = [(stage, i) for stage, count in enumerate((3, 4, 6, 3)) for i in range(count)]


def resnet_shapes(root):
    shapes = {f"{root}/conv1/W": (64, 3, 7, 7), **normalized_shapes(f"{root}/bn1", 64)}
    n_in = 64
    for number, (stage, _) in enumerate(STAGES):
        path, width = f"{root}/blocks/{number}", 64 * 2**stage
        sizes = [(width, n_in, 1, 1), (width, width, 3, 3), (4 * width, width, 1, 1)]
        if n_in != 4 * width:
            sizes.append((4 * width, n_in, 1, 1))
        for j, size in enumerate(sizes, 1):
            shapes[f"{path}/conv{j}/W"] = size
            shapes |= normalized_shapes(f"{path}/bn{j}", size[0])
        n_in = 4 * width
    return shapes | linear_shapes(f"{root}/fc", 2048, 1000)


def resnet(p, statistics, root, x, train):
    def conv_bn(path, number, x, stride=1, pad=0):
        h = convolution(p, f"{path}/conv{number}", x, stride, pad)
        return normalize(p, statistics, f"{path}/bn{number}", h, train)

    h = max_pooling(jax.nn.relu(conv_bn(root, 1, x, 2, 3)), 3, 2, 1)
    for number, (stage, i) in enumerate(STAGES):
        path, stride = f"{root}/blocks/{number}", 2 if stage and i == 0 else 1
        x, h = h, jax.nn.relu(conv_bn(path, 1, h))
        h = jax.nn.relu(conv_bn(path, 2, h, stride, 1))
        h = conv_bn(path, 3, h)
        h = jax.nn.relu(h + (conv_bn(path, 4, x, stride) if f"{path}/conv4/W" in p else x))
    return linear(p, f"{root}/fc", jnp.mean(h, (1, 2)))


def resnet50():
    shapes = resnet_shapes("/network")

    def loss(p, statistics, x, t):
        statistics = dict(statistics)
        return cross_entropy(resnet(p, statistics, "/network", x, True), t), statistics

    batch = initial.array(4, 3, 224, 224), initial.labels(1000, 4)
    return trained(loss, weights(shapes), sgd(1e-5), *batch, statistics=first_statistics(shapes))


def inference(batch):
    def build():
        shapes = resnet_shapes("")
        p, statistics = weights(shapes), first_statistics(shapes)
        x = jnp.asarray(initial.array(batch, 3, 224, 224).transpose(0, 2, 3, 1))
        network = jax.jit(lambda p, statistics, x: resnet(p, statistics, "", x, False))
        return lambda: network(p, statistics, x).block_until_ready()

    return build


def lstm_cell(c, gates):
    """Compute cells and output from the gates i, f, a, o in blocks."""
    i, f, a, o = jnp.split(gates, 4, -1)
    c = jnp.tanh(a) * jax.nn.sigmoid(i) + c * jax.nn.sigmoid(f)
    return c, jnp.tanh(c) * jax.nn.sigmoid(o)


def lstm_loop():
    shapes = {"/embed/W": (100, 256), **linear_shapes("/fc", 256, 100)}
    for layer in ("/l1", "/l2"):
        shapes |= {**linear_shapes(f"{layer}/upward", 256, 1024), f"{layer}/lateral/W": (1024, 256)}
    parameters = weights(shapes)
    for path in parameters:
        if path.endswith(("/upward/W", "/lateral/W")):
            parameters[path] = jnp.asarray(initial.by_gate(np.asarray(parameters[path])))

    def loss(p, xs, ts):
        c1 = h1 = c2 = h2 = jnp.zeros((xs.shape[1], 256))
        total = 0
        for x, t in zip(xs, ts, strict=True):
            c1, h1 = lstm_cell(c1, linear(p, "/l1/upward", p["/embed/W"][x]) + h1 @ p["/l1/lateral/W"].T)
            c2, h2 = lstm_cell(c2, linear(p, "/l2/upward", h1) + h2 @ p["/l2/lateral/W"].T)
            total = total + cross_entropy(linear(p, "/fc", h2), t)
        return total

    return trained(stateless(loss), parameters, sgd(), initial.labels(100, 35, 20), initial.labels(100, 35, 20))


def lstm_fused():
    shapes = {"/embed/W": (100, 256), **linear_shapes("/fc", 256, 100)}
    parameters = weights(shapes)
    for layer in (0, 1):
        for name, first in (("x", 0), ("h", 4)):
            gates = [initial.weight(f"/lstm/{layer}/w{j}", (256, 256)) for j in range(first, first + 4)]
            parameters[f"/{layer}/{name}/W"] = jnp.asarray(np.concatenate(gates))
            parameters[f"/{layer}/{name}/b"] = jnp.zeros(1024)

    def layer(p, number, xs):
        def one(state, x):
            c, h = lstm_cell(state[0], x + linear(p, f"/{number}/h", state[1]))
            return (c, h), h

        zeros = jnp.zeros((xs.shape[1], 256))
        return lax.scan(one, (zeros, zeros), linear(p, f"/{number}/x", xs))[1]

    def loss(p, xs, ts):
        return cross_entropy(linear(p, "/fc", layer(p, 1, layer(p, 0, p["/embed/W"][xs]))), ts)

    return trained(stateless(loss), parameters, sgd(), initial.labels(100, 35, 20), initial.labels(100, 35, 20))


def gradient_penalty():
    shapes = {
        **linear_shapes("/critic/l1", 784, 1000),
        **linear_shapes("/critic/l2", 1000, 1000),
        **linear_shapes("/critic/l3", 1000, 1),
    }

    def critic(p, x):
        h = jnp.tanh(linear(p, "/critic/l1", x))
        return linear(p, "/critic/l3", jnp.tanh(linear(p, "/critic/l2", h)))

    def loss(p, x):
        y, gradient = jax.vjp(lambda x: critic(p, x), x)
        (gx,) = gradient(jnp.ones_like(y))
        norm = jnp.sqrt(jnp.sum(gx * gx, 1))
        return jnp.mean((norm - 1) ** 2) + jnp.mean(y)

    return trained(stateless(loss), weights(shapes), sgd(), initial.array(100, 784))


def layer_norm(p, path, x):
    mean, var = jnp.mean(x, -1, keepdims=True), jnp.var(x, -1, keepdims=True)
    return (x - mean) * lax.rsqrt(var + 1e-5) * p[f"{path}/gamma"] + p[f"{path}/beta"]


def attention(q, k, v):
    """Causal mask: each position attends to itself and earlier ones."""
    scores = jnp.einsum("nhqd,nhkd->nhqk", q, k) / math.sqrt(q.shape[-1])
    length = q.shape[2]
    scores = jnp.where(jnp.tri(length, dtype=bool), scores, -jnp.inf)
    return jnp.einsum("nhqk,nhkd->nhqd", jax.nn.softmax(scores), v)


def transformer_weights():
    shapes = {"/tokens/W": (1000, 256), "/places": (128, 256)}
    for i in range(4):
        for norm in ("norm1", "norm2"):
            shapes |= normalized_shapes(f"/blocks/{i}/{norm}", 256)
        for name, n_in, n_out in (("qkv", 256, 768), ("out", 256, 256), ("fc1", 256, 1024), ("fc2", 1024, 256)):
            shapes |= linear_shapes(f"/blocks/{i}/{name}", n_in, n_out)
    return weights({**shapes, **normalized_shapes("/norm", 256), **linear_shapes("/head", 256, 1000)})


def transformer_loss(p, x, t, attentions, activation):
    """Create a network whose blocks use one of `attentions` each."""

    def block(path, x, attention):
        batch, length, units = x.shape
        qkv = linear(p, f"{path}/qkv", layer_norm(p, f"{path}/norm1", x))
        mixed = attention(*qkv.reshape(batch, length, 3, 4, units // 4).transpose(2, 0, 3, 1, 4))
        x = x + linear(p, f"{path}/out", mixed.transpose(0, 2, 1, 3).reshape(batch, length, units))
        h = activation(linear(p, f"{path}/fc1", layer_norm(p, f"{path}/norm2", x)))
        return x + linear(p, f"{path}/fc2", h)

    h = p["/tokens/W"][x] + p["/places"]
    for i, attention in enumerate(attentions):
        h = block(f"/blocks/{i}", h, attention)
    return cross_entropy(linear(p, "/head", layer_norm(p, "/norm", h)).reshape(-1, 1000), t)


def transformer_batch():
    return initial.labels(1000, 8, 128), initial.labels(1000, 8, 128).reshape(-1)


def transformer():
    def loss(p, x, t):
        return transformer_loss(p, x, t, [attention] * 4, jax.nn.relu)

    return trained(stateless(loss), transformer_weights(), adam_optimizer(), *transformer_batch())


def adam():
    parameters = weights({f"/W{i}": (500, 1000) for i in range(50)})
    gradients = {path: jnp.asarray(initial.array(500, 1000)) for path in parameters}
    first, update = adam_optimizer()
    state = parameters, first(parameters)
    whole = jax.jit(lambda state, gradients: update(*state, gradients), donate_argnums=0)

    def step():
        nonlocal state
        state = jax.block_until_ready(whole(state, gradients))
        return state[0]["/W0"]

    return step


def overhead(size, backward):
    def build():
        x, w, b = map(jnp.asarray, initial.chain(size))

        def chain(w, b):
            y = x
            for _ in range(initial.CHAIN_LENGTH):
                y = y * w + b
            return y

        def gradients(w, b):
            return jax.vjp(chain, w, b)[1](x)

        compiled = jax.jit(gradients if backward else chain)
        if backward:
            return lambda: jax.block_until_ready(compiled(w, b))[0]
        return lambda: compiled(w, b).block_until_ready()

    return build


def convolution_alone(case, backward):
    def build():
        x, W, b = convolutions.arrays(case)
        x, W, b = jnp.asarray(np.moveaxis(x, 1, -1)), jnp.asarray(np.moveaxis(W, (0, 1), (-1, -2))), jnp.asarray(b)
        axes = "DHW"[3 - W.ndim + 2 :]
        layouts = f"N{axes}C", f"{axes}IO", f"N{axes}C"

        def forward(x, W, b):
            return b + lax.conv_general_dilated(
                x,
                W,
                (case.stride,) * len(axes),
                [(case.pad, case.pad)] * len(axes),
                rhs_dilation=(case.dilate,) * len(axes),
                dimension_numbers=layouts,
                feature_group_count=case.groups,
            )

        def gradients(x, W, b):
            y, gradient = jax.vjp(forward, x, W, b)
            return gradient(jnp.ones_like(y))

        compiled = jax.jit(gradients if backward else forward)
        return lambda: jax.block_until_ready(compiled(x, W, b))

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
