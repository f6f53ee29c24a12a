"""Extensions: actions during training other than updates.

- `evaluator`: `Evaluator`, means over a validation data set.
- `log_report`: `LogReport`, means over intervals, in memory and in files. `print_report`: `PrintReport`, its table.
- `progress_bar`: `ProgressBar`. `plot_report`: `PlotReport`, plots of curves. `tensorboard_report`: the same for
  TensorBoard. `picture`: the base of extensions that draw.
- `snapshot`: `snapshot`, `snapshot_object`, saving and resuming. `snapshot_best`: `snapshot_best`, keeps the best.
- `early_stopping`: `EarlyStopping`, ends training when a value no longer improves.
- `fail_on_non_number`: `FailOnNonNumber`, stops when parameters are not finite.
- `shifts`: `ExponentialShift`, `InverseShift`, `LinearShift`, `MultistepShift`, `PolynomialShift`, `StepShift`,
  `WarmupShift`, which change the learning rate.
- `cosine_schedule`: `CosineSchedule`, warm-up and a cosine over the whole run.
- `moving_average`: `MovingAverage`, averages of the parameters. `samples`: `Samples`, generated samples.
- `observe`: `observe_value`, `observe_lr`, report further values. `micro_average`: `MicroAverage`, ratios of sums.
- `parameter_statistics`: `ParameterStatistics`, as reported values. `variable_statistics_plot`:
  `VariableStatisticsPlot`, as a plot.
- `dump_graph`: `DumpGraph`, draws the graph of a loss. `unchain_variables`: `unchain_variables`, frees graphs.

To write one, derive from `renga_core.training.Extension`, or decorate a function of the trainer with `make_extension`.
"""

from renga_core.training import Extension
from renga_training.extensions.cosine_schedule import CosineSchedule
from renga_training.extensions.dump_graph import DumpGraph, dump_graph
from renga_training.extensions.early_stopping import EarlyStopping
from renga_training.extensions.evaluator import Evaluator
from renga_training.extensions.fail_on_non_number import FailOnNonNumber
from renga_training.extensions.log_report import LogReport
from renga_training.extensions.micro_average import MicroAverage
from renga_training.extensions.moving_average import MovingAverage
from renga_training.extensions.observe import observe_lr, observe_value
from renga_training.extensions.parameter_statistics import ParameterStatistics
from renga_training.extensions.plot_report import PlotReport
from renga_training.extensions.print_report import PrintReport
from renga_training.extensions.progress_bar import ProgressBar
from renga_training.extensions.samples import Samples
from renga_training.extensions.shifts import (
    ExponentialShift,
    InverseShift,
    LinearShift,
    MultistepShift,
    PolynomialShift,
    StepShift,
    WarmupShift,
)
from renga_training.extensions.snapshot import snapshot, snapshot_object
from renga_training.extensions.snapshot_best import snapshot_best
from renga_training.extensions.tensorboard_report import TensorBoardReport
from renga_training.extensions.unchain_variables import unchain_variables
from renga_training.extensions.variable_statistics_plot import VariableStatisticsPlot
from renga_training.make_extension import make_extension

__all__ = [
    "CosineSchedule",
    "DumpGraph",
    "EarlyStopping",
    "Evaluator",
    "ExponentialShift",
    "Extension",
    "FailOnNonNumber",
    "InverseShift",
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
