import numpy as np
import pytest

from renga_core.graph import Variable
from renga_nn.initializers import GlorotNormal
from renga_nn.links import LSTM, StatelessLSTM


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


def test_the_state_is_kept_reset_and_set():
    link = LSTM(4, 5)
    xs = sequence(2)
    first = link(xs[0]).array
    second = link(xs[1]).array
    c, h = link.c, link.h
    link.reset_state()
    assert link.c is None
    np.testing.assert_array_equal(link(xs[0]).array, first)
    np.testing.assert_array_equal(link(xs[1]).array, second)
    link.reset_state()
    link.set_state(c.array, h)
    assert link.h is h
    np.testing.assert_array_equal(link(xs[0]).array, StatelessLSTM.forward(link, c, h, xs[0])[1].array)


def test_sequences_of_different_lengths():
    """Together they give what they give one by one."""
    link = LSTM(4, 5)
    xs = sequence(4)
    lengths = [4, 3, 1]
    together = []
    for t in range(4):
        n = sum(length > t for length in lengths)
        together.append(link(xs[t, :n]).array)
    assert link.h.shape == link.c.shape == (3, 5)
    for i, length in enumerate(lengths):
        c, h = link.c.array[i], link.h.array[i]
        alone = LSTM(4, 5)
        alone.copyparams(link)
        for t in range(length):
            np.testing.assert_allclose(alone(xs[t, i : i + 1]).array[0], together[t][i])
        np.testing.assert_allclose(alone.c.array[0], c)
        np.testing.assert_allclose(alone.h.array[0], h)


def test_more_sequences_than_before():
    link = LSTM(4, 5)
    link(sequence(1, 2)[0])
    with pytest.raises(TypeError, match=r"3 sequences after 2.*reset_state"):
        link(sequence(1, 3)[0])


def test_biases_and_weights_by_gate():
    link = StatelessLSTM(400, 300, upward_init=GlorotNormal(), bias_init=2, forget_bias_init=3)
    assert link.upward.b.array.reshape(300, 4).tolist() == [[2, 2, 3, 2]] * 300
    # Each gate is a layer from 400 to 300 of its own.
    assert abs(link.upward.W.array.std() / np.sqrt(2 / 700) - 1) < 0.01
    assert LSTM(2, 1).upward.b.array.tolist() == [0, 0, 1, 0]


def test_unchaining_truncates_backpropagation():
    link = LSTM(4, 5)
    first = Variable(sequence(1)[0])
    link(first)
    link.h.unchain_backward()
    link.c.unchain_backward()
    link(sequence(2)[1]).sum().backward()
    assert first.grad is None


def test_the_state_follows_to_a_device():
    link = LSTM(4, 5)
    link(sequence(1)[0])
    state = link.c
    assert link.to_device("numpy") is link
    np.testing.assert_array_equal(link.c.array, state.array)


def test_no_size_at_all():
    with pytest.raises(TypeError, match="StatelessLSTM needs the number of its units"):
        StatelessLSTM(None)
