# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_core.training import Extension as Extension
from renga_distributed.extensions import LearningRateWarmup as LearningRateWarmup
from renga_training.extensions import CosineSchedule as CosineSchedule
from renga_training.extensions import DumpGraph as DumpGraph
from renga_training.extensions import EarlyStopping as EarlyStopping
from renga_training.extensions import ExponentialShift as ExponentialShift
from renga_training.extensions import FailOnNonNumber as FailOnNonNumber
from renga_training.extensions import InverseShift as InverseShift
from renga_training.extensions import LinearShift as LinearShift
from renga_training.extensions import LogReport as LogReport
from renga_training.extensions import MicroAverage as MicroAverage
from renga_training.extensions import MovingAverage as MovingAverage
from renga_training.extensions import MultistepShift as MultistepShift
from renga_training.extensions import ParameterStatistics as ParameterStatistics
from renga_training.extensions import PlotReport as PlotReport
from renga_training.extensions import PolynomialShift as PolynomialShift
from renga_training.extensions import PrintReport as PrintReport
from renga_training.extensions import ProgressBar as ProgressBar
from renga_training.extensions import Samples as Samples
from renga_training.extensions import StepShift as StepShift
from renga_training.extensions import TensorBoardReport as TensorBoardReport
from renga_training.extensions import VariableStatisticsPlot as VariableStatisticsPlot
from renga_training.extensions import WarmupShift as WarmupShift
from renga_training.extensions import observe_lr as observe_lr
from renga_training.extensions import snapshot as snapshot
from renga_training.extensions import snapshot_best as snapshot_best
from renga_training.extensions import unchain_variables as unchain_variables
from renga_training.extensions.dump_graph import dump_graph as dump_graph
from renga_training.extensions.evaluator import Evaluator as Evaluator
from renga_training.extensions.observe import observe_value as observe_value
from renga_training.extensions.snapshot import Snapshot as Snapshot
from renga_training.extensions.snapshot import snapshot_object as snapshot_object
from renga_training.make_extension import make_extension as make_extension

__all__ = [
    "CosineSchedule",
    "DumpGraph",
    "EarlyStopping",
    "Evaluator",
    "ExponentialShift",
    "Extension",
    "FailOnNonNumber",
    "InverseShift",
    "LearningRateWarmup",
    "LinearShift",
    "LogReport",
    "MicroAverage",
    "MovingAverage",
    "MultistepShift",
    "ParameterStatistics",
    "PlotReport",
    "PolynomialShift",
    "PrintReport",
    "ProgressBar",
    "Samples",
    "Snapshot",
    "StepShift",
    "TensorBoardReport",
    "VariableStatisticsPlot",
    "WarmupShift",
    "dump_graph",
    "make_extension",
    "observe_lr",
    "observe_value",
    "snapshot",
    "snapshot_best",
    "snapshot_object",
    "unchain_variables",
]
