from renga_core.kinds import EXTENSION, TRIGGER
from renga_core.plugin import registry
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
    "inverse_shift": extensions.InverseShift,
    "multistep_shift": extensions.MultistepShift,
    "polynomial_shift": extensions.PolynomialShift,
    "warmup_shift": extensions.WarmupShift,
    "micro_average": extensions.MicroAverage,
    "parameter_statistics": extensions.ParameterStatistics,
    "variable_statistics_plot": extensions.VariableStatisticsPlot,
    "dump_graph": extensions.DumpGraph,
    "unchain_variables": extensions.unchain_variables,
    "tensorboard_report": extensions.TensorBoardReport,
    "snapshot_best": extensions.snapshot_best,
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
