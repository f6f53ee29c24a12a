import numpy as np
import pytest
import scipy.special

from renga_core.configuration import using_config
from renga_core.graph import InvalidType, Variable
from renga_nn.functions import softmax_cross_entropy
from renga_testing.function_suite import FunctionSuite

WEIGHT = np.array([0.5, 2, 1, 1.5])


def entries(x, t, weight, ignored):
    """The loss of each entry, one at a time; and how many count."""
    loss = np.zeros(t.shape)
    for place in np.ndindex(*t.shape):
        if t[place] != ignored:
            scores = x[(place[0], slice(None), *place[1:])]
            loss[place] = -weight[t[place]] * np.log(np.exp(scores[t[place]]) / np.exp(scores).sum())
    return loss, (t != ignored).sum()


class TestSoftmaxCrossEntropy(FunctionSuite):
    cases = {
        "default": {"shape": (3, 4), "options": {}},
        "recomputed": {"shape": (3, 4), "options": {"cache_score": False}},
        "images": {"shape": (2, 4, 3, 2), "options": {}},
        "sequences": {"shape": (2, 4, 3), "options": {"normalize": False}},
        "not reduced": {"shape": (2, 4, 3), "options": {"reduce": "no"}},
        "weighted": {"shape": (5, 4), "options": {"class_weight": WEIGHT}},
        "weighted, not reduced": {"shape": (3, 4), "options": {"class_weight": WEIGHT, "reduce": "no"}},
        "another label ignored": {"shape": (5, 4, 2), "options": {"ignore_label": 2}},
        "not normalized": {"shape": (5, 4), "options": {"normalize": False}},
        "recomputed images": {"shape": (2, 4, 3, 2), "options": {"cache_score": False, "reduce": "no"}},
    }
    bad_inputs = {
        "integers": (
            (np.zeros((2, 3), int), np.zeros(2, int)),
            InvalidType,
            ("softmax_cross_entropy", "x", "floating"),
        ),
        "lengths": ((np.zeros((2, 3)), np.zeros(3, int)), InvalidType, ("t", "integers (2,)", "int64 (3,)")),
        "vector": ((np.zeros(3), np.zeros(3, int)), InvalidType, ("x", "(N, classes, ...)", "(3,)")),
        "too large": ((np.zeros((2, 3)), np.array([0, 3])), ValueError, ("labels from 0 to 3", "0 to 2")),
        "negative": ((np.zeros((2, 3)), np.array([0, -2])), ValueError, ("labels from -2 to 0", "0 to 2")),
        "soft shape": (
            (np.zeros((2, 3)), np.zeros((3, 2))),
            InvalidType,
            ("t", "probabilities in the shape of x: float64 (2, 3)", "float64 (3, 2)"),
        ),
        "soft dtype": ((np.zeros((2, 3)), np.zeros((2, 3), "f")), InvalidType, ("t", "float64", "float32")),
    }

    def make_inputs(self, rng, dtype):
        t = rng.integers(0, 4, (self.shape[0], *self.shape[2:]))
        t.flat[1] = self.options.get("ignore_label", -1)
        return rng.uniform(-3, 3, self.shape).astype(dtype), t

    def call(self, x, t):
        return softmax_cross_entropy(x, t, **self.options)

    def reference(self, x, t):
        ignored = self.options.get("ignore_label", -1)
        loss, counted = entries(x, t, self.options.get("class_weight", np.ones(4)), ignored)
        if self.options.get("reduce") == "no":
            return loss
        # Of no entries at all the loss is 0.
        return loss.sum() / max(1, counted if self.options.get("normalize", True) else x.shape[0])

    def empty_inputs(self, dtype):
        shape = (0, *self.shape[1:])
        return np.zeros(shape, dtype), np.zeros((0, *shape[2:]), "i4")


class TestSoftTargets(FunctionSuite):
    subjects = ("softmax_cross_entropy",)
    cases = {
        "default": {"shape": (3, 4), "options": {}},
        "weighted": {"shape": (3, 4), "options": {"class_weight": WEIGHT}},
        "sequences": {"shape": (2, 4, 3), "options": {"class_weight": WEIGHT, "normalize": False}},
        "divergence": {"shape": (2, 4, 3), "options": {"soft_target_loss": "kl-divergence"}},
        "not reduced": {"shape": (2, 4), "options": {"soft_target_loss": "kl-divergence", "reduce": "no"}},
    }

    def make_inputs(self, rng, dtype):
        t = scipy.special.softmax(rng.standard_normal(self.shape), axis=1)
        return rng.uniform(-2, 2, self.shape).astype(dtype), t.astype(dtype)

    def call(self, x, t):
        return softmax_cross_entropy(x, t, **self.options)

    def reference(self, x, t):
        weight = self.options.get("class_weight", np.ones(4)).reshape(4, *[1] * (x.ndim - 2))
        log_y = scipy.special.log_softmax(x, axis=1) * weight
        loss = -(t * log_y).sum(axis=1)
        if "soft_target_loss" in self.options:
            loss = loss + (t * np.log(t)).sum(axis=1)
        if self.options.get("reduce") == "no":
            return loss
        return loss.sum() / (loss.size if self.options.get("normalize", True) else x.shape[0])


def test_divergence_from_certainty_is_finite():
    x = np.array([[1.0, 2.0]])
    certain = np.array([[0.0, 1.0]])
    hard = softmax_cross_entropy(x, np.array([1])).item()
    assert softmax_cross_entropy(x, certain, soft_target_loss="kl-divergence").item() == pytest.approx(hard)


def test_all_ignored():
    x = Variable(np.ones((2, 3), "f4"))
    loss = softmax_cross_entropy(x, np.array([-1, -1]))
    loss.backward()
    assert loss.item() == 0
    assert not x.grad.any()


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_scores_far_apart(dtype):
    x = Variable(np.array([[30000, 0, -30000], [-30000, 30000, 0]], dtype))
    loss = softmax_cross_entropy(x, np.array([0, 0]), reduce="no")
    assert loss.dtype == dtype
    assert loss.array.tolist() == [0, 60000]
    loss.grad = np.ones(2, dtype)
    loss.backward()
    assert x.grad.tolist() == [[0, 0, 0], [-1, 1, 0]]


def test_infinite_scores_of_an_ignored_entry():
    x = Variable(np.array([[0.0, 0.0], [-np.inf, 0.0]]))
    loss = softmax_cross_entropy(x, np.array([0, -1]))
    loss.backward()
    assert loss.item() == pytest.approx(np.log(2))
    assert x.grad.tolist() == [[-0.5, 0.5], [0, 0]]


def test_half_precision_sums_in_single():
    """The sum of 100000 losses, about 69000, is more than half precision holds; their mean is not."""
    loss = softmax_cross_entropy(np.zeros((100_000, 2), "f2"), np.zeros(100_000, "i4"))
    assert loss.dtype == "f2"
    assert loss.item() == pytest.approx(np.log(2), rel=1e-3)


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8", "u1"])
def test_labels_of_any_integer_dtype(dtype):
    x = np.random.default_rng(0).standard_normal((4, 3))
    t = np.array([0, 1, 2, 1], dtype)
    assert softmax_cross_entropy(x, t).item() == pytest.approx(entries(x, t, np.ones(3), -1)[0].mean())


def test_words():
    x, t = np.zeros((1, 2)), np.zeros(1, int)
    with pytest.raises(ValueError, match="reduce is 'sum'; choose from 'mean', 'no'"):
        softmax_cross_entropy(x, t, reduce="sum")
    with pytest.raises(ValueError, match="soft_target_loss is 'mse'"):
        softmax_cross_entropy(x, t, soft_target_loss="mse")


def test_bad_weight():
    with pytest.raises(InvalidType, match="class_weight"):
        softmax_cross_entropy(np.zeros((1, 2)), np.zeros(1, int), class_weight=np.ones(3))


def test_labels_are_checked_unless_switched_off():
    with using_config("type_check", False):
        softmax_cross_entropy(np.zeros((1, 3)), np.array([-2]))


@pytest.mark.torch
@pytest.mark.parametrize("weighted", [False, True])
def test_agrees_with_torch(weighted):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    x, t = rng.standard_normal((6, 4, 3)).astype("f4"), rng.integers(-1, 4, (6, 3))
    weight = WEIGHT.astype("f4") if weighted else None
    ours = Variable(x)
    loss = softmax_cross_entropy(ours, t, reduce="no", class_weight=weight)
    loss.grad = np.ones_like(loss.array)
    loss.backward()
    theirs = torch.tensor(x, requires_grad=True)
    expected = torch.nn.functional.cross_entropy(
        theirs, torch.tensor(t), None if weight is None else torch.tensor(weight), ignore_index=-1, reduction="none"
    )
    expected.sum().backward()
    np.testing.assert_allclose(loss.array, expected.detach().numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ours.grad, theirs.grad.numpy(), rtol=1e-5, atol=1e-6)
