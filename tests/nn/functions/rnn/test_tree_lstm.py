import numpy as np

from renga_core.graph import InvalidType
from renga_nn.functions.rnn import slstm, tree_lstm
from renga_testing.function_suite import FunctionSuite


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class TestTreeLSTM(FunctionSuite):
    cases = {
        "one child": {"children": 1, "shape": (3, 2)},
        "two children": {"children": 2, "shape": (2, 3)},
        "three, units that are images": {"children": 3, "shape": (2, 1, 2, 2)},
    }
    bad_inputs = {
        "no child": ((np.zeros((2, 3)),), InvalidType, ["tree_lstm: inputs", "at least one child", "1 arrays"]),
        "gates": ((np.zeros((2, 3)), np.zeros((2, 10))), InvalidType, ["inputs[1]", "(N, 4 M, ...)", "(2, 10)"]),
        "integers": ((np.zeros((2, 3)), np.zeros((2, 12), int)), InvalidType, ["tree_lstm: inputs[1]", "floating"]),
        "cells": ((np.zeros((3, 2)), np.zeros((3, 12))), InvalidType, ["inputs[0]", "(3, 3)", "(3, 2)"]),
        "dtypes": ((np.zeros((3, 3), "f"), np.zeros((3, 12))), InvalidType, ["inputs[0]", "float64", "float32"]),
    }

    def make_inputs(self, rng, dtype):
        gates = (self.shape[0], (3 + self.children) * self.shape[1], *self.shape[2:])
        cells = [rng.normal(size=self.shape).astype(dtype) for _ in range(self.children)]
        return (*cells, rng.normal(size=gates).astype(dtype))

    def call(self, *inputs):
        return tree_lstm(*inputs)

    def reference(self, *inputs):
        *cells, x = inputs
        m = x.shape[1] // (3 + len(cells))
        a, i, o, *fs = (x[:, k * m : (k + 1) * m] for k in range(3 + len(cells)))
        c = np.tanh(a) * sigmoid(i)
        for f, child in zip(fs, cells, strict=True):
            c = c + child * sigmoid(f)
        return c, np.tanh(c) * sigmoid(o)

    def empty_inputs(self, dtype):
        shape = (0, *self.shape[1:])
        return *[np.ones(shape, dtype)] * self.children, np.ones((0, (3 + self.children) * shape[1], *shape[2:]), dtype)


class TestSLSTM(FunctionSuite):
    cases = {"vectors": {"shape": (3, 2)}, "images": {"shape": (2, 1, 2, 2)}}
    bad_inputs = {
        "gates": (
            (np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 10)), np.zeros((2, 10))),
            InvalidType,
            ["slstm: x1", "(N, 4 M, ...)", "(2, 10)"],
        ),
        "children differ": (
            (np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 12)), np.zeros((2, 8))),
            InvalidType,
            ["slstm: x2", "(2, 12)", "(2, 8)"],
        ),
        "cells": (
            (np.zeros((2, 3)), np.zeros((2, 2)), np.zeros((2, 12)), np.zeros((2, 12))),
            InvalidType,
            ["slstm: c_prev2", "(2, 3)", "(2, 2)"],
        ),
    }

    def make_inputs(self, rng, dtype):
        gates = (self.shape[0], 4 * self.shape[1], *self.shape[2:])
        return tuple(rng.normal(size=s).astype(dtype) for s in (self.shape, self.shape, gates, gates))

    def call(self, *inputs):
        return slstm(*inputs)

    def reference(self, c1, c2, x1, x2):
        a1, i1, f1, o1 = (x1[:, gate::4] for gate in range(4))
        a2, i2, f2, o2 = (x2[:, gate::4] for gate in range(4))
        c = np.tanh(a1) * sigmoid(i1) + np.tanh(a2) * sigmoid(i2) + sigmoid(f1) * c1 + sigmoid(f2) * c2
        return c, np.tanh(c) * sigmoid(o1 + o2)

    def empty_inputs(self, dtype):
        shape, gates = (0, *self.shape[1:]), (0, 4 * self.shape[1], *self.shape[2:])
        return tuple(np.ones(s, dtype) for s in (shape, shape, gates, gates))
