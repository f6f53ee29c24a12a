"""The example of a variational autoencoder, for a few epochs."""

import json

import matplotlib.image
import numpy as np
import pytest

import renga
import renga.functions as F


@pytest.fixture(scope="module")
def example(program):
    return program("vae")


def test_the_bound_is_a_bound(example):
    """Of one digit and few latent numbers the likelihood itself can be had, by many draws from the prior."""
    renga.random.seed(0)
    digits, _ = renga.datasets.get_digits(withlabel=False)
    model = example.module.VAE(latent=2, units=50, draws=500)
    optimizer = renga.optimizers.Adam(3e-3).setup(model)
    for start in range(0, 150 * 8, 8):
        optimizer.update(model, digits[start : start + 8])
    x = digits[:1]
    with renga.using_config("train", False), renga.no_backprop_mode():
        bound = -model(x).item()
        z = np.random.default_rng(0).standard_normal((20000, 2)).astype(np.float32)
        each = F.sum(-F.bernoulli_nll(np.repeat(x, len(z), 0), model.decoder(z), reduce="no"), axis=1).array
    assert bound < np.log(np.mean(np.exp(each.astype(np.float64)))) < bound + 2


def test_page(example):
    page = example.module.page(np.ones((4, 64)), 2)
    assert page.shape == (20, 20)
    assert page.sum() == 4 * 64


def test_it_learns_and_draws(example, tmp_path):
    bound = example.run(latent=4, units=64, epochs=4, draws=2, alpha=3e-3, out=str(tmp_path))
    assert -27.5 < bound < -23  # the mean digit, whatever is asked for, has -27
    log = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert log[-1]["main/elbo"] > log[0]["main/elbo"] + 2
    picture = matplotlib.image.imread(tmp_path / "samples.png")[..., 0]
    assert picture.std() > 0.1
