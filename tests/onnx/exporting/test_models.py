"""Whole networks, exported with random weights, compute in onnxruntime as in Renga."""

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
ort = pytest.importorskip("onnxruntime", reason="pip install onnxruntime")

import renga.cv.links as vision  # noqa: E402
from renga_onnx import export  # noqa: E402


def normal(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype("float32")


def lenet():
    return renga.Sequential(
        L.Convolution2D(1, 6, 5, pad=2),
        F.tanh,
        lambda x: F.average_pooling_2d(x, 2),
        L.Convolution2D(6, 16, 5),
        F.tanh,
        lambda x: F.average_pooling_2d(x, 2),
        L.Linear(400, 84),
        F.tanh,
        L.Linear(84, 10),
    )


def generator():
    """Of DCGAN (Radford et al. 2016), small."""
    return renga.Sequential(
        L.Linear(8, 16 * 4 * 4),
        lambda x: F.reshape(x, (len(x), 16, 4, 4)),
        L.BatchNormalization(16),
        F.relu,
        L.Deconvolution2D(16, 8, 4, 2, 1),
        L.BatchNormalization(8),
        F.relu,
        L.Deconvolution2D(8, 3, 4, 2, 1),
        F.sigmoid,
    )


class Autoencoder(renga.Chain):
    """Variational (Kingma & Welling 2014), with the mean for a sample."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.encoder, self.mean, self.spread = L.Linear(12, 8), L.Linear(8, 2), L.Linear(8, 2)
            self.decoder, self.out = L.Linear(2, 8), L.Linear(8, 12)

    def forward(self, x):
        h = F.tanh(self.encoder(x))
        mean = self.mean(h)
        return F.sigmoid(self.out(F.tanh(self.decoder(mean)))), F.gaussian_kl_divergence(mean, self.spread(h))


class LanguageModel(renga.Chain):
    def __init__(self, rnn):
        super().__init__()
        with self.init_scope():
            self.embed, self.rnn, self.out = L.EmbedID(9, 4), rnn(2, 4, 5, 0.5), L.Linear(5, 9)

    def forward(self, words):
        xs = [F.reshape(x, x.shape[1:]) for x in F.split_axis(self.embed(words), len(words), 0)]
        *_, ys = self.rnn(None, None, xs) if isinstance(self.rnn, L.NStepLSTM) else self.rnn(None, xs)
        return self.out(F.concat(ys, axis=0))


class Attention(renga.Chain):
    def __init__(self, units, heads):
        super().__init__()
        self.heads = heads
        with self.init_scope():
            self.query, self.key, self.value, self.out = (L.Linear(units, units) for _ in range(4))

    def forward(self, x, source, causal=False):
        def split(link, of):
            y = link(of, n_batch_axes=2)
            return F.reshape(y, (*y.shape[:2], self.heads, -1)).transpose(0, 2, 1, 3)

        y = F.scaled_dot_product_attention(
            split(self.query, x), split(self.key, source), split(self.value, source), causal=causal
        )
        return self.out(F.reshape(y.transpose(0, 2, 1, 3), x.shape), n_batch_axes=2)


class Transformer(renga.Chain):
    """An encoder and a decoder of one layer each (Vaswani et al. 2017)."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(9, 8)
            self.encode, self.decode, self.look = Attention(8, 2), Attention(8, 2), Attention(8, 2)
            self.norm, self.wide, self.narrow, self.out = (
                L.LayerNormalization(8),
                L.Linear(8, 16),
                L.Linear(16, 8),
                L.Linear(8, 9),
            )

    def feed(self, x):
        return x + self.narrow(F.relu(self.wide(self.norm(x), n_batch_axes=2)), n_batch_axes=2)

    def forward(self, source, target):
        x, y = self.embed(source), self.embed(target)
        x = self.feed(x + self.encode(self.norm(x), self.norm(x)))
        y = y + self.decode(self.norm(y), self.norm(y), causal=True)
        y = self.feed(y + self.look(self.norm(y), x))
        return self.out(y, n_batch_axes=2)


WORDS = np.array([[1, 2, 3], [4, 5, 8]], np.int32)

CASES = {
    "LeNet": (lenet, [normal(2, 1, 28, 28)], ("n", 1, 28, 28)),
    "DCGAN's generator": (generator, [normal(2, 8)], ("n", 8)),
    "autoencoder": (Autoencoder, [normal(2, 12)], None),
    "LSTM": (lambda: LanguageModel(L.NStepLSTM), [WORDS], None),
    "GRU": (lambda: LanguageModel(L.NStepGRU), [WORDS], None),
    "transformer": (Transformer, [WORDS, WORDS[:, :2]], [("n", "source"), ("n", "target")]),
    "ResNet50": (lambda: vision.ResNet50(n_class=3), [normal(1, 3, 32, 32)], ("n", 3, 32, 32)),
    "MobileNetV2": (lambda: vision.MobileNetV2(n_class=3), [normal(1, 3, 32, 32)], ("n", 3, 32, 32)),
}


def same(network, inputs, shapes):
    with renga.using_config("train", False), renga.no_backprop_mode():
        network(*inputs)  # parameters get their shapes
    model = export(network, inputs, input_shapes=shapes)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    changed = [np.ascontiguousarray(x[..., ::-1]) for x in inputs]
    if shapes:
        changed = [np.concatenate([x, x]) for x in changed]
    with renga.using_config("train", False), renga.no_backprop_mode():
        ys = network(*map(renga.Variable, changed))
    found = session.run(None, {value.name: x for value, x in zip(model.graph.input, changed, strict=True)})
    for y, z in zip(found, ys if isinstance(ys, tuple) else [ys], strict=True):
        np.testing.assert_allclose(y, z.array, rtol=1e-4, atol=1e-4 * max(1, abs(z.array).max()))


@pytest.mark.parametrize("name", CASES)
def test_network(name):
    make, inputs, shapes = CASES[name]
    same(make(), inputs, shapes)


@pytest.mark.slow
def test_ssd300():
    same(vision.SSD300(n_fg_class=2), [normal(1, 3, 300, 300)], None)
