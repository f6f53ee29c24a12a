from renga.training import extensions
from renga_training.make_extension import make_extension
from renga_training.mock_updater import get_trainer_with_mock_updater


def test_iterations_and_epochs_are_counted(tmp_path):
    seen = []

    @make_extension(trigger=(1, "epoch"))
    def note(trainer):
        updater = trainer.updater
        seen.append((updater.iteration, updater.epoch, updater.is_new_epoch, updater.previous_epoch_detail))

    trainer = get_trainer_with_mock_updater((2, "epoch"), iter_per_epoch=4, extensions=[note])
    trainer.out = str(tmp_path)
    trainer.run()
    assert trainer.updater.update_core.call_count == 8
    assert seen == [(4, 1, True, 0.75), (8, 2, True, 1.75)]


def test_it_stops_after_ten_iterations_by_default(tmp_path):
    trainer = get_trainer_with_mock_updater()
    trainer.out = str(tmp_path)
    trainer.extend(extensions.FailOnNonNumber())
    trainer.run()
    assert (trainer.updater.iteration, trainer.updater.epoch) == (10, 1)
