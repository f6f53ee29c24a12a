import pytest

from renga_core.training import PRIORITY_WRITER
from renga_training.extensions import EarlyStopping
from renga_training.mock_updater import get_trainer_with_mock_updater


def run(tmp_path, values, **options):
    """Epochs of two iterations, a value for each epoch; return after how many epochs it ends, and why."""
    trainer = get_trainer_with_mock_updater((len(values), "epoch"), iter_per_epoch=2)
    trainer.out = str(tmp_path)

    def report(trainer):
        trainer.observation["value"] = values[(trainer.updater.iteration - 1) // 2]

    trainer.extend(report, priority=PRIORITY_WRITER)
    trainer.extend(EarlyStopping("value", **options))
    trainer.run()
    return trainer.updater.epoch, trainer.stop_reason


def test_patience(tmp_path):
    assert run(tmp_path, [3, 2, 2, 4, 1, 1], patience=3) == (6, None)
    assert run(tmp_path, [3, 2, 2, 4, 5, 1], patience=3) == (5, "value has not improved on 2 for 3 checks")
    assert run(tmp_path, [3, 2, 2, 4], patience=1) == (3, "value has not improved on 2 for 1 check")


def test_mode(tmp_path):
    assert run(tmp_path, [1, 2, 3, 2, 2, 2], patience=2, mode="max")[0] == 5


def test_interval(tmp_path):
    assert run(tmp_path, [3, 3, 3, 3, 3], patience=1, trigger=(2, "epoch"))[0] == 4


@pytest.mark.parametrize("options", [{"patience": 0}, {"mode": "best"}])
def test_refused(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        EarlyStopping(**options)
