"""``chainer.training.extensions``: files, names, means and snapshot keys as in Chainer."""

from renga_chainer.modules.chainer.training.extensions._snapshot import snapshot, snapshot_object
from renga_chainer.modules.chainer.training.extensions.evaluator import Evaluator
from renga_chainer.modules.chainer.training.extensions.log_report import LogReport
from renga_chainer.modules.chainer.training.extensions.others import (
    DumpGraph,
    FailOnNonNumber,
    MicroAverage,
    ParameterStatistics,
    PlotReport,
    VariableStatisticsPlot,
    dump_graph,
    observe_lr,
    observe_value,
    unchain_variables,
)
from renga_chainer.modules.chainer.training.extensions.print_report import PrintReport
from renga_chainer.modules.chainer.training.extensions.shifts import (
    ExponentialShift,
    InverseShift,
    LinearShift,
    MultistepShift,
    PolynomialShift,
    StepShift,
    WarmupShift,
)

__all__ = [
    "DumpGraph",
    "Evaluator",
    "ExponentialShift",
    "FailOnNonNumber",
    "InverseShift",
    "LinearShift",
    "LogReport",
    "MicroAverage",
    "MultistepShift",
    "ParameterStatistics",
    "PlotReport",
    "PolynomialShift",
    "PrintReport",
    "StepShift",
    "VariableStatisticsPlot",
    "WarmupShift",
    "dump_graph",
    "observe_lr",
    "observe_value",
    "snapshot",
    "snapshot_object",
    "unchain_variables",
]
