from renga_core.plugin import EXTENSION, TRIGGER, registry
from renga_training import extensions, triggers

EXTENSIONS = {
    "log_report": extensions.LogReport,
    "print_report": extensions.PrintReport,
    "progress_bar": extensions.ProgressBar,
    "plot_report": extensions.PlotReport,
    "snapshot": extensions.snapshot,
    "fail_on_non_number": extensions.FailOnNonNumber,
    "exponential_shift": extensions.ExponentialShift,
    "linear_shift": extensions.LinearShift,
    "step_shift": extensions.StepShift,
    "observe_lr": extensions.observe_lr,
}
TRIGGERS = {
    "interval": triggers.IntervalTrigger,
    "once": triggers.OnceTrigger,
    "manual_schedule": triggers.ManualScheduleTrigger,
    "time": triggers.TimeTrigger,
    "min_value": triggers.MinValueTrigger,
    "max_value": triggers.MaxValueTrigger,
    "early_stopping": triggers.EarlyStoppingTrigger,
}


def test_each_is_found_by_its_name():
    for kind, expected in ((EXTENSION, EXTENSIONS), (TRIGGER, TRIGGERS)):
        assert {name: registry(kind).load(f"training:{name}") for name in expected} == expected
