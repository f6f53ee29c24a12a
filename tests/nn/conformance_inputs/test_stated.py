"""What functions and links are tried with: each name is told where it is listed."""

import numpy as np
import pytest

import renga_nn.functions
from renga_nn.conformance_inputs import drawing, functions, links
from renga_nn.providers.functions import FUNCTIONS, STATED
from renga_nn.providers.links import CLASSES, LINKS, UNSTATED
from renga_testing.every_backend import is_floating


def names_in(module):
    return {name for name, value in vars(module).items() if not name.startswith("_") and callable(value)} - {
        *vars(drawing)
    }


def test_what_is_stated_is_what_is_listed():
    assert names_in(functions) - {"CooMatrix"} == set(STATED.split()) == {f.name for f in FUNCTIONS if f.inputs}
    assert names_in(links) - {"Linear"} == CLASSES.keys() - UNSTATED.split() == {f.name for f in LINKS if f.inputs}


@pytest.mark.parametrize("name", STATED.split())
def test_each_function_takes_them(name):
    rng = np.random.default_rng(0)
    given = getattr(functions, name)(rng, np.dtype(np.float32))
    by_place, by_name = ((), given) if isinstance(given, dict) else (given, {})
    function = getattr(renga_nn.functions, name)
    ys = function(*by_place, **by_name)
    for y in ys if isinstance(ys, tuple) else (ys,):
        for part in y if isinstance(y, list) else (y,):
            array = getattr(part, "array", part)
            assert not is_floating(array) or np.isfinite(array).all()
