"""What networks are trained for. A run file says it: ``[task] use = "regression"``.

- `task`: `Task`, the base class. It says what is computed from a batch, which figures are reported, what is drawn,
  and how a trained network is used.
- `evaluator`: `TaskEvaluator`, means over the test data, and what a task makes of them.
- `classification`, `regression`: the tasks, a file each.

To write one of your own: docs/how-to/write-a-task.md.
"""

from renga_training.tasks.classification import Classification
from renga_training.tasks.evaluator import TaskEvaluator
from renga_training.tasks.regression import Regression
from renga_training.tasks.task import Row, Task

__all__ = ["Classification", "Regression", "Row", "Task", "TaskEvaluator"]
