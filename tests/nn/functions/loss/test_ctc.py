import itertools

import numpy as np
import pytest
import scipy.special

from renga_core.graph import InvalidType, Variable
from renga_nn.functions.loss import connectionist_temporal_classification
from renga_testing.function_suite import FunctionSuite


def read(said, blank):
    """What is said at all times, repetitions joined and blanks left out."""
    return [label for label, _ in itertools.groupby(said) if label != blank]


def by_all_ways(x, t, blank, times, counts):
    """The loss of each sequence, from the probability of everything that can be said."""
    losses = []
    for b in range(x.shape[1]):
        p = scipy.special.softmax(x[: times[b], b], axis=1)
        total = 0.0
        for said in itertools.product(range(x.shape[2]), repeat=int(times[b])):
            if read(said, blank) == t[b, : counts[b]].tolist():
                total += np.prod([p[i, label] for i, label in enumerate(said)])
        losses.append(-np.log(total) if total else np.inf)
    return np.array(losses)


class TestConnectionistTemporalClassification(FunctionSuite):
    cases = {
        "mean": {"options": {}},
        "of each": {"options": {"reduce": "no"}},
        "lengths": {
            "options": {
                "reduce": "no",
                "input_length": np.array([4, 3, 4], "i4"),
                "label_length": np.array([2, 1, 0], "i4"),
            }
        },
        "another blank": {"blank": 2, "t": np.array([[0, 0], [1, 0], [0, 1]]), "options": {}},
    }
    blank, t = 0, np.array([[1, 2], [2, 2], [1, 1]])
    bad_inputs = {
        "integers": (
            (np.zeros((2, 3, 3), int),),
            InvalidType,
            ["connectionist_temporal_classification: x[0]", "float"],
        ),
        "rows": ((np.zeros((2, 2, 3)),), InvalidType, ["t", "integers (2, M)", "(3, 2)"]),
        "classes": ((np.zeros((2, 3, 2)),), ValueError, ["labels from", "to 2", "0 to 1"]),
    }

    def make_inputs(self, rng, dtype):
        return (rng.uniform(-1, 1, (4, 3, 3)).astype(dtype),)

    def call(self, x):
        # One input, taken apart: as the list that it is called with it has as many.
        steps = [x[i] for i in range(x.shape[0])]
        t, options = self.of_all(x)
        send = {k: x.device.send(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
        return connectionist_temporal_classification(steps, x.device.send(t), self.blank, **send)

    def of_all(self, x):
        """Labels and options; those of no sequences where there are none."""
        if x.shape[1]:
            return self.t, self.options
        return self.t[:0], {k: v[:0] if isinstance(v, np.ndarray) else v for k, v in self.options.items()}

    def reference(self, x):
        t, options = self.of_all(x)
        times = options.get("input_length", np.full(3, len(x)))
        counts = options.get("label_length", np.full(3, 2))
        loss = by_all_ways(x, t, self.blank, times, counts)
        return loss if options.get("reduce") == "no" else loss.sum() / max(1, len(loss))

    def empty_inputs(self, dtype):
        return (np.zeros((4, 0, 3), dtype),)


def test_no_sequences():
    x = Variable(np.zeros((0, 3)))
    loss = connectionist_temporal_classification([x, x], np.zeros((0, 1), int), 0)
    loss.backward()
    assert loss.item() == 0
    assert x.grad.shape == (0, 3)


def test_no_labels_at_all():
    x = np.random.default_rng(0).normal(size=(3, 2, 4))
    loss = connectionist_temporal_classification(list(x), np.zeros((2, 0), int), 1, reduce="no")
    np.testing.assert_allclose(loss.array, -scipy.special.log_softmax(x, axis=2)[:, :, 1].sum(axis=0))


def test_what_does_not_fit_in_time_is_impossible():
    """Two equal labels need three times: a blank between them."""
    x = Variable(np.zeros((2, 2, 3)))
    loss = connectionist_temporal_classification([x[0], x[1]], np.array([[1, 1], [1, 2]]), 0, reduce="no")
    assert np.isinf(loss.array).tolist() == [True, False]
    loss.grad = np.ones(2)
    loss.backward()
    assert not x.grad[:, 0].any()
    assert x.grad[:, 1].any()
    assert np.isfinite(x.grad).all()


def test_behind_the_labels_may_be_anything():
    x = list(np.random.default_rng(0).normal(size=(3, 1, 4)))
    lengths = np.array([1])
    right = connectionist_temporal_classification(x, np.array([[2, 0]]), 0, label_length=lengths).item()
    other = connectionist_temporal_classification(x, np.array([[2, -7]]), 0, label_length=lengths).item()
    assert right == other


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_long_sequences_do_not_underflow(dtype):
    """Probabilities of about 1e-600 and less."""
    rng = np.random.default_rng(0)
    x = [Variable(step) for step in rng.normal(size=(1000, 1, 4)).astype(dtype)]
    loss = connectionist_temporal_classification(x, rng.integers(1, 4, (1, 300)), 0)
    loss.backward()
    assert loss.dtype == dtype
    assert 300 < loss.item() < 3000
    # All classes together: probabilities add up to 1 on both sides of the difference.
    assert max(abs(step.grad.astype("f8").sum()) for step in x) < 1e-2


def test_words_and_lengths():
    x, t = [np.zeros((2, 3))], np.ones((2, 1), int)
    with pytest.raises(ValueError, match="reduce is 'sum'; choose from 'mean', 'no'"):
        connectionist_temporal_classification(x, t, 0, reduce="sum")
    with pytest.raises(ValueError, match="blank_symbol is 3, but classes are 0 to 2"):
        connectionist_temporal_classification(x, t, 3)
    with pytest.raises(InvalidType, match=r"x: expected a list of arrays \(B, V\), .* got ndarray"):
        connectionist_temporal_classification(x[0], t, 0)
    with pytest.raises(InvalidType, match=r"x\[1\]: expected .*\(2, 3\), got float64 \(2, 2\)"):
        connectionist_temporal_classification([*x, np.zeros((2, 2))], t, 0)
    with pytest.raises(InvalidType, match=r"input_length: expected integers \(2,\), got float64"):
        connectionist_temporal_classification(x, t, 0, input_length=np.ones(2))
    with pytest.raises(ValueError, match=r"label_length has 1 to 2, not within 0\.\.1"):
        connectionist_temporal_classification(x, t, 0, label_length=np.array([1, 2]))


@pytest.mark.torch
def test_agrees_with_pytorch():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    x = Variable(rng.normal(size=(20, 5, 6)))
    t = rng.integers(1, 6, (5, 7))
    times, counts = np.array([20, 18, 15, 20, 16]), np.array([7, 5, 3, 1, 0])
    loss = connectionist_temporal_classification([x[i] for i in range(20)], t, 0, times, counts, reduce="no")
    tensor = torch.tensor(x.array, requires_grad=True)
    expected = torch.nn.functional.ctc_loss(
        tensor.log_softmax(2), torch.tensor(t), torch.tensor(times), torch.tensor(counts), reduction="none"
    )
    np.testing.assert_allclose(loss.array, expected.detach().numpy(), rtol=1e-12)
    weights = rng.normal(size=5)
    (expected * torch.tensor(weights)).sum().backward()
    (loss * weights).sum().backward()
    np.testing.assert_allclose(x.grad, tensor.grad.numpy(), atol=1e-12)
