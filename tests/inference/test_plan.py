"""Where the arrays of a plan lie."""

from __future__ import annotations

import numpy as np
import pytest
from inference_models import called, images

import renga
import renga.functions as F
import renga.links as L


def accumulated(h, convolution):
    return F.relu(h + convolution(F.relu(h)))


def own_input(h, convolution):
    return h + convolution(h)


def read_later(h, convolution):
    return (h + convolution(F.relu(h))) * h


def seen_later(h, convolution):
    turned = h.transpose(0, 1, 3, 2)
    return F.relu(h + convolution(F.relu(h))).transpose(0, 1, 3, 2) * turned


def returned(h, convolution):
    return h, h + convolution(F.relu(h))


@pytest.mark.parametrize("tail", [accumulated, own_input, read_later, seen_later, returned])
def test_an_array_is_replaced_by_its_sum_only_if_nobody_reads_it_afterwards(tail):
    first, second = L.Convolution2D(3, 8, 3, pad=1), L.Convolution2D(8, 8, 3, pad=1)

    def model(x):
        return tail(F.max_pooling_2d(first(x), 1), second)

    frozen = renga.inference(model, images(2))
    for batch in (2, 5):
        x = images(batch, seed=batch)
        for found, expected in zip(np.atleast_1d(frozen(x)), np.atleast_1d(called(model, x)), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    (plan,) = frozen._plans_of(2)
    assert bool(plan._over) == (tail is accumulated and "engine" in frozen.describe())
