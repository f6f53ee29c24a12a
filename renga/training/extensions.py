"""Extensions: `renga_training.extensions`, and by registered name those of other plugins."""

from renga.third_party import registered
from renga_core.plugin import EXTENSION
from renga_training.extensions import (
    Evaluator,
    ExponentialShift,
    Extension,
    FailOnNonNumber,
    LinearShift,
    LogReport,
    PlotReport,
    PrintReport,
    ProgressBar,
    StepShift,
    make_extension,
    observe_lr,
    observe_value,
    snapshot,
    snapshot_object,
)

__all__ = [
    "Evaluator",
    "ExponentialShift",
    "Extension",
    "FailOnNonNumber",
    "LinearShift",
    "LogReport",
    "PlotReport",
    "PrintReport",
    "ProgressBar",
    "StepShift",
    "make_extension",
    "observe_lr",
    "observe_value",
    "snapshot",
    "snapshot_object",
]

__getattr__ = registered(EXTENSION, "renga.training.extensions", __all__)
