import numpy as np
import pytest

from renga_core.backend import to_host
from renga_core.graph import InvalidType, Variable
from renga_nn.initializers import GlorotNormal
from renga_nn.links import LSTM, StatelessLSTM
from renga_testing.link_suite import LinkSuite


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(params, c, h, x):
    """The four gates, each by itself."""
    gates = x @ params["upward/W"].T + params["upward/b"] + h @ params["lateral/W"].T
    a, i, f, o = (gates[:, gate::4] for gate in range(4))
    c = np.tanh(a) * sigmoid(i) + c * sigmoid(f)
    return c, np.tanh(c) * sigmoid(o)


class TestStatelessLSTM(LinkSuite):
    cases = {"sizes given": {"arguments": (4, 2)}, "size of the first input": {"arguments": (2,)}}
    bad_inputs = {"features": ((np.ones((3, 2)), np.ones((3, 2)), np.ones((3, 3))), InvalidType, ("linear", "(3, 3)"))}

    def make_link(self):
        return StatelessLSTM(*self.arguments)

    def make_inputs(self, rng, dtype):
        return tuple([rng.standard_normal((3, size)).astype(dtype) for size in (2, 2, 4)])

    def reference(self, params, c, h, x):
        return step(params, c, h, x)

    def empty_inputs(self, dtype):
        return tuple([np.zeros((0, size), dtype) for size in (2, 2, 4)])


class TestLSTM(LinkSuite):
    """Three steps, the last of which with fewer sequences."""

    cases = {"sizes given": {"arguments": (4, 2)}, "size of the first input": {"arguments": (2,)}}
    bad_inputs = {
        "more sequences": ((np.ones((2, 4)), np.ones((2, 4)), np.ones((3, 4))), TypeError, ("LSTM", "reset_state"))
    }

    def make_link(self):
        return LSTM(*self.arguments)

    def make_inputs(self, rng, dtype):
        return tuple([rng.standard_normal((n, 4)).astype(dtype) for n in (3, 3, 2)])

    def call(self, link, *xs):
        link.reset_state()
        ys = [link(x) for x in xs]
        return [*ys, link.h]

    def reference(self, params, *xs):
        c = h = np.zeros((len(xs[0]), 2))
        ys = []
        for x in xs:
            n = len(x)
            moved = step(params, c[:n], h[:n], x)
            c, h = (np.concatenate([new, old[n:]]) for new, old in zip(moved, (c, h), strict=True))
            ys.append(moved[1])
        return (*ys, h)

    def empty_inputs(self, dtype):
        return tuple([np.zeros((0, 4), dtype)] * 3)


def sequence(length, n=3, size=4):
    return np.random.default_rng(0).normal(size=(length, n, size))


@pytest.mark.torch
def test_agrees_with_pytorch_over_several_steps():
    torch = pytest.importorskip("torch")
    link = LSTM(4, 5)
    xs = sequence(6)
    network = torch.nn.LSTM(4, 5, dtype=torch.float64)
    # PyTorch has its gates one after another in the order i, f, a, o; ours are interleaved as a, i, f, o.
    order = [4 * unit + gate for gate in (1, 2, 0, 3) for unit in range(5)]
    with torch.no_grad():
        network.weight_ih_l0.copy_(torch.tensor(link.upward.W.array[order]))
        network.weight_hh_l0.copy_(torch.tensor(link.lateral.W.array[order]))
        network.bias_ih_l0.copy_(torch.tensor(link.upward.b.array[order]))
        network.bias_hh_l0.zero_()
    tensor = torch.tensor(xs, requires_grad=True)
    expected, _ = network(tensor)
    inputs = [Variable(x) for x in xs]
    outputs = [link(x) for x in inputs]
    for y, right in zip(outputs, expected, strict=True):
        np.testing.assert_allclose(y.array, right.detach().numpy(), atol=1e-12)
    weights = np.random.default_rng(1).normal(size=(6, 3, 5))
    (expected * torch.tensor(weights)).sum().backward()
    loss = sum((y * w).sum() for y, w in zip(outputs[1:], weights[1:], strict=True)) + (outputs[0] * weights[0]).sum()
    loss.backward()
    np.testing.assert_allclose([x.grad for x in inputs], tensor.grad.numpy(), atol=1e-12)
    np.testing.assert_allclose(link.lateral.W.grad[order], network.weight_hh_l0.grad.numpy(), atol=1e-12)
    np.testing.assert_allclose(link.upward.b.grad[order], network.bias_ih_l0.grad.numpy(), atol=1e-12)


def test_the_state_is_kept_reset_and_set(device):
    link = LSTM(4, 5)
    xs = [device.send(x) for x in sequence(2)]
    first, second = (to_host(link(x)) for x in xs)
    c, h = link.c, link.h
    link.reset_state()
    assert link.c is None
    np.testing.assert_array_equal(to_host(link(xs[0])), first)
    np.testing.assert_array_equal(to_host(link(xs[1])), second)
    link.reset_state()
    link.set_state(c.array, h)
    assert link.h is h
    np.testing.assert_array_equal(to_host(link(xs[0])), to_host(StatelessLSTM.forward(link, c, h, xs[0])[1]))


def test_sequences_of_different_lengths(device):
    """Together they give what they give one by one."""
    link = LSTM(4, 5)
    xs = sequence(4)
    lengths = [4, 3, 1]
    together = []
    for t in range(4):
        n = sum(length > t for length in lengths)
        together.append(to_host(link(device.send(xs[t, :n]))))
    assert link.h.shape == link.c.shape == (3, 5)
    for i, length in enumerate(lengths):
        alone = LSTM(4, 5)
        alone.copyparams(link)
        for t in range(length):
            np.testing.assert_allclose(to_host(alone(device.send(xs[t, i : i + 1])))[0], together[t][i])
        np.testing.assert_allclose(to_host(alone.c)[0], to_host(link.c)[i])
        np.testing.assert_allclose(to_host(alone.h)[0], to_host(link.h)[i])


def test_biases_and_weights_by_gate(device):
    link = StatelessLSTM(400, 300, upward_init=GlorotNormal(), bias_init=2, forget_bias_init=3)
    assert to_host(link.upward.b).reshape(300, 4).tolist() == [[2, 2, 3, 2]] * 300
    # Each gate is a layer from 400 to 300 of its own.
    assert abs(to_host(link.upward.W).std() / np.sqrt(2 / 700) - 1) < 0.01
    assert to_host(LSTM(2, 1).upward.b).tolist() == [0, 0, 1, 0]


def test_unchaining_truncates_backpropagation(device):
    link = LSTM(4, 5)
    one, two = (Variable(device.send(x)) for x in sequence(2))
    link(one)
    link.h.unchain_backward()
    link.c.unchain_backward()
    link(two).sum().backward()
    assert one.grad is None
    assert two.grad is not None


def test_the_state_follows_to_a_device(device):
    link = LSTM(4, 5).to_device("numpy")
    link(sequence(1)[0])
    c, h = (state.array for state in (link.c, link.h))
    assert link.to_device(device) is link
    for state, before in ((link.c, c), (link.h, h)):
        assert state.device == device
        np.testing.assert_array_equal(to_host(state), before)


def test_no_size_at_all():
    with pytest.raises(TypeError, match="StatelessLSTM needs the number of its units"):
        StatelessLSTM(None)
