"""What oneDNN refuses becomes an error that names the primitive."""

import pytest

from renga_core.errors import RengaError
from renga_kernels_onednn.handles import Description, Layout
from renga_kernels_onednn.library import FORWARD_TRAINING, SOFTMAX


def test_the_primitive_is_named():
    rows = Layout((2, 3), (3, 1))
    with pytest.raises(RengaError, match=r"softmax_forward: invalid arguments \(status 2\)"):
        Description("softmax_forward", FORWARD_TRAINING, SOFTMAX, rows, rows, 7)


def test_an_array_is_named():
    with pytest.raises(RengaError, match=r"an array of shape \(2, -3\)"):
        Layout((2, -3), (3, 1))
