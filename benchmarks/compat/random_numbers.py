"""Prints random numbers after ``np.random.seed``, as JSON: two sums of each array. A Chainer program.

Run on Chainer 7.8.1, it created `tests/chainer/expected/random_numbers.json`::

    python benchmarks/compat/random_numbers.py > tests/chainer/expected/random_numbers.json
"""

import json
from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import initializers as I

found: dict[str, Any] = {}


def note(name, array):
    """Sums that identify an array: one of the values, one of the values weighted by position."""
    array = np.asarray(array, np.float64)
    places = np.cos(np.arange(array.size)).reshape(array.shape)
    found[name] = [list(array.shape), float(array.sum()), float((array * places).sum())]


def note_link(name, link):
    for path, param in sorted(link.namedparams()):
        if param.array is not None:
            note(name + path, param.array)


def after(name):
    """The next random number, which shows how many numbers have been drawn before."""
    note(name + " then", np.random.rand(3))


def initializer_cases():
    for make in [
        I.Normal,
        I.LeCunNormal,
        I.GlorotNormal,
        I.HeNormal,
        I.Uniform,
        I.LeCunUniform,
        I.GlorotUniform,
        I.HeUniform,
        I.Orthogonal,
    ]:
        for shape in [(3, 5), (5, 3), (4, 3, 2, 2)]:
            np.random.seed(0)
            name = f"{make.__name__} {shape}"
            array = np.empty(shape, np.float32)
            make()(array)
            note(name, array)
            after(name)
    np.random.seed(0)
    note("HeNormal fan_out", I.generate_array(I.HeNormal(fan_option="fan_out"), (4, 3), np))
    note("rng", I.generate_array(I.Normal(rng=np.random.RandomState(5)), (4, 3), np))


def link_cases():
    x = np.linspace(-1, 1, 12).reshape(4, 3).astype(np.float32)
    image = np.linspace(-1, 1, 2 * 4 * 6 * 6).reshape(2, 4, 6, 6).astype(np.float32)
    sequences = [np.ones((3, 3), np.float32), np.ones((2, 3), np.float32)]
    makers = {
        "Linear": lambda: L.Linear(3, 2),
        "Linear lazy": lambda: called(L.Linear(2), x),
        "Linear initial_bias": lambda: L.Linear(3, 2, initialW=I.HeNormal(), initial_bias=I.Normal(1.0)),
        "Bias": lambda: L.Bias(shape=(3,)),
        "Scale": lambda: L.Scale(W_shape=(3,), bias_term=True),
        "Bilinear": lambda: L.Bilinear(2, 3, 4),
        "EmbedID": lambda: L.EmbedID(5, 3),
        "Convolution1D": lambda: L.Convolution1D(4, 3, 3),
        "Convolution2D": lambda: L.Convolution2D(4, 3, 3),
        "Convolution2D lazy": lambda: called(L.Convolution2D(None, 3, 3), image),
        "Convolution2D groups": lambda: L.Convolution2D(4, 4, 3, groups=2),
        "Convolution3D": lambda: L.Convolution3D(2, 3, 2),
        "ConvolutionND": lambda: L.ConvolutionND(2, 4, 3, 3),
        "Deconvolution2D": lambda: L.Deconvolution2D(4, 3, 3),
        "Deconvolution2D lazy": lambda: called(L.Deconvolution2D(None, 3, 3), image),
        "DeconvolutionND": lambda: L.DeconvolutionND(2, 4, 3, 3),
        "DepthwiseConvolution2D": lambda: L.DepthwiseConvolution2D(4, 2, 3),
        "DilatedConvolution2D": lambda: L.DilatedConvolution2D(4, 3, 3, dilate=2),
        "DeformableConvolution2D": lambda: L.DeformableConvolution2D(4, 3, 3),
        "LocalConvolution2D": lambda: L.LocalConvolution2D(4, 3, in_size=6, ksize=3),
        "MLPConvolution2D": lambda: L.MLPConvolution2D(4, (3, 2), 3),
        "Inception": lambda: L.Inception(4, 2, 3, 2, 2, 3, 2),
        "InceptionBN": lambda: L.InceptionBN(4, 2, 3, 2, 2, 3, "avg", 2),
        "Highway": lambda: L.Highway(3),
        "Maxout": lambda: L.Maxout(3, 2, 2),
        "LSTM": lambda: L.LSTM(3, 2),
        "LSTM lazy": lambda: called(L.LSTM(2), x),
        "StatelessLSTM": lambda: L.StatelessLSTM(3, 2),
        "StatefulPeepholeLSTM": lambda: L.StatefulPeepholeLSTM(3, 2),
        "StatefulZoneoutLSTM": lambda: L.StatefulZoneoutLSTM(3, 2),
        "StatefulMGU": lambda: L.StatefulMGU(3, 2),
        "StatelessMGU": lambda: L.StatelessMGU(3, 2),
        "GRU": lambda: L.GRU(3, 2),
        "StatefulGRU": lambda: L.StatefulGRU(3, 2),
        "StatelessGRU": lambda: L.StatelessGRU(3, 2),
        "ChildSumTreeLSTM": lambda: L.ChildSumTreeLSTM(3, 2),
        "NaryTreeLSTM": lambda: L.NaryTreeLSTM(3, 2, n_ary=2),
        "NStepLSTM": lambda: L.NStepLSTM(2, 3, 2, 0.0),
        "NStepBiLSTM": lambda: L.NStepBiLSTM(2, 3, 2, 0.0),
        "NStepGRU": lambda: L.NStepGRU(2, 3, 2, 0.0),
        "NStepRNNTanh": lambda: L.NStepRNNTanh(1, 3, 2, 0.0),
        "NStepBiRNNReLU": lambda: L.NStepBiRNNReLU(1, 3, 2, 0.0),
        "BatchNormalization": lambda: L.BatchNormalization(3),
        "LayerNormalization": lambda: L.LayerNormalization(3),
        "GroupNormalization": lambda: called(L.GroupNormalization(2), image),
        "PReLU": lambda: L.PReLU((3,)),
        "Swish": lambda: L.Swish((3,)),
        "SimplifiedDropconnect": lambda: L.SimplifiedDropconnect(3, 2),
        "LinearMaxout": lambda: L.Maxout(3, 2, 3),
        "NegativeSampling": lambda: L.NegativeSampling(3, [1, 4, 2, 7], 2),
        "BlackOut": lambda: L.BlackOut(3, [1, 4, 2, 7], 2),
        "CRF1d": lambda: L.CRF1d(3),
        "BinaryHierarchicalSoftmax": lambda: L.BinaryHierarchicalSoftmax(3, ((0, 1), (2, 3))),
        "Parameter": lambda: L.Parameter(np.ones(3, np.float32)),
        "Sequential": lambda: chainer.Sequential(L.Linear(3, 2), F.relu, L.Linear(2, 2)).repeat(2),
    }
    for name, make in sorted(makers.items()):
        np.random.seed(1)
        note_link(name, make())
        after(name)
    np.random.seed(1)
    y = L.NStepLSTM(2, 3, 2, 0.5)(None, None, sequences)
    note("NStepLSTM dropout", F.concat(y[2], axis=0).array)
    after("NStepLSTM dropout")


def called(link, *args):
    link(*args)
    return link


def function_cases():
    x = np.linspace(-1, 1, 12).reshape(4, 3).astype(np.float32)
    t = np.array([0, 1, 2, 0], np.int32)
    drawn = {
        "dropout": lambda: F.dropout(x, 0.3),
        "gaussian": lambda: F.gaussian(x, x),
        "zoneout": lambda: F.zoneout(x, -x, 0.3),
        "rrelu": lambda: F.rrelu(x),
        "gumbel_softmax": lambda: F.gumbel_softmax(x, 0.5),
        "simplified_dropconnect": lambda: F.simplified_dropconnect(x, x, None, 0.3),
        "simplified_dropconnect one mask": lambda: F.simplified_dropconnect(x, x, None, 0.3, use_batchwise_mask=False),
        "negative_sampling": lambda: L.NegativeSampling(3, [1, 4, 2, 7], 2)(x, t),
        "black_out": lambda: black_out()(x, t),
        "Normal.sample": lambda: chainer.distributions.Normal(x, abs(x) + 1).sample(2),
        "Uniform.sample": lambda: chainer.distributions.Uniform(low=x, high=x + 1).sample(2),
        "stochastic steps": lambda: F.dropout(F.dropout(x, 0.5), 0.5),
    }
    for name, draw in sorted(drawn.items()):
        np.random.seed(2)
        note(name, draw().array)
        after(name)
    for dtype in (np.float16, np.float64):
        np.random.seed(2)
        note("dropout " + np.dtype(dtype).name, F.dropout(x.astype(dtype), 0.3).array)
    np.random.seed(2)
    sampler = chainer.utils.WalkerAlias([1, 4, 0.5, 2, 2])
    note("WalkerAlias", sampler.sample((3, 7)))


def distribution_cases():
    k = np.array([0.5, 1.5, 3.0], "f")
    p = np.array([0.2, 0.3, 0.5], "f")
    rows = np.tile(p, (2, 1))
    drawn = {
        "Bernoulli": {"p": p},
        "Beta": {"a": k, "b": k},
        "Categorical": {"p": rows},
        "Cauchy": {"loc": k, "scale": k},
        "Chisquare": {"k": k},
        "Dirichlet": {"alpha": rows},
        "Exponential": {"lam": k},
        "Gamma": {"k": k, "theta": k},
        "Geometric": {"p": p},
        "Gumbel": {"loc": k, "scale": k},
        "Laplace": {"loc": k, "scale": k},
        "LogNormal": {"mu": k, "sigma": k},
        "Normal": {"loc": k, "scale": k},
        "OneHotCategorical": {"p": rows},
        "Pareto": {"scale": k, "alpha": k},
        "Poisson": {"lam": k},
        "Uniform": {"low": k, "high": k + 1},
        "MultivariateNormal": {"loc": k, "scale_tril": np.tril(np.ones((3, 3), "f"))},
    }
    for name, parameters in sorted(drawn.items()):
        np.random.seed(5)
        note(name, getattr(chainer.distributions, name)(**parameters).sample(4).array)
        after(name)


def black_out():
    link = L.BlackOut(3, [1, 4, 2, 7], 2)
    link.W.array[...] = np.arange(12).reshape(4, 3) / 10
    return link


def iterator_cases():
    data = list(range(10))
    for repeat in (True, False):
        for kind in (chainer.iterators.SerialIterator, chainer.iterators.MultithreadIterator):
            np.random.seed(3)
            name = f"{kind.__name__} {repeat}"
            iterator = kind(data, 4, repeat=repeat)
            for number, batch in enumerate(iterator):
                note(f"{name} {number}", batch)
                if number == 8:
                    break
            if kind is chainer.iterators.SerialIterator:
                after(name)
                iterator.reset()
                note(name + " reset", next(iterator))
    np.random.seed(3)
    sampler = chainer.iterators.ShuffleOrderSampler(np.random.RandomState(9))
    iterator = chainer.iterators.SerialIterator(data, 10, order_sampler=sampler)
    note("order_sampler", next(iterator) + next(iterator))
    first, second = chainer.datasets.split_dataset_random(data, 6, seed=4)
    note("split_dataset_random", list(first) + list(second))
    folds = chainer.datasets.get_cross_validation_datasets_random(data, 3, seed=4)
    note("cross validation", list(folds[1][0]))


def hook_cases():
    np.random.seed(4)
    model = L.Linear(3, 2)
    optimizer = chainer.optimizers.SGD(0.1).setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.GradientNoise(0.3))
    for _ in range(3):
        optimizer.update(lambda: F.sum(model(np.ones((2, 3), np.float32))))
    note_link("GradientNoise", model)


initializer_cases()
link_cases()
function_cases()
distribution_cases()
iterator_cases()
hook_cases()
print(json.dumps(found, indent=1, sort_keys=True))
