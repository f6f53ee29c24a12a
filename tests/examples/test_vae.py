"""The example of a variational autoencoder, for a few epochs."""

import numpy as np
import pytest

import renga
import renga.functions as F
from renga_training.tasks import Autoencoding


@pytest.fixture(scope="module")
def example(example_of):
    return example_of("vae")


def test_the_bound_is_a_bound(example):
    """Of one digit and few latent numbers the likelihood itself can be had, by many draws from the prior."""
    renga.random.seed(0)
    digits, _ = renga.datasets.get_digits(withlabel=False)
    model = Autoencoding(draws=500).target(example.module.VAE(latent=2, units=50))
    optimizer = renga.optimizers.Adam(3e-3).setup(model)
    for start in range(0, 150 * 8, 8):
        optimizer.update(model, digits[start : start + 8])
    x = digits[:1]
    with renga.using_config("train", False), renga.no_backprop_mode():
        bound = -model(x).item()
        z = np.random.default_rng(0).standard_normal((20000, 2)).astype(np.float32)
        logits = model.predictor.decode(z)
        each = F.sum(-F.bernoulli_nll(np.repeat(x, len(z), 0), logits, reduce="no"), axis=1).array
    assert bound < np.log(np.mean(np.exp(each.astype(np.float64)))) < bound + 2


def test_it_learns_and_draws(example, tmp_path):
    image = pytest.importorskip("PIL.Image")
    extensions = [{"use": "samples", "trigger": [2, "epoch"]}]
    small = {"model__latent": 4, "model__units": 64, "task__draws": 2, "optimizer__alpha": 3e-3}
    _, found = example.train(tmp_path, run__epochs=4, evaluator__trigger=(2, "epoch"), extensions=extensions, **small)
    assert -27.5 < found["elbo"] < -23  # the mean digit, whatever is asked for, has -27
    assert found["loss"] == pytest.approx(-found["elbo"])
    assert found["elbo"] == pytest.approx(-found["reconstruction"] - found["divergence"], rel=1e-5)
    picture = np.asarray(image.open(tmp_path / "samples.png")) / 255
    assert picture.std() > 0.1
