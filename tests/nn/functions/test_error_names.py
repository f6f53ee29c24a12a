"""Errors name the function that was called, not the class behind it."""

import numpy as np
import pytest

import renga.functions as F

ELEMENTWISE = [
    "arccos",
    "arcsin",
    "arctan",
    "arctanh",
    "clipped_relu",
    "cos",
    "cosh",
    "crelu",
    "digamma",
    "elu",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp",
    "expm1",
    "gelu",
    "hard_sigmoid",
    "leaky_relu",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_ndtr",
    "ndtr",
    "ndtri",
    "relu",
    "rsqrt",
    "sigmoid",
    "silu",
    "sin",
    "sinh",
    "softplus",
    "sqrt",
    "square",
    "tan",
    "tanh",
]


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_integers(name):
    with pytest.raises(TypeError, match=rf"^{name}: x: expected a floating dtype, got int64 \(3,\)"):
        getattr(F, name)(np.arange(3))


@pytest.mark.parametrize("name", [*ELEMENTWISE, "absolute"])
@pytest.mark.parametrize("wrong", [[1.0], None, 2.0])
def test_what_is_no_array(name, wrong):
    with pytest.raises(TypeError, match=rf"^{name}: "):
        getattr(F, name)(wrong)
