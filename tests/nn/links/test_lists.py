"""A list where a link is to be given an array is refused by name, by the link or by a function that it calls."""

import numpy as np
import pytest

import renga_nn.links as L
from renga_core.graph import InvalidType
from renga_core.link import Chain, LinkHook

LIST = [[1.0, 2.0]]
LINKS = {
    "Linear: x": lambda: L.Linear(3)(LIST),
    "linear: x": lambda: L.Linear(2, 3)(LIST),
    "Convolution2D: x": lambda: L.Convolution2D(None, 3, 3)(LIST),
    "Deconvolution2D: x": lambda: L.Deconvolution2D(None, 3, 3)(LIST),
    "DepthwiseConvolution2D: x": lambda: L.DepthwiseConvolution2D(None, 2, 2)(LIST),
    "LayerNormalization: x": lambda: L.LayerNormalization()(LIST),
    "BatchNormalization: x": lambda: L.BatchNormalization()(LIST),
    "batch_normalization: x": lambda: L.BatchNormalization(2)(LIST),
    "GroupNormalization: x": lambda: L.GroupNormalization(1)(LIST),
    "embed_id: x": lambda: L.EmbedID(3, 2)([1]),
    "NStepLSTM: xs[0]": lambda: L.NStepLSTM(1, 2, 3, 0.0)(None, None, LIST),
    "crf1d: xs[0]": lambda: L.CRF1d(2)(LIST, [[1]]),
    "bilinear: e1": lambda: L.Bilinear(2, 2, 2)(LIST, LIST),
    "softmax_cross_entropy: t": lambda: L.Classifier(L.Linear(2, 3))(np.ones((1, 2), np.float32), [1]),
}


@pytest.mark.parametrize("argument", LINKS)
def test_a_list_is_refused(argument):
    with pytest.raises(InvalidType) as caught:
        LINKS[argument]()
    assert str(caught.value).startswith(f"{argument}: expected "), caught.value
    assert "list" in str(caught.value)


class Own(Chain):
    def forward(self, x, *others, scale=None):
        self.total = sum(other.size for other in others)
        self.shape = scale.shape if scale else None
        return self.missing if x is None else x.ndim


@pytest.mark.parametrize("hooks", [[], [LinkHook]])
def test_arguments_of_a_link_of_the_users(hooks):
    link = Own()
    for hook in hooks:
        link.add_hook(hook(), "watching")
    x = np.ones(2)
    assert link(x) == 1
    for argument, args, kwargs in (
        ("x", (LIST,), {}),
        ("others[1]", (x, x, LIST), {}),
        ("scale", (x,), {"scale": LIST}),
    ):
        with pytest.raises(InvalidType) as caught:
            link(*args, **kwargs)
        assert str(caught.value).startswith(f"Own: {argument}: expected a Variable or an array, got list")
        assert isinstance(caught.value.__cause__, AttributeError)


def test_other_attributes_are_the_users_own_affair():
    with pytest.raises(AttributeError, match="missing"):
        Own()(None)
