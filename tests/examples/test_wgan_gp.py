"""The example of a generative adversarial network, for a few updates."""

import json

import matplotlib.image
import numpy as np
import pytest

import renga


@pytest.fixture(scope="module")
def example(program):
    return program("wgan_gp")


def updater(example, penalty):
    renga.random.seed(0)
    module = example.module
    train, _ = renga.datasets.get_digits()
    optimizers = [renga.optimizers.Adam(0.002).setup(net) for net in (module.Generator(4, 32), module.Critic(32))]
    return module.WganUpdater(renga.iterators.SerialIterator(train, 32), *optimizers, 1, penalty)


def test_each_loss_moves_its_own_network(example):
    made = updater(example, 10.0)
    generator, critic = (made.get_optimizer(name).target for name in ("generator", "critic"))
    x, t = renga.dataset.concat_examples([made.get_iterator("main").dataset[i] for i in range(8)])
    generator.cleargrads()
    made.get_optimizer("critic").update(made.critic_loss, generator, critic, x, t)
    assert all(parameter.grad is None for parameter in generator.params())
    before = [parameter.array.copy() for parameter in critic.params()]
    made.get_optimizer("generator").update(made.generator_loss, generator, critic, t)
    assert all(map(np.array_equal, before, (parameter.array for parameter in critic.params())))


@pytest.mark.parametrize(("penalty", "near"), [(100.0, True), (0.0, False)])
def test_the_penalty_keeps_the_slope_at_1(example, penalty, near):
    made = updater(example, penalty)
    critic = made.get_optimizer("critic").target
    reporter = renga.Reporter()
    reporter.add_observer("critic", critic)
    seen = []
    for _ in range(60):
        with reporter.scope({}):
            made.update()
            seen.append(reporter.observation["critic/steepness"].item())
    assert (abs(np.mean(seen[-10:]) - 1) < 0.2) == near


def test_it_learns_and_draws(example, tmp_path):
    quality, variety = example.run(noise=4, units=64, iterations=150, critic=2, alpha=2e-3, out=str(tmp_path))
    assert quality > 0.7
    assert variety > 0.5
    log = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert log[-1]["critic/distance"] < 0.7 * log[0]["critic/distance"]
    picture = matplotlib.image.imread(tmp_path / "samples.png")[..., 0]
    assert picture.shape == (400, 400)
    assert picture.std() > 0.1


def test_a_run_goes_on_where_it_was(example, tmp_path):
    def trainer(length):
        return renga.training.Trainer(updater(example, 10.0), (length, "iteration"), out=str(tmp_path))

    whole, part, rest = trainer(6), trainer(3), trainer(6)
    for each in (whole, part):
        renga.random.seed(1)
        each.run()
    renga.serializers.save_npz(tmp_path / "part.npz", part)
    renga.random.seed(2)
    renga.serializers.load_npz(tmp_path / "part.npz", rest)
    rest.run()
    for name in ("generator", "critic"):
        expected, found = (
            [parameter.array for parameter in each.updater.get_optimizer(name).target.params()]
            for each in (whole, rest)
        )
        assert all(map(np.array_equal, expected, found))
