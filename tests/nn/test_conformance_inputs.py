"""What functions are tried with: each name is told where it is listed."""

import numpy as np
import pytest

import renga_nn.functions
from renga_nn import conformance_inputs
from renga_nn.providers.functions import FUNCTIONS, STATED
from renga_testing.every_backend import is_floating


def test_what_is_stated_is_what_is_listed():
    public = {name for name in vars(conformance_inputs) if not name.startswith("_")}
    assert public - {"Any", "CooMatrix", "annotations", "Callable", "np"} == set(STATED.split())
    assert {f.name for f in FUNCTIONS if f.inputs} == set(STATED.split())


@pytest.mark.parametrize("name", STATED.split())
def test_each_function_takes_them(name):
    rng = np.random.default_rng(0)
    given = getattr(conformance_inputs, name)(rng, np.dtype(np.float32))
    by_place, by_name = ((), given) if isinstance(given, dict) else (given, {})
    function = getattr(renga_nn.functions, name)
    ys = function(*by_place, **by_name)
    for y in ys if isinstance(ys, tuple) else (ys,):
        for part in y if isinstance(y, list) else (y,):
            array = getattr(part, "array", part)
            assert not is_floating(array) or np.isfinite(array).all()
