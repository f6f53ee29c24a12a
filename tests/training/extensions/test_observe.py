from renga_core.reporter import Reporter
from renga_core.training import PRIORITY_WRITER
from renga_training.extensions import observe_lr, observe_value


def test_observe_value(trainer):
    extension = observe_value("double", lambda trainer: trainer.updater.iteration * 2)
    assert (extension.trigger, extension.priority) == ((1, "epoch"), PRIORITY_WRITER)
    assert extension.default_name == "observe_double"
    trainer.go_to(4)
    with Reporter() as reporter:
        extension(trainer)
    assert reporter.observation == {"double": 8}


def test_observe_lr(trainer):
    with Reporter() as reporter:
        observe_lr()(trainer)
        observe_lr(observation_key="rate")(trainer)
    assert reporter.observation == {"lr": 1.0, "rate": 1.0}
