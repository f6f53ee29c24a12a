"""A small training program, which tests import, and also start as a process of its own to interrupt or kill it.

usage: program.py OUT EPOCHS [SECONDS_PER_ITERATION]
"""

import sys
import time

import numpy as np

import renga_core.random
from renga_core.backend import get_backend
from renga_core.graph import Parameter
from renga_core.link import Link
from renga_core.reporter import report
from renga_data.iterators import SerialIterator
from renga_optimizers.adam import Adam
from renga_serializers.npz import DictionarySerializer
from renga_training import StandardUpdater, Trainer, extensions, triggers

EXAMPLES, FEATURES, BATCH = 50, 6, 8


class Net(Link):
    """Two layers. Sizes are found at the first call, and noise stands for dropout: both use the random generators."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.w1 = Parameter(self.draw)
            self.w2 = Parameter(self.draw, (5, 1))
        self.add_persistent("calls", 0)

    @staticmethod
    def draw(array):
        array[...] = renga_core.random.generator(get_backend("numpy")).normal(0, 0.5, array.shape)

    def forward(self, x, t):
        if not self.w1.is_initialized:
            self.w1.initialize((x.shape[1], 5))
        h = x @ self.w1
        h = h * h
        if renga_core.configuration.config.train:
            self.calls += 1
            h = h * renga_core.random.generator(get_backend("numpy")).uniform(0.9, 1.1, h.shape).astype(np.float32)
        error = h @ self.w2 - t[:, None]
        loss = (error * error).sum() / float(len(t))
        report({"loss": loss}, self)
        return loss


def make_data(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(EXAMPLES, FEATURES)).astype(np.float32)
    return list(zip(x, (x**2).sum(1).astype(np.float32), strict=True))


def make_trainer(out, stop_trigger=(6, "epoch"), extend=True):
    """A trainer with every kind of thing that has a state."""
    model = Net()
    optimizer = Adam(alpha=0.01).setup(model)
    updater = StandardUpdater(SerialIterator(make_data(0), BATCH), optimizer)
    trainer = Trainer(updater, stop_trigger, out)
    if extend:
        validation = SerialIterator(make_data(1), BATCH, repeat=False, shuffle=True)
        trainer.extend(extensions.Evaluator(validation, model))
        trainer.extend(extensions.observe_lr())
        trainer.extend(extensions.ExponentialShift("alpha", 0.9), trigger=(10, "iteration"))
        trainer.extend(extensions.LogReport())
        trainer.extend(extensions.LogReport(trigger=(4, "iteration"), filename="often"), name="often")
        trainer.extend(
            extensions.snapshot_object(model, "best"), trigger=triggers.MinValueTrigger("validation/main/loss")
        )
    return trainer


def state(trainer):
    """All that the trainer would save, except times."""
    serializer = DictionarySerializer()
    serializer.save(trainer)
    arrays = {key: np.asarray(value).tolist() for key, value in serializer.target.items()}
    for name in ("LogReport", "often"):
        if f"extensions/{name}/log" in arrays:
            arrays[f"extensions/{name}/log"] = without_times(trainer.get_extension(name).log)
    del arrays["elapsed_time"]
    return arrays


def without_times(log):
    return [{key: value for key, value in entry.items() if key != "elapsed_time"} for entry in log]


if __name__ == "__main__":
    import json

    out, epochs, seconds = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    renga_core.random.seed(3)
    trainer = make_trainer(out, (epochs, "epoch"))
    trainer.extend(extensions.snapshot(autoload=True, n_retains=2), trigger=(5, "iteration"))
    trainer.extend(lambda trainer: time.sleep(seconds), name="slow")
    trainer.extend(lambda trainer: print(trainer.updater.iteration, flush=True), name="tell")
    trainer.run()
    with open(f"{out}/state.json", "w", encoding="utf-8") as file:
        json.dump(state(trainer), file)
