import numpy as np
from renga_lion.lion import Lion, LionRule
from renga_lion.mixer import Mixer

import renga
from renga import Parameter


def test_a_step_is_the_papers():
    rng = np.random.default_rng(0)
    w, m = rng.normal(size=5), np.zeros(5)
    optimizer = Lion(alpha=0.01, weight_decay_rate=0.1)
    rule, param = LionRule(optimizer.hyperparam), Parameter(w.copy())
    for _ in range(3):
        g = rng.normal(size=5)
        param.grad = g
        rule.update(param)
        w = w - 0.01 * (np.sign(0.9 * m + 0.1 * g) + 0.1 * w)
        m = 0.99 * m + 0.01 * g
    np.testing.assert_allclose(param.array, w, rtol=1e-12)


def test_the_mixer_gives_scores():
    scores = Mixer(hidden=8)(renga.Variable(np.ones((3, 1, 8, 8), np.float32)))
    assert scores.shape == (3, 10)
