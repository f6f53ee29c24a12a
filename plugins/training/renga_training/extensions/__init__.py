"""What happens during training besides the updates.

- `evaluator`: `Evaluator`, means over a validation data set.
- `log_report`: `LogReport`, means over intervals, in memory and in files. `print_report`: `PrintReport`, its table.
- `progress_bar`: `ProgressBar`. `plot_report`: `PlotReport`, pictures of curves.
- `snapshot`: `snapshot`, `snapshot_object`, saving and resuming.
- `fail_on_non_number`: `FailOnNonNumber`, stops when parameters are no longer finite.
- `shifts`: `ExponentialShift`, `LinearShift`, `StepShift`, changing the learning rate.
- `observe`: `observe_value`, `observe_lr`, reporting something that nobody reports.

To write one, derive from `renga_core.training.Extension`, or put `make_extension` above a function of the trainer.
"""

from renga_core.training import Extension, make_extension
from renga_training.extensions.evaluator import Evaluator
from renga_training.extensions.fail_on_non_number import FailOnNonNumber
from renga_training.extensions.log_report import LogReport
from renga_training.extensions.observe import observe_lr, observe_value
from renga_training.extensions.plot_report import PlotReport
from renga_training.extensions.print_report import PrintReport
from renga_training.extensions.progress_bar import ProgressBar
from renga_training.extensions.shifts import ExponentialShift, LinearShift, StepShift
from renga_training.extensions.snapshot import snapshot, snapshot_object

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
