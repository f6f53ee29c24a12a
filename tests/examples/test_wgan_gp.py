"""The example of a generative adversarial network, for a few updates."""

import numpy as np
import pytest

import renga

SMALL = {
    "model__noise": 4,
    "model__units": 32,
    "data__batch_size": 32,
    "updater__n_critic": 1,
    "optimizer__alpha": 2e-3,
    "extensions": [],
}


@pytest.fixture(scope="module")
def example(example_of):
    return example_of("wgan_gp")


def test_each_loss_moves_its_own_network(example, tmp_path):
    training = example.build(tmp_path, **SMALL)
    pair = training.model
    generator, critic = pair.predictor.generator, pair.predictor.critic
    x, t = renga.dataset.concat_examples([training.train[i] for i in range(8)])
    generator.cleargrads()
    training.optimizers["critic"].update(pair.critic_loss, x, t)
    assert all(parameter.grad is None for parameter in generator.params())
    before = [parameter.array.copy() for parameter in critic.params()]
    training.optimizers["generator"].update(pair.generator_loss, len(x), t)
    assert all(map(np.array_equal, before, (parameter.array for parameter in critic.params())))


@pytest.mark.parametrize(("penalty", "near"), [(100.0, True), (0.0, False)])
def test_the_penalty_keeps_the_slope_at_1(example, tmp_path, penalty, near):
    training = example.build(tmp_path, task__penalty=penalty, **SMALL)
    seen = []
    for _ in range(60):
        with training.trainer.reporter.scope({}):
            training.trainer.updater.update()
            seen.append(training.trainer.reporter.observation["main/steepness"].item())
    assert (abs(np.mean(seen[-10:]) - 1) < 0.2) == near


def test_it_learns_and_draws(example, tmp_path):
    image = pytest.importorskip("PIL.Image")
    extensions = [{"use": "samples", "trigger": [13, "epoch"]}]
    more = {"model__units": 64, "data__batch_size": 64, "updater__n_critic": 2, "extensions": extensions}
    _, found = example.train(tmp_path, run__epochs=13, evaluator__trigger=(13, "epoch"), **{**SMALL, **more})
    assert found["quality"] > 0.7
    assert found["variety"] > 0.5
    picture = np.asarray(image.open(tmp_path / "samples.png")) / 255
    assert picture.shape == (400, 400)
    assert picture.std() > 0.1


def test_a_run_goes_on_where_it_was(example, tmp_path):
    def trainer(out, epochs):
        evaluator = {"evaluator__trigger": (100, "epoch"), "run__snapshot": (1, "epoch")}
        return example.build(tmp_path / out, run__epochs=epochs, **SMALL, **evaluator).trainer

    whole = trainer("whole", 2)
    whole.run()
    part = trainer("part", 1)
    part.run()
    rest = trainer("rest", 2)
    renga.serializers.load_npz(next((tmp_path / "part").glob("snapshot_*.npz")), rest)
    rest.run()
    for name in ("generator", "critic"):
        expected, found = (
            [parameter.array for parameter in each.updater.get_optimizer(name).target.params()]
            for each in (whole, rest)
        )
        assert all(map(np.array_equal, expected, found))
