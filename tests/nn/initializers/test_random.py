import math

import numpy as np
import pytest

from renga_core import random
from renga_nn.initializers import (
    GlorotNormal,
    GlorotUniform,
    HeNormal,
    HeUniform,
    LeCunNormal,
    LeCunUniform,
    Normal,
    Orthogonal,
    Uniform,
)

SHAPE = (80, 30, 3, 2)
FAN_IN, FAN_OUT = 30 * 6, 80 * 6

DEVIATIONS = [
    (Normal(), 0.05),
    (Normal(2.0), 2.0),
    (LeCunNormal(), math.sqrt(1 / FAN_IN)),
    (GlorotNormal(), math.sqrt(2 / (FAN_IN + FAN_OUT))),
    (HeNormal(), math.sqrt(2 / FAN_IN)),
    (HeNormal(3, fan_option="fan_out"), 3 * math.sqrt(2 / FAN_OUT)),
    (Uniform(), 0.05 / math.sqrt(3)),
    (LeCunUniform(), math.sqrt(1 / FAN_IN)),
    (GlorotUniform(2), 2 * math.sqrt(2 / (FAN_IN + FAN_OUT))),
    (HeUniform(), math.sqrt(2 / FAN_IN)),
]


def filled(initializer, shape, dtype=np.float32):
    array = np.full(shape, np.nan, dtype)
    initializer(array)
    return array


@pytest.mark.parametrize(("initializer", "deviation"), DEVIATIONS, ids=repr)
def test_mean_and_standard_deviation(initializer, deviation):
    random.seed(0)
    array = filled(initializer, SHAPE)
    assert abs(array.mean()) < 5 * deviation / math.sqrt(array.size)
    assert abs(array.std() / deviation - 1) < 0.02
    if type(initializer).__name__.endswith("Uniform"):
        assert 0.99 < np.abs(array).max() / (deviation * math.sqrt(3)) <= 1 + 1e-6


@pytest.mark.parametrize("initializer", [i for i, _ in DEVIATIONS] + [Orthogonal()], ids=repr)
def test_the_seed_decides(initializer):
    random.seed(1)
    first, second = filled(initializer, (4, 5)), filled(initializer, (4, 5))
    random.seed(1)
    again = filled(initializer, (4, 5))
    assert (first == again).all()
    assert (first != second).all()


def test_a_generator_of_ones_own_leaves_the_common_one_alone():
    random.seed(1)
    before = random.get_state()
    array = filled(Normal(rng=np.random.default_rng(3)), (4, 5))
    assert (array == filled(Normal(rng=np.random.default_rng(3)), (4, 5))).all()
    assert random.get_state() == before


@pytest.mark.parametrize("initializer", [LeCunNormal(), GlorotUniform()], ids=repr)
def test_fans_need_two_axes(initializer):
    with pytest.raises(ValueError, match=r"two axes and more, not for the shape \(5,\)"):
        filled(initializer, 5)


def test_fans_need_an_input():
    with pytest.raises(ValueError, match=r"at least one input, not for the shape \(5, 0\)"):
        filled(LeCunNormal(), (5, 0))


def test_unknown_fan_option():
    with pytest.raises(ValueError, match="'fan_in' or 'fan_out', not 'fan'"):
        HeNormal(fan_option="fan")


@pytest.mark.parametrize("shape", [(6, 6), (3, 5), (5, 3), (4, 2, 3), (2, 3, 3), (7, 1, 2)])
def test_orthogonal_rows_or_columns(shape):
    matrix = filled(Orthogonal(2.0), shape, np.float64).reshape(shape[0], -1)
    gram = matrix @ matrix.T if matrix.shape[0] <= matrix.shape[1] else matrix.T @ matrix
    np.testing.assert_allclose(gram, 4 * np.eye(len(gram)), atol=1e-12)


@pytest.mark.parametrize(
    ("mode", "fitting", "other"),
    [("projection", (2, 3), (3, 2)), ("embedding", (3, 2), (2, 3)), ("basis", (3, 3), (3, 2))],
)
def test_orthogonal_modes(mode, fitting, other):
    filled(Orthogonal(mode=mode), fitting)
    filled(Orthogonal(), other)
    with pytest.raises(ValueError, match=f"mode='{mode}'.* {other[0]} rows and {other[1]} columns"):
        filled(Orthogonal(mode=mode), other)


def test_unknown_orthogonal_mode():
    with pytest.raises(ValueError, match="not 'square'"):
        Orthogonal(mode="square")


def test_orthogonal_of_an_array_without_axes_is_the_scale_or_its_negative():
    random.seed(0)
    assert {float(filled(Orthogonal(scale=2.0), ())) for _ in range(50)} == {-2.0, 2.0}
