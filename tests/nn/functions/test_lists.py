"""A list where an array is meant is refused by name, not with an AttributeError."""

import numpy as np
import pytest

import renga_nn.functions as F
from renga_core.graph import InvalidType

ARRAY, LIST = np.ones((2, 2)), [[1.0, 2.0], [3.0, 4.0]]
CALLS = {
    "as_strided: x": lambda: F.as_strided(LIST, (2,), (1,)),
    "diagonal: x": lambda: F.diagonal(LIST),
    "flip: x": lambda: F.flip(LIST, 0),
    "fliplr: a": lambda: F.fliplr(LIST),
    "flipud: a": lambda: F.flipud(LIST),
    "pad_sequence: xs": lambda: F.pad_sequence(LIST),
    "transpose_sequence: xs": lambda: F.transpose_sequence(LIST),
    "permutate: x": lambda: F.permutate(LIST, np.arange(2)),
    "repeat: x": lambda: F.repeat(LIST, 2),
    "tile: x": lambda: F.tile(LIST, 2),
    "scatter_add: a": lambda: F.scatter_add(LIST, 0, ARRAY),
    "scatter_add: b": lambda: F.scatter_add(ARRAY, 0, LIST),
    "crelu: x": lambda: F.crelu(LIST),
    "swish: x": lambda: F.swish(LIST, 1.0),
    "rrelu: r": lambda: F.rrelu(ARRAY, r=LIST),
    "bilinear: W": lambda: F.bilinear(ARRAY, ARRAY, LIST),
    "bernoulli_nll: y": lambda: F.bernoulli_nll(ARRAY, LIST),
    "triplet: negative": lambda: F.triplet(ARRAY, ARRAY, LIST),
    "gumbel_softmax: noise": lambda: F.gumbel_softmax(ARRAY, noise=LIST),
    "simplified_dropconnect: W": lambda: F.simplified_dropconnect(ARRAY, LIST),
    "simplified_dropconnect: b": lambda: F.simplified_dropconnect(ARRAY, ARRAY, [1.0, 2.0]),
    "simplified_dropconnect: mask": lambda: F.simplified_dropconnect(ARRAY, ARRAY, mask=LIST),
    "zoneout: x": lambda: F.zoneout(ARRAY, LIST),
    "zoneout: mask": lambda: F.zoneout(ARRAY, ARRAY, mask=LIST),
}


@pytest.mark.parametrize("argument", CALLS)
def test_a_list_is_refused(argument):
    with pytest.raises(InvalidType, match=f"{argument}: expected .*, got list"):
        CALLS[argument]()
